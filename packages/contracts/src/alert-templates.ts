/**
 * Templates for the public text of an incident that an alert drafts. Placeholders (`{{name}}`) are
 * replaced in one pass, so that a value is never parsed as a template. Validated when an intake is
 * stored, rendered by core.
 */

export const MAX_ALERT_PLACEHOLDERS = 20
/** Maximum length of one inserted value, in characters. */
export const MAX_ALERT_VALUE = 500
export const DEFAULT_TITLE_TEMPLATE = 'Problem with {{components}}'

const variables = ['components', 'impact', 'integration', 'summary', 'description'] as const
const labelVariable = /^labels\.([a-zA-Z_][a-zA-Z0-9_.-]{0,127})$/
const placeholder = /\{\{([^{}]{0,140})\}\}/g

export interface AlertTemplateValues extends Record<(typeof variables)[number], string> {
  /** Label values by name; a missing label renders as an empty string. */
  labels: Readonly<Record<string, string>>
}

const namesIn = (template: string): string[] =>
  [...template.matchAll(placeholder)].map(([, name = '']) => name.trim())

/** Names of the labels that the templates use. */
export const alertLabelsIn = (...templates: string[]): string[] =>
  templates.flatMap(namesIn).flatMap((name) => labelVariable.exec(name)?.[1] ?? [])

/**
 * Returns the problem of a template as the end of a sentence, or null when the template is valid.
 */
export const alertTemplateProblem = (template: string): string | null => {
  const names = namesIn(template)
  if (names.length > MAX_ALERT_PLACEHOLDERS) {
    return `must have at most ${MAX_ALERT_PLACEHOLDERS} placeholders`
  }
  const unknown = names.find((name) => !isVariable(name) && !labelVariable.test(name))
  if (unknown === undefined) return null
  const known = [...variables, 'labels.<name>'].join(', ')
  return `has the unknown placeholder "${unknown.slice(0, 40)}"; known are ${known}`
}

/** Renders a template; truncates the result to `maxCharacters` code points. */
export const renderAlertTemplate = (
  template: string,
  values: AlertTemplateValues,
  maxCharacters: number,
): string => {
  const text = template.replace(placeholder, (_match, inner: string) =>
    textFor(values, inner.trim()).slice(0, MAX_ALERT_VALUE).toWellFormed(),
  )
  return [...text.slice(0, 2 * maxCharacters)]
    .slice(0, maxCharacters)
    .join('')
    .toWellFormed()
    .trim()
}

const textFor = (values: AlertTemplateValues, name: string): string => {
  if (isVariable(name)) return values[name]
  const label = labelVariable.exec(name)?.[1]
  if (label === undefined || !Object.hasOwn(values.labels, label)) return ''
  return values.labels[label] ?? ''
}

const isVariable = (name: string): name is (typeof variables)[number] =>
  (variables as readonly string[]).includes(name)
