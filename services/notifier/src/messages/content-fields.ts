/**
 * Fields of the content of all messages, with their colours, and the formatting of lists and times.
 */
import type { ComponentStatus, Impact } from '@status-page/contracts'
import type { FactName, MessageLanguage } from './language.ts'
import { formatUtc } from './mail.ts'

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
  /** True for messages of incidents and maintenances; others are plain text. */
  isMarkdown: boolean
  facts: readonly (readonly [name: string, value: string])[]
  /** Colour of the bar at the top: `#` and six hexadecimal digits. */
  colour: string
  url: string | null
  /** Scheduled start and end of a maintenance in UTC; null for other events. */
  window: string | null
  /** Status as in the API. */
  status: string
  impact: Impact | null
  components: readonly string[]
}

export const impactColours: Record<Impact, string> = {
  minor: '#8a6100',
  major: '#b34700',
  critical: '#b3261e',
}
export const statusColours: Record<ComponentStatus, string> = {
  operational: '#1b6e3c',
  degraded_performance: '#8a6100',
  partial_outage: '#b34700',
  major_outage: '#b3261e',
  under_maintenance: '#1f5fa8',
}
export const OPERATIONAL_COLOUR = statusColours.operational
export const MAINTENANCE_COLOUR = statusColours.under_maintenance

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
    : [...shown, ...(more > 0 ? [language.andMore(more)] : [])].join(', ')
}

export const formatTime = (at: string | null): string | null =>
  at === null ? null : formatUtc(new Date(at))
