/**
 * Fields of the content of all messages, with their colours, and the formatting of lists and times.
 */
import type { ComponentStatus, Impact } from '@status-page/contracts'
import type { FactName, MessageLanguage, ReaderLanguage } from './language.ts'

export interface MessageContent {
  noun: 'incident' | 'maintenance' | 'monitor' | 'alert'
  /** Kind of the event. */
  kind: string
  occurredAt: Date
  id: string
  headline: string
  title: string
  /** Headline and title in one line, joined as in the language. */
  summary: string
  message: string
  /** True for messages of incidents and maintenances, and for digests; others are plain text. */
  isMarkdown: boolean
  facts: readonly (readonly [name: string, value: string])[]
  /** Status whose colour the message has. */
  colourStatus: ComponentStatus
  url: string | null
  /** Scheduled start and end of a maintenance; null for other events. */
  window: string | null
  /** Status as in the API. */
  status: string
  impact: Impact | null
  components: readonly string[]
}

/** Status whose colour messages about an incident of the impact have. */
export const impactStatuses: Record<Impact, ComponentStatus> = {
  minor: 'degraded_performance',
  major: 'partial_outage',
  critical: 'major_outage',
}

export type ContentFields = Omit<MessageContent, 'summary'>

export const translateFacts = (
  language: MessageLanguage,
  facts: readonly [FactName, string | null][],
) =>
  facts.flatMap(([name, value]): [string, string][] =>
    value === null ? [] : [[language.facts[name], value]],
  )

/** Maximum number of names listed in a message; the others are counted. */
const MAX_LISTED = 100

export const joinNames = (names: readonly string[], language: MessageLanguage): string | null => {
  const more = names.length - MAX_LISTED
  const shown = names.slice(0, MAX_LISTED)
  return names.length === 0
    ? null
    : [...shown, ...(more > 0 ? [language.andMore(more)] : [])].join(language.separator)
}

export const formatTime = (at: string | null, { time }: ReaderLanguage): string | null =>
  at === null ? null : time(new Date(at))
