/** What news of every kind is made of: its fields, its colours, and lists and times in words. */
import type { ComponentStatus, Impact } from '@status-page/contracts'
import type { FactName, MessageLanguage } from './language.ts'
import { utc } from './mail.ts'

export interface MessageContent {
  noun: 'incident' | 'maintenance' | 'monitor' | 'alert'
  /** Of the event. */
  kind: string
  occurredAt: Date
  id: string
  headline: string
  title: string
  /** Both in one line, as the language joins them. */
  summary: string
  message: string
  facts: readonly (readonly [name: string, value: string])[]
  /** Six hexadecimal digits after `#`; of a bar beside the headline. */
  colour: string
  url: string | null
  /** From when to when a maintenance is scheduled, in UTC; null for everything else. */
  window: string | null
  /** As the API spells it. */
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
export const GOOD_COLOUR = statusColours.operational
export const PLANNED_COLOUR = statusColours.under_maintenance

export type ContentFields = Omit<MessageContent, 'summary'>

export const factsOf = (language: MessageLanguage, facts: readonly [FactName, string | null][]) =>
  facts.flatMap(([name, value]): [string, string][] =>
    value === null ? [] : [[language.facts[name], value]],
  )

/** Of a message; the others are counted. */
const MAX_LISTED = 100

export const listed = (names: readonly string[], language: MessageLanguage): string | null => {
  const more = names.length - MAX_LISTED
  const shown = names.slice(0, MAX_LISTED)
  return names.length === 0
    ? null
    : [...shown, ...(more > 0 ? [language.andMore(more)] : [])].join(', ')
}

export const timeOf = (at: string | null): string | null => (at === null ? null : utc(new Date(at)))
