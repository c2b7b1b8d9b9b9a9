/**
 * Rules of incident drafts: created from an alert signal, then published, vetoed or closed. Pure.
 */
import {
  type AlertSignal,
  type AlertTemplateValues,
  type AuditDraft,
  auditChanges,
  conflict,
  DEFAULT_TITLE_TEMPLATE,
  escapeMarkdown,
  IncidentDraft,
  type IncidentSource,
  MAX_DRAFT_NOTES,
  MAX_INCIDENT_TITLE,
  MAX_SIGNAL_MESSAGE,
  renderAlertTemplate,
  statusByImpact,
  viewOf,
} from '@status-page/contracts'
import type { IncidentDraftRow } from '../../tables.ts'
import type { IncidentEdit, IncidentInput } from '../rules.ts'

const MINUTE_MS = 60_000

/** Maximum length of a note with the text of an alert. */
const MAX_NOTE_LENGTH = 1000

/** Cause of a draft: an alert group, or the report of a vendor about a component. */
export type DraftSignal = Omit<AlertSignal, 'integrationId'> &
  Pick<IncidentDraftRow, 'integrationId' | 'vendorComponentId'>

interface DraftContext {
  organizationId: string
  version: number
  /** Names of the components that exist, in the order of the signal. */
  componentNames: readonly string[]
  now: Date
}

/** Returns null for the end of an alert whose beginning was never received. */
export const draftFromSignal = (
  signal: DraftSignal,
  { organizationId, version, componentNames, now }: DraftContext,
): IncidentDraftRow | null => {
  if (signal.status === 'resolved') return null
  const { id, impact, componentIds, integrationId, vendorComponentId } = signal
  const { publishAfterMinutes } = signal
  return {
    id,
    organizationId,
    version,
    status: 'waiting',
    impact,
    componentIds,
    ...publicTextOf(signal, componentNames),
    startedAt: earlier(new Date(signal.startsAt), now),
    integrationId,
    vendorComponentId,
    publishAt:
      publishAfterMinutes === null
        ? null
        : new Date(now.getTime() + publishAfterMinutes * MINUTE_MS),
    alertResolvedAt: null,
    incidentId: null,
    notes: [{ at: now.toISOString(), text: signalNote(signal) }],
    createdAt: now,
    updatedAt: now,
  }
}

/**
 * Public title and message, rendered from the templates of the integration; the text of the alert
 * appears only where a template includes it.
 */
const publicTextOf = (
  { titleTemplate, messageTemplate, title, message, impact, integrationName, labels }: DraftSignal,
  componentNames: readonly string[],
): { title: string; message: string } => {
  const values: AlertTemplateValues = {
    components: componentNames.join(', '),
    impact,
    integration: integrationName,
    summary: title,
    description: message,
    labels,
  }
  const render = (template: string) => renderAlertTemplate(template, values, MAX_INCIDENT_TITLE)
  return {
    // A template that consists of placeholders renders to nothing when the alert lacks their
    // values.
    title: render(titleTemplate) || render(DEFAULT_TITLE_TEMPLATE),
    message: renderAlertTemplate(messageTemplate, inMarkdown(values), MAX_SIGNAL_MESSAGE),
  }
}

/** Values for a message: names and labels are shown as they are, a description may have marks. */
const inMarkdown = (values: AlertTemplateValues): AlertTemplateValues => ({
  ...values,
  components: escapeMarkdown(values.components),
  integration: escapeMarkdown(values.integration),
  summary: escapeMarkdown(values.summary),
  labels: Object.fromEntries(
    Object.entries(values.labels).map(([name, value]) => [name, escapeMarkdown(value)]),
  ),
})

const signalNote = (signal: DraftSignal): string => {
  const { integrationName, title, message, vendorComponentId } = signal
  const text = message === '' ? title : `${title}\n${message}`
  const noun = vendorComponentId === null ? 'Alert' : 'Report'
  return `${noun} of ${integrationName}: ${text}`.slice(0, MAX_NOTE_LENGTH).toWellFormed()
}

/**
 * Applies a changed alert group: more components or a higher impact. Only a waiting draft changes
 * its content.
 */
export const updateFromSignal = (
  row: IncidentDraftRow,
  signal: DraftSignal,
  { version, componentNames, now }: Pick<DraftContext, 'version' | 'componentNames' | 'now'>,
): IncidentDraftRow => {
  const { impact, componentIds } = signal
  const updated = { ...row, version, notes: withNote(row, signalNote(signal), now), updatedAt: now }
  return row.status === 'waiting'
    ? { ...updated, impact, componentIds, ...publicTextOf(signal, componentNames) }
    : updated
}

