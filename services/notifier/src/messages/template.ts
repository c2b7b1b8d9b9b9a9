/**
 * Templates of channels. Placeholders `{{name}}` are replaced in one pass, so that no value is read
 * as a template, and each value is escaped for its place, so that none becomes markup or ends a
 * string. The cost is linear in the lengths of template and values, whatever the number of
 * placeholders: each value is escaped once to measure it and, where it is too long, once more to
 * truncate it.
 */
import { MAX_TEMPLATE_BYTES } from '@status-page/contracts'
import type { MessageContent } from './message-content.ts'
import { plainMessage } from './message-text.ts'
import {
  isJsonTemplate,
  parseTemplate,
  placeholdersIn,
  type TemplatePart,
} from './template-parts.ts'
import { type EscapeText, escapeAndTruncateBytes } from './truncate.ts'

export const templateVariableNames = [
  'event_type',
  'timestamp',
  'incident.id',
  'incident.title',
  'incident.status',
  'status',
  'title',
  'impact',
  'components',
  'message',
  'url',
] as const

export type Values = Readonly<Record<(typeof templateVariableNames)[number], string>>

/** Values for programs. */
export const placeholderValues = (content: MessageContent): Values => ({
  event_type: content.kind,
  timestamp: content.occurredAt.toISOString(),
  'incident.id': content.id,
  'incident.title': content.title,
  'incident.status': content.status,
  status: content.status,
  title: content.title,
  impact: content.impact ?? '',
  components: content.components.join(', '),
  message: content.message,
  url: content.url ?? '',
})

/** Values for people: the message without its marks. */
export const plainPlaceholderValues = (content: MessageContent): Values => ({
  ...placeholderValues(content),
  message: plainMessage(content),
})

/** Unknown placeholder names, each once. */
export const unknownPlaceholders = (...templates: (string | null | undefined)[]): string[] => [
  ...new Set(
    templates
      .flatMap((template) => placeholdersIn(parseTemplate(template ?? '')))
      .flatMap(({ name }) => (isVariable(name) ? [] : [name])),
  ),
]

export const countPlaceholders = (template: string): number =>
  placeholdersIn(parseTemplate(template)).length

/**
 * The text with its values escaped, at most 64 KiB. `rendered` contains values that are already
 * escaped.
 */
export const renderText = (
  template: string,
  values: Values,
  escapeText: EscapeText,
  rendered: Partial<Values> = {},
): string => {
  const parts = parseTemplate(template)
  const fixedBytes = bytesOfText(parts)
  const fitted = fittingValues(parts, { values, rendered, escapeText, fixedBytes })
  return parts.map((part) => ('text' in part ? part.text : fitted(part.name))).join('')
}

/**
 * The body of a webhook, at most 64 KiB. A template that is JSON stays JSON of the same shape whatever the
 * values are: inside of a string a value continues it, elsewhere it is a string of its own. In any other
 * template values are escaped as if inside of a string.
 */
export const renderBody = (template: string, values: Values): string => {
  const parts = parseTemplate(template)
  const isJson = isJsonTemplate(parts)
  const isQuoted = (part: TemplatePart) => isJson && 'name' in part && !part.isInString
  const quoteBytes = 2 * parts.filter(isQuoted).length
  const fixedBytes = bytesOfText(parts) + quoteBytes
  const fitted = fittingValues(parts, { values, rendered: {}, escapeText: escapeJson, fixedBytes })
  return parts
    .map((part) => {
      if ('text' in part) return part.text
      const value = fitted(part.name)
      return isQuoted(part) ? `"${value}"` : value
    })
    .join('')
}

const escapeJson: EscapeText = (text) => JSON.stringify(text).slice(1, -1)

const bytesOfText = (parts: readonly TemplatePart[]): number =>
  parts.reduce((sum, part) => sum + ('text' in part ? Buffer.byteLength(part.text) : 0), 0)

interface Fitting {
  values: Values
  /** Values that are already escaped. */
  rendered: Partial<Values>
  escapeText: EscapeText
  fixedBytes: number
}

/** Escaped values by name, cut so that all placeholders fit with the fixed bytes into 64 KiB. */
const fittingValues = (
  parts: readonly TemplatePart[],
  { values, rendered, escapeText, fixedBytes }: Fitting,
): ((name: string) => string) => {
  const names = placeholdersIn(parts).flatMap(({ name }) => (isVariable(name) ? [name] : []))
  const escaped = new Map<string, string>()
  // Each unit takes at least one byte, so any text beyond the limit is cut in the end.
  for (const name of new Set(names)) {
    const text = rendered[name] ?? escapeText(values[name].slice(0, MAX_TEMPLATE_BYTES + 1))
    escaped.set(name, text)
  }
  const sizes = new Map([...escaped].map(([name, text]) => [name, Buffer.byteLength(text)]))
  const limit = fairLimit(
    names.map((name) => sizes.get(name) ?? 0),
    MAX_TEMPLATE_BYTES - fixedBytes,
  )
  for (const name of new Set(names)) {
    if ((sizes.get(name) ?? 0) <= limit) continue
    escaped.set(name, escapeAndTruncateBytes(values[name], limit, escapeText))
  }
  return (name) => escaped.get(name) ?? ''
}

/**
 * Returns the largest limit per value with which all fit into the room: the room that small values
 * leave is shared equally by the large ones. Truncating the whole text instead could break its
 * structure.
 */
const fairLimit = (sizes: readonly number[], room: number): number => {
  let left = Math.max(0, room)
  for (const [index, size] of sizes.toSorted((one, other) => one - other).entries()) {
    const share = Math.floor(left / (sizes.length - index))
    if (size > share) return share
    left -= size
  }
  return Number.POSITIVE_INFINITY
}

const isVariable = (name: string): name is keyof Values =>
  templateVariableNames.some((known) => known === name)
