/** The phrases that people read in news, one file a language; a language that lacks one does not compile. */
import type {
  AlertSeverity,
  ComponentStatus,
  Impact,
  IncidentStatus,
  MaintenanceFact,
  MaintenanceStatus,
} from '@status-page/contracts'
import { en } from './languages/en.ts'

export interface Language {
  /** BCP 47. */
  tag: string
  incidentStatuses: Record<IncidentStatus, string>
  impacts: Record<Impact, string>
  maintenanceStatuses: Record<MaintenanceStatus, string>
  maintenanceNews: Record<NonNullable<MaintenanceFact['news']>, string>
  componentStatuses: Record<ComponentStatus, string>
  /** By the kind of the event, where the status does not say it. */
  headlines: Readonly<Record<string, string>>
  facts: Record<FactName, string>
  maintenanceUpdated: string
  flapping: string
  severities: Record<AlertSeverity, string>
  view: Record<'incident' | 'maintenance' | 'monitor' | 'alert', string>
  coveredUpdates(count: number): string
  /** Of a message that tells of several things at once. */
  several(count: number): string
  andMore(count: number): string
  lasted(minutes: number): string
  subscribed(organizationName: string): string
  channelOf(channelName: string, organizationName: string): string
  manage: string
  test: { title(channelName: string): string; message: string; component: string }
}

export type FactName =
  | 'status'
  | 'impact'
  | 'affected'
  | 'started'
  | 'resolved'
  | 'lasted'
  | 'posted'
  | 'from'
  | 'until'
  | 'completed'
  | 'cancelled'
  | 'since'
  | 'severity'
  | 'schedule'
  | 'told'
  | 'acknowledged'

export const languages = { en } satisfies Record<string, Language>

/** Until organizations choose theirs. */
export const defaultLanguage: Language = languages.en
