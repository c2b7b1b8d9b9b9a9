/** Phrases of messages, one file per language; a language without one of them does not compile. */
import type {
  AccountWarning,
  AlertSeverity,
  ChannelType,
  Locale,
  MaintenanceEventData,
  VendorFault,
} from '@status-page/contracts'
import type { PageTexts } from '@status-page/html/texts'
import type { SuppressionReason } from '../tables.ts'

export interface MessagePhrases {
  /** Joins the headline and the title of an event. */
  titled(headline: string, title: string): string
  /** Link of a plain text, which ends with the address. */
  link(label: string, url: string): string
  maintenanceContent: Record<NonNullable<MaintenanceEventData['news']>, string>
  /** Headlines by event kind, where the status does not describe the event. */
  headlines: Readonly<Record<string, string>>
  facts: Record<FactName, string>
  maintenanceUpdated: string
  flapping: string
  severities: Record<AlertSeverity, string>
  view: Record<'incident' | 'maintenance' | 'monitor' | 'alert', string>
  /** Button of the page that acts on an alert or a draft. */
  respond: string
  coveredUpdates(count: number): string
  /** Headline of a digest. */
  several(count: number): string
  /** Between the names of a list. */
  separator: string
  andMore(count: number): string
  lasted(minutes: number): string
  subscribed(senderName: string): string
  channelOf(channelName: string, organizationName: string): string
  manage: string
  confirmation: ConfirmationPhrases
  account: AccountPhrases
  alert: AlertPhrases
  ended: SuppressionPhrases
  vendor: VendorPhrases
  location: LocationPhrases
  /** Footer of a mail to the owners of an organization. */
  ownerFooter(organizationName: string): string
  /** Reply to HELP: the sender and the keywords; carriers require it. Fits into one text message. */
  textHelp(organizationName: string): string
  test: { title(channelName: string): string; message: string; component: string }
}

/** Phrases of a language, with the names of statuses and impacts that its pages show. */
export interface MessageLanguage extends MessagePhrases {
  tag: Locale
  direction: 'ltr' | 'rtl'
  incidentStatuses: PageTexts['incidents']
  maintenanceStatuses: PageTexts['maintenances']
  componentStatuses: PageTexts['components']
  impacts: PageTexts['impacts']
}

/** Phrases of a language with the times of a time zone. */
export interface ReaderLanguage extends MessageLanguage {
  /** Formats date, time and time zone. */
  time(at: Date): string
  /** Formats a period within the characters of text messages: `2026-01-02 03:00-05:00 UTC`. */
  period(from: Date, until: Date): string
}

/** Phrases for an address that is not subscribed yet, or is subscribed already. */
export interface ConfirmationPhrases {
  subject(pageName: string): string
  question(pageName: string): string
  validUntil(time: string): string
  action: string
  knownSubject(pageName: string): string
  known(pageName: string): string
  footer(address: string, site: string): string
}

/** Phrases for people with an account or an invitation. */
export interface AccountPhrases {
  invited: {
    subject(organizationName: string): string
    line(inviter: string, organizationName: string): string
    /** Text in place of the name of an inviter without one. */
    administrator: string
    validUntil(time: string): string
    action: string
  }
  reset: { subject: string; line: string; validUntil(time: string): string; action: string }
  verify: { subject: string; line: string; validUntil(time: string): string; action: string }
  test: { subject(organizationName: string): string; line: string }
  warned: {
    subject(organizationName: string): string
    warnings: Record<AccountWarning, string>
    seen(time: string, place: string): string
    unknownPlace: string
  }
  footer(address: string, site: string): string
}

/** Phrases for people on call. */
export interface AlertPhrases {
  escalated(severity: string): string
  acknowledgedBy(name: string): string
  noOne: string
  times(count: number): string
  footer(organizationName: string): string
}

/** Phrases for the managers of destinations, about suppressed ones. */
export interface SuppressionPhrases {
  subject(count: number): string
  subscriber(label: string): string
  channel(name: string): string
  line(owner: string, type: string, reason: string, time: string): string
  /** Translated names of channel types; the others have a proper name. */
  types: Partial<Record<ChannelType, string>>
  reasons: Record<SuppressionReason, string>
  remedy: string
  footer(organizationName: string): string
}

/** Phrases for owners, about a private location whose agents send no requests. */
export interface LocationPhrases {
  headline: string
  consequence: string
}

/** Phrases for owners, about a vendor's page that has no data. */
export interface VendorPhrases {
  headline: string
  consequence: string
  reasons: Record<VendorFault, string>
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
  | 'page'
  | 'reason'
