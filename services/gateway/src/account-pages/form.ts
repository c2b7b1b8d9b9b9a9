/**
 * Forms of the account pages. A refused form returns with its values, except passwords and codes,
 * and with a message at each invalid field.
 */
import { html, type Markup, type MarkupValue } from '@status-page/html'
import type { FormInput } from './form-inputs.ts'
import type { FormRefusal } from './form-refusal.ts'
import type { AccountTexts } from './locales/index.ts'

/** Inputs whose values are never sent back. */
const SECRET_INPUTS: ReadonlySet<string> = new Set(['password', 'newPassword', 'code'])

export type FormValues = Readonly<Record<string, string | undefined>>

export interface FormContent {
  action: string
  submit: string
  inputs: readonly FormInput[]
  hidden?: FormValues
  values?: FormValues
  problem?: FormRefusal | null
}

export const formMarkup = (texts: AccountTexts, content: FormContent): Markup => {
  const { action, submit, inputs: fields, hidden = {}, problem = null } = content
  const isEmpty = ({ name }: FormInput) => SECRET_INPUTS.has(name) || !content.values?.[name]
  const focused = fields.find(({ name }) => problem?.fields.has(name)) ?? fields.find(isEmpty)
  return html`${problem !== null && html`<p class="note down" role="alert">${problem.alert}</p>`}
<form class="stack" method="post" action="${action}">
${Object.entries(hidden).map(
  ([name, value]) =>
    value !== undefined && html`<input type="hidden" name="${name}" value="${value}">`,
)}
${fields.map((field) => fieldMarkup(texts, field, { ...content, isFocused: field === focused }))}
<button class="b">${submit}</button>
</form>`
}

const fieldMarkup = (
  texts: AccountTexts,
  { name, label, rule, type, autocomplete }: FormInput,
  { values = {}, problem = null, isFocused }: FormContent & { isFocused: boolean },
): Markup => {
  const hint = texts.hints[rule]
  const isInvalid = problem?.fields.has(name) ?? false
  const message = problem?.fields.get(name) ?? texts.invalid[rule]
  const notes = [hint && `${name}-hint`, isInvalid && `${name}-error`].filter(Boolean).join(' ')
  const value = SECRET_INPUTS.has(name) ? undefined : values[name]
  const attributes: MarkupValue = [
    value !== undefined && html` value="${value}"`,
    notes !== '' && html` aria-describedby="${notes}"`,
    isInvalid && html` aria-invalid="true"`,
    isFocused && html` autofocus`,
  ]
  return html`<div><label for="${name}">${texts.labels[label]}</label>
${hint && html`<p class="sm q" id="${name}-hint">${hint}</p>`}
<input id="${name}" name="${name}" type="${type}" autocomplete="${autocomplete}" required${attributes}>
${isInvalid && html`<p class="err" id="${name}-error">${message}</p>`}</div>
`
}
