/** Error replies at the fields of a form, in the language of the user. */
import { ApiError, type ApiIssue } from '@status-page/client'
import { fill } from '../texts/plural.ts'
import type { Texts } from '../texts/texts.tsx'

/** Messages by the name of the field. */
export type FieldErrors = Readonly<Record<string, string>>

type ProblemTexts = Texts['problems']

const formatTexts: Readonly<Record<string, 'url' | 'email' | 'domain' | 'phone'>> = {
  'http-url': 'url',
  'https-url': 'url',
  'image-url': 'url',
  mailbox: 'email',
  domain: 'domain',
  phone: 'phone',
}

/** Message of the service, which begins with the name of a field or with a verb. */
export const sentenceOf = (message: string): string =>
  message.charAt(0).toUpperCase() + message.slice(1)

export interface FormFields {
  /** Field whose value must be unique: it shows a reply `duplicate`, which names no field. */
  uniqueField?: string
  /** Labels of the fields that others are compared with. */
  labels?: Readonly<Record<string, string>>
}

/** Field errors of a refused request; empty for other errors. */
export const fieldErrorsOf = (
  error: unknown,
  texts: ProblemTexts,
  { uniqueField, labels = {} }: FormFields = {},
): FieldErrors => {
  if (!(error instanceof ApiError)) return {}
  const { reason } = error.details as { reason?: string }
  if (reason === 'duplicate' && uniqueField !== undefined)
    return { [uniqueField]: fill(texts.duplicate, { detail: sentenceOf(error.message) }) }
  return Object.fromEntries(
    error.issues.map((issue) => {
      const { field = '', message = error.message, limitField = '', limit } = issue
      const text = textOf(issue, texts)
      const value = limit ?? labels[limitField]
      // A comparison with a field that the form does not show has the message of the service.
      return text === undefined || (value === undefined && limitField !== '')
        ? [field, fill(texts.invalid, { detail: withoutField(message, field) })]
        : [field, fill(text, { limit: value ?? 0 })]
    }),
  )
}

const textOf = (
  { keyword = '', format = '', limit }: ApiIssue,
  { keywords, ...texts }: ProblemTexts,
): string | undefined => {
  const formatText = formatTexts[format]
  if (formatText !== undefined) return texts[formatText]
  if (keyword === 'minLength' && limit === 1) return keywords.required
  return (keywords as Partial<Record<string, string>>)[keyword]
}

/**
 * Message below the label of its field, which replaces the path of the field in the request, such
 * as `layers[0].userIds`. Other clients have the path only.
 */
const withoutField = (message: string, field: string): string => {
  const names = [field, field.split('.').at(-1)]
  const name = names.find((one) => message.startsWith(`${one} `))
  const rest = name === undefined ? message : message.slice(name.length + 1)
  return /^(is|has|does|contains) /.test(rest) ? `This value ${rest}` : sentenceOf(rest)
}

/** Name of the form's field that an error concerns, such as `conditions[0].target`. */
export const rootFieldOf = (field: string): string => field.split(/[.[]/, 1)[0] ?? field

/** First error of a field or of a part of it. */
export const errorOf = (errors: FieldErrors, field: string): string | undefined =>
  Object.entries(errors).find(([name]) => rootFieldOf(name) === field)?.[1]

/**
 * First error of a list that the form shows as one text, with the entry that it concerns; `entries`
 * are those of the text, in the order of the request.
 */
export const entryErrorOf = (
  errors: FieldErrors,
  field: string,
  entries: readonly string[],
): string | undefined => {
  const found = Object.entries(errors).find(
    ([name]) => name === field || name.startsWith(`${field}[`),
  )
  if (found === undefined) return undefined
  const [name, message] = found
  const entry = entries[Number(/^\[(\d+)\]/.exec(name.slice(field.length))?.[1])]
  // Isolated, because the entry may have another direction than the message.
  return entry === undefined ? message : `\u2068${entry}\u2069: ${message}`
}
