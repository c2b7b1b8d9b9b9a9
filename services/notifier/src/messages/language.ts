/** The phrases that people read, one file a language; a language that lacks one does not compile. */
import type {
  AccountWarning,
  AlertSeverity,
  ComponentStatus,
  Impact,
  IncidentStatus,
  Locale,
  MaintenanceEventData,
  MaintenanceStatus,
} from '@status-page/contracts'
import type { SuppressionReason } from '../tables.ts'
import { ar } from './languages/ar.ts'
import { de } from './languages/de.ts'
import { en } from './languages/en.ts'
import { es } from './languages/es.ts'
import { fr } from './languages/fr.ts'
import { ja } from './languages/ja.ts'

export interface MessageLanguage {
  /** BCP 47. */
  tag: string
  direction: 'ltr' | 'rtl'
  /** What happened, and to what. */
  titled(headline: string, title: string): string
  incidentStatuses: Record<IncidentStatus, string>
  impacts: Record<Impact, string>
  maintenanceStatuses: Record<MaintenanceStatus, string>
  maintenanceContent: Record<NonNullable<MaintenanceEventData['news']>, string>
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
  confirmation: ConfirmationPhrases
  account: AccountPhrases
  alert: AlertPhrases
  ended: SuppressionPhrases
  /** Answer to HELP; within one text message. */
  /** Of a mail to the owners of an organization. */
  ownerFooter(organizationName: string): string
  textHelp(organizationName: string): string
  test: { title(channelName: string): string; message: string; component: string }
}

/** To an address that is not subscribed yet, or is already. */
export interface ConfirmationPhrases {
  subject(pageName: string): string
  question(pageName: string): string
  validUntil(time: string): string
  action: string
  knownSubject(pageName: string): string
  known(pageName: string): string
  footer(address: string, site: string): string
}

/** To somebody with an account, or who is to have one. */
export interface AccountPhrases {
  invited: {
    subject(organizationName: string): string
    line(inviter: string, organizationName: string): string
    /** In the place of a name. */
    administrator: string
    validUntil(time: string): string
    /** That go with the token. */
    fields: string
  }
  reset: { subject: string; line: string; validUntil(time: string): string }
  /** `fields`: what goes with the token. */
  verify: { subject: string; line: string; validUntil(time: string): string; fields: string }
  warned: {
    subject(organizationName: string): string
    warnings: Record<AccountWarning, string>
    seen(time: string, place: string): string
    unknownPlace: string
  }
  token: string
  /** After the call of the API. */
  callWith(fields: string): string
  footer(address: string, site: string): string
}

/** To somebody who is on call. */
export interface AlertPhrases {
  escalated(severity: string): string
  acknowledgedBy(name: string): string
  noOne: string
  times(count: number): string
  /** Each before the call of the API that does it. */
  acknowledge: string
  resolve: string
  footer(organizationName: string): string
}

/** To those who look after destinations, about some that get nothing any more. */
export interface SuppressionPhrases {
  subject(count: number): string
  subscriber(label: string): string
  channel(name: string): string
  line(owner: string, type: string, reason: string, time: string): string
  reasons: Record<SuppressionReason, string>
  remedy(call: string, body: string): string
  footer(organizationName: string): string
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
  | 'notified'
  | 'acknowledged'
  | 'raised'
  | 'escalates'
  | 'availability'
  | 'target'
  | 'budgetLeft'
  | 'due'
  | 'expires'
  | 'daysLeft'
  | 'publishes'

export const languages = { en, de, fr, es, ja, ar } satisfies Record<Locale, MessageLanguage>

/** Of what is sent to nobody's page. */
export const defaultLanguage: MessageLanguage = languages.en
