/** Parses a template of a channel into its text and its placeholders, `{{name}}`; linear in its length. */

export interface Placeholder {
  name: string
  /** True inside a JSON string. */
  isInString: boolean
}

export type TemplatePart = { text: string } | Placeholder

const PLACEHOLDER = /\{\{([^{}]*)\}\}/g

export const parseTemplate = (template: string): TemplatePart[] => {
  const parts: TemplatePart[] = []
  let end = 0
  let isInString = false
  const addText = (text: string) => {
    isInString = isInStringAfter(text, isInString)
    parts.push({ text })
  }
  for (const found of template.matchAll(PLACEHOLDER)) {
    addText(template.slice(end, found.index))
    parts.push({ name: (found[1] ?? '').trim(), isInString })
    end = found.index + found[0].length
  }
  addText(template.slice(end))
  return parts
}

export const placeholdersIn = (parts: readonly TemplatePart[]): Placeholder[] =>
  parts.filter((part) => 'name' in part)

/** Counts quotes; a backslash excludes the character after it. */
const isInStringAfter = (text: string, before: boolean): boolean => {
  const quotes = text.replaceAll(/\\./gs, '').split('"').length - 1
  return quotes % 2 === 0 ? before : !before
}

/** True when the template is JSON once every placeholder has a value. */
export const isJsonTemplate = (parts: readonly TemplatePart[]): boolean => {
  const sample = parts.map((part) => ('text' in part ? part.text : part.isInString ? 'x' : '"x"'))
  try {
    JSON.parse(sample.join(''))
    return true
  } catch {
    return false
  }
}
