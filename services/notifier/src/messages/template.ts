/**
 * Templates of channels: `{{name}}` in one pass, so that no value is ever read as a template, and each
 * value escaped for where it lands, so that none becomes markup or ends a string.
 */
import { MAX_TEMPLATE_BYTES } from '@status-page/contracts'
import type { News } from './news.ts'
import { truncated } from './truncate.ts'

export const variableNames = [
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

type Values = Readonly<Record<(typeof variableNames)[number], string>>

export const valuesOf = (news: News): Values => ({
  event_type: news.kind,
  timestamp: news.occurredAt.toISOString(),
  'incident.id': news.id,
  'incident.title': news.title,
  'incident.status': news.status,
  status: news.status,
  title: news.title,
  impact: news.impact ?? '',
  components: news.components.join(', '),
  message: news.message,
  url: news.url ?? '',
})

/** Names that stand for nothing, each once. */
export const unknownNames = (...templates: (string | null | undefined)[]): string[] => [
  ...new Set(
    templates
      .flatMap((template) => partsOf(template ?? ''))
      .flatMap((part) => ('name' in part && !isVariable(part.name) ? [part.name] : [])),
  ),
]

/** The text with its values escaped, at most 64 KiB. */
export const renderText = (
  template: string,
  values: Values,
  escapeValue: (value: string) => string,
): string => {
  const parts = partsOf(template)
  return fitting((limit) =>
    parts
      .map((part) => ('text' in part ? part.text : escapeValue(limited(values, part.name, limit))))
      .join(''),
  )
}

/**
 * The body of a webhook. A template that is JSON stays JSON of the same shape whatever the values are:
 * inside of a string a value continues it, elsewhere it is a string of its own. In any other template
 * values are escaped as if inside of a string.
 */
export const renderBody = (template: string, values: Values): string => {
  const parts = partsOf(template)
  const isJson = isJsonWith(parts)
  const quoted = ({ isInString }: Gap, text: string) =>
    isInString || !isJson ? JSON.stringify(text).slice(1, -1) : JSON.stringify(text)
  return fitting((limit) =>
    parts
      .map((part) => ('text' in part ? part.text : quoted(part, limited(values, part.name, limit))))
      .join(''),
  )
}

interface Gap {
  name: string
  isInString: boolean
}
type Part = { text: string } | Gap

const GAP = /\{\{([^{}]*)\}\}/g

const partsOf = (template: string): Part[] => {
  const parts: Part[] = []
  let end = 0
  let isInString = false
  const addText = (text: string) => {
    isInString = isInStringAfter(text, isInString)
    parts.push({ text })
  }
  for (const gap of template.matchAll(GAP)) {
    addText(template.slice(end, gap.index))
    parts.push({ name: (gap[1] ?? '').trim(), isInString })
    end = gap.index + gap[0].length
  }
  addText(template.slice(end))
  return parts
}

/** A backslash takes the character after it out of the count. */
const isInStringAfter = (text: string, before: boolean): boolean => {
  const quotes = text.replaceAll(/\\./gs, '').split('"').length - 1
  return quotes % 2 === 0 ? before : !before
}

const isJsonWith = (parts: readonly Part[]): boolean => {
  const sample = parts.map((part) => ('text' in part ? part.text : part.isInString ? 'x' : '"x"'))
  try {
    JSON.parse(sample.join(''))
    return true
  } catch {
    return false
  }
}

const isVariable = (name: string): name is keyof Values =>
  variableNames.some((known) => known === name)

const limited = (values: Values, name: string, limit: number): string =>
  isVariable(name) ? truncated(values[name], limit) : ''

const LIMITS = [32_000, 16_000, 8_000, 4_000, 2_000, 1_000, 500, 100, 0] as const

/** Long values are cut until the whole fits: a cut through the whole could break what it is part of. */
const fitting = (render: (limit: number) => string): string => {
  const fits = (text: string) => Buffer.byteLength(text) <= MAX_TEMPLATE_BYTES
  for (const limit of LIMITS) {
    const text = render(limit)
    if (fits(text)) return text
  }
  throw new Error('a template of more than 64 KiB')
}
