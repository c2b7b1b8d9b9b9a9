/** Facts of a message, as lines of text and as a table. */
import type { MessageLanguage } from './language.ts'
import { escapeHtml, oneLine } from './mail.ts'

export type Fact = readonly [name: string, value: string]

/** Values below each other, whatever the length of the names. */
export const factLines = (
  facts: readonly Fact[],
  { direction }: Pick<MessageLanguage, 'direction'>,
): string[] => {
  const width = Math.max(0, ...facts.map(([name]) => name.length))
  const written = (value: string) =>
    direction === 'rtl' ? isolateDirection(oneLine(value)) : oneLine(value)
  return facts.map(([name, value]) => `${name.padEnd(width)}  ${written(value)}`)
}

/** Keeps its own direction (Unicode's FSI and PDI): a time would be read backwards otherwise. */
export const isolateDirection = (text: string): string => `\u2068${text}\u2069`

export const factTable = (facts: readonly Fact[]): string => {
  const rows = facts.map(
    ([name, value]) =>
      `<tr><th scope="row">${escapeHtml(name)}</th><td dir="auto">${escapeHtml(value)}</td></tr>`,
  )
  return `<table class="facts">${rows.join('')}</table>`
}
