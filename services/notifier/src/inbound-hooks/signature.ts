/** Twilio's signature: HMAC-SHA1 over the public URL and the fields of the form, sorted by name. */
import { createHmac } from 'node:crypto'
import { equalInConstantTime } from '@status-page/secrets'

export interface SignedForm {
  /** Public URL from the settings, because a proxy may have rewritten the URL of the request. */
  url: string
  fields: URLSearchParams
  authToken: string
}

export const signForm = ({ url, fields, authToken }: SignedForm): string => {
  const names = [...new Set(fields.keys())].sort()
  const text = names.map((name) => name + [...new Set(fields.getAll(name))].sort().join(name))
  return createHmac('sha1', authToken)
    .update(url + text.join(''))
    .digest('base64')
}

export const isFormSigned = (form: SignedForm, signature: string | undefined): boolean =>
  signature !== undefined && equalInConstantTime(signature, signForm(form))
