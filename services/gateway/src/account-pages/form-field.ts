/** Fields of a form, each with its label, hint and message. */
import { html, type Markup, type MarkupValue } from '@status-page/html'
import type { AccountTexts } from '@status-page/html/texts'
import type { FormInput } from './form-inputs.ts'

export interface FieldState {
  /** Entered value; undefined for a value that is never sent back. */
  value: string | undefined
  isInvalid: boolean
  /** Message of an invalid value; null for that of the rule. */
  message: MarkupValue
  isFocused: boolean
}

export const fieldMarkup = (texts: AccountTexts, input: FormInput, state: FieldState): Markup =>
  input.type === 'choice' ? choice(texts, input, state) : labelledInput(texts, input, state)

const LINES = 5

const labelledInput = (texts: AccountTexts, input: FormInput, state: FieldState): Markup => {
  const { name, label, rule, type, autocomplete, isOptional, className } = input
  const { value, isInvalid, isFocused } = state
  const hint = texts.hints[rule]
  const notes = [hint && `${name}-hint`, isInvalid && `${name}-error`].filter(Boolean).join(' ')
  const attributes: MarkupValue = [
    isOptional !== true && html` required`,
    notes !== '' && html` aria-describedby="${notes}"`,
    isInvalid && html` aria-invalid="true"`,
    isFocused && html` autofocus`,
  ]
  const control =
    type === 'lines'
      ? // The parser drops a line break directly after the tag.
        html`<textarea id="${name}" name="${name}" rows="${LINES}" spellcheck="false"${attributes}>
${value}</textarea>`
      : html`<input id="${name}" name="${name}" type="${type}" autocomplete="${autocomplete}"${value !== undefined && html` value="${value}"`}${attributes}>`
  return html`<div${className !== undefined && html` class="${className}"`}><label for="${name}">${texts.labels[label]}</label>
${hint && html`<p class="sm q" id="${name}-hint">${hint}</p>`}
${control}
${errorMarkup(texts, input, state)}</div>
`
}

const choice = (texts: AccountTexts, input: FormInput, state: FieldState): Markup => {
  const { name, label, options } = input
  const labels = Object.entries(options?.(texts) ?? {})
  const chosen = labels.some(([value]) => value === state.value) ? state.value : labels[0]?.[0]
  return html`<fieldset${state.isInvalid && html` aria-describedby="${name}-error"`}><legend>${texts.labels[label]}</legend>
${labels.map(
  ([value, text]) =>
    html`<label class="pick"><input type="radio" name="${name}" value="${value}"${value === chosen && html` checked`}>${text}</label>
`,
)}${errorMarkup(texts, input, state)}</fieldset>
`
}

const errorMarkup = (
  texts: AccountTexts,
  { name, rule }: FormInput,
  { isInvalid, message }: FieldState,
): Markup | false =>
  isInvalid && html`<p class="err" id="${name}-error">${message ?? texts.invalid[rule]}</p>`
