/** Facts of a message, as lines of text and as a table. */
import type { MessageLanguage } from './language.ts'
import { escapeHtml, toOneLine } from './mail.ts'

export type MessageFact = readonly [name: string, value: string]

/** One line per fact. */
export const factLines = (
  facts: readonly MessageFact[],
  { titled }: Pick<MessageLanguage, 'titled'>,
): string[] => facts.map(([name, value]) => titled(name, toOneLine(value)))

/**
 * Isolates the direction of a text (Unicode's FSI and PDI): otherwise a time would be displayed
 * backwards.
 */
export const isolateDirection = (text: string): string => `\u2068${text}\u2069`

export const factTable = (
  facts: readonly MessageFact[],
  { direction }: Pick<MessageLanguage, 'direction'>,
): string => {
  const [align, padding] =
    direction === 'rtl' ? ['right', '5px 0 5px 16px'] : ['left', '5px 16px 5px 0']
  const nameStyle = `padding:${padding};text-align:${align};vertical-align:top;font-weight:400;white-space:nowrap`
  const rows = facts.map(
    ([name, value]) =>
      `<tr><th scope="row" class="quiet" style="${nameStyle}">${escapeHtml(name)}</th><td style="padding:5px 0"><bdi>${escapeHtml(value)}</bdi></td></tr>`,
  )
  return `<table style="margin:16px 0;border-collapse:collapse;font-size:15px">${rows.join('')}</table>`
}
