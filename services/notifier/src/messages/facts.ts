/** Facts of a message, as lines of text and as a table. */
import type { MessageLanguage } from './language.ts'
import { escapeHtml, toOneLine } from './mail.ts'

export type MessageFact = readonly [name: string, value: string]

/** One line per fact, with values aligned in a column. */
export const factLines = (
  facts: readonly MessageFact[],
  { direction }: Pick<MessageLanguage, 'direction'>,
): string[] => {
  const width = Math.max(0, ...facts.map(([name]) => name.length))
  const written = (value: string) =>
    direction === 'rtl' ? isolateDirection(toOneLine(value)) : toOneLine(value)
  return facts.map(([name, value]) => `${name.padEnd(width)}  ${written(value)}`)
}

/**
 * Isolates the direction of a text (Unicode's FSI and PDI): otherwise a time would be displayed
 * backwards.
 */
export const isolateDirection = (text: string): string => `\u2068${text}\u2069`

export const factTable = (facts: readonly MessageFact[]): string => {
  const rows = facts.map(
    ([name, value]) =>
      `<tr><th scope="row">${escapeHtml(name)}</th><td dir="auto">${escapeHtml(value)}</td></tr>`,
  )
  return `<table class="facts">${rows.join('')}</table>`
}