/** Records the end of the alert and closes a waiting draft. */
export const markAlertResolved = (
  row: IncidentDraftRow,
  { version, endsAt, now }: { version: number; endsAt: string | null; now: Date },
): IncidentDraftRow => {
  const at = endsAt === null ? now : earlier(new Date(endsAt), now)
  const ended = { ...row, version, alertResolvedAt: at, updatedAt: now }
  return row.status === 'waiting' ? { ...ended, status: 'closed', publishAt: null } : ended
}

const endNotes = {
  alert: {
    ended: 'The alert has been resolved.',
    left: 'The alert has been resolved; the incident must be resolved manually.',
    resolved: 'The alert and the incident have been resolved.',
  },
  vendor: {
    ended: 'The vendor reports no disruption any more.',
    left: 'The vendor reports no disruption any more; the incident must be resolved manually.',
    resolved: 'The vendor reports no disruption any more; the incident has been resolved.',
  },
} as const

export const withEndNote = (
  row: IncidentDraftRow,
  end: keyof (typeof endNotes)['alert'],
  now: Date,
): IncidentDraftRow => {
  const cause = row.vendorComponentId === null ? 'alert' : 'vendor'
  return { ...row, notes: withNote(row, endNotes[cause][end], now) }
}

/** Update that resolves an incident published from alerts; its components become operational. */
export const resolvingUpdate = (updateId: string, endedAt: Date): IncidentEdit => {
  const time = `${endedAt.toISOString().slice(0, 19).replace('T', ' ')} UTC`
  const message = `Monitoring reports that the problem has been resolved since ${time}.`
  return {
    update: { id: updateId, status: 'resolved', message, componentStatuses: {}, byPerson: false },
    isAlwaysStored: true,
  }
}

export const vetoDraft = (row: IncidentDraftRow, now: Date): IncidentDraftRow => {
  requireWaitingDraft(row)
  const notes = withNote(row, 'Vetoed.', now)
  return { ...row, status: 'vetoed', publishAt: null, notes, updatedAt: now }
}

/**
 * Closes a draft whose components were all deleted; an incident without components would affect the
 * whole page.
 */
export const closeWithoutComponents = (row: IncidentDraftRow, now: Date): IncidentDraftRow => {
  const notes = withNote(row, 'Not published: all of its components have been deleted.', now)
  return { ...row, status: 'closed', publishAt: null, notes, updatedAt: now }
}

export const markDraftPublished = (row: IncidentDraftRow, incidentId: string, now: Date) => ({
  ...row,
  status: 'published' as const,
  publishAt: null,
  incidentId,
  updatedAt: now,
  notes: withNote(row, 'Published.', now),
})

export const requireWaitingDraft = ({ status }: IncidentDraftRow): void => {
  if (status === 'waiting') return
  throw conflict('invalid_state', `The draft is ${status} and no longer waiting`)
}

interface PublishContext {
  ids: { incidentId: string; updateId: string }
  /** Components of the draft that still exist. */
  componentIds: readonly string[]
  source: IncidentSource
  now: Date
}

/** Input for the incident, as a user would have submitted it. */
export const incidentInputOf = (
  row: IncidentDraftRow,
  { ids, componentIds, source, now }: PublishContext,
): IncidentInput => ({
  id: ids.incidentId,
  updateId: ids.updateId,
  organizationId: row.organizationId,
  title: row.title,
  status: 'investigating',
  impact: row.impact,
  message: row.message,
  componentIds,
  componentStatuses: Object.fromEntries(componentIds.map((id) => [id, statusByImpact[row.impact]])),
  startedAt: earlier(row.startedAt, now),
  nextUpdateAt: null,
  source,
  triggerComponentId: null,
})

export const presentDraft = (row: IncidentDraftRow): IncidentDraft => viewOf(IncidentDraft, row)

export const auditDraft = (before: IncidentDraftRow | null, after: IncidentDraftRow): AuditDraft =>
  draftChange(before === null ? 'create' : 'update', before, after)

const draftChange = auditChanges('incident_draft', (row: IncidentDraftRow) => auditable(row))

const auditable = ({ status, title, impact, componentIds, incidentId }: IncidentDraftRow) => ({
  status,
  title,
  impact,
  componentIds,
  incidentId,
})

const withNote = ({ notes }: IncidentDraftRow, text: string, now: Date) =>
  [...notes, { at: now.toISOString(), text }].slice(-MAX_DRAFT_NOTES)

const earlier = (left: Date, right: Date): Date => (left < right ? left : right)
