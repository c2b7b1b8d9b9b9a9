/**
 * Forms of the account pages. A refused form returns with its values, except passwords and codes,
 * and with a message at each invalid field.
 */
import { html, type Markup } from '@status-page/html'
import type { AccountTexts } from '@status-page/html/texts'
import { fieldMarkup } from './form-field.ts'
import type { FormInput } from './form-inputs.ts'
import type { FormRefusal } from './form-refusal.ts'

/** Inputs whose values are never sent back. */
const SECRET_INPUTS: ReadonlySet<string> = new Set(['password', 'newPassword', 'code'])

export type FormValues = Readonly<Record<string, string | undefined>>

export interface FormContent {
  action: string
  submit: string
  /** Further buttons, which send the form elsewhere. */
  others?: readonly { action: string; submit: string }[]
  inputs: readonly FormInput[]
  hidden?: FormValues
  values?: FormValues
  problem?: FormRefusal | null
}

export const formMarkup = (texts: AccountTexts, content: FormContent): Markup => {
  const { action, submit, others = [], inputs: fields, hidden = {} } = content
  const { values = {}, problem = null } = content
  const isEmpty = ({ name }: FormInput) => SECRET_INPUTS.has(name) || !values[name]
  const focused = fields.find(({ name }) => problem?.fields.has(name)) ?? fields.find(isEmpty)
  const field = (input: FormInput) =>
    fieldMarkup(texts, input, {
      value: SECRET_INPUTS.has(input.name) ? undefined : values[input.name],
      isInvalid: problem?.fields.has(input.name) ?? false,
      message: problem?.fields.get(input.name) ?? null,
      isFocused: input === focused,
    })
  return html`${problem !== null && html`<p class="note down" role="alert">${problem.alert}</p>`}
<form class="stack" method="post" action="${action}">
${Object.entries(hidden).map(
  ([name, value]) =>
    value !== undefined && html`<input type="hidden" name="${name}" value="${value}">`,
)}
${fields.map(field)}
${
  others.length === 0
    ? html`<button class="b">${submit}</button>`
    : html`<div class="links"><button class="b">${submit}</button>
${others.map((other) => html`<button class="b plain" formaction="${other.action}">${other.submit}</button>`)}</div>`
}
</form>`
}
