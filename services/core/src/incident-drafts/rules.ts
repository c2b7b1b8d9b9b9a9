/** What becomes of a draft: proposed by an alert, published, vetoed, or closed by its end. Pure. */
import {
  type AlertSignal,
  type AuditDraft,
  changesBetween,
  conflict,
  type Impact,
  type IncidentComponentStatus,
  type IncidentDraft,
  type IncidentSource,
  MAX_DRAFT_NOTES,
} from '@status-page/contracts'
import type { Opening } from '../incidents/rules.ts'
import type { IncidentDraftRow } from '../tables.ts'

const MINUTE_MS = 60_000

/** Null where an alert that nobody heard of has ended. */
export const draftFrom = (
  signal: AlertSignal,
  { organizationId, version, now }: { organizationId: string; version: number; now: Date },
): IncidentDraftRow | null => {
  if (signal.status === 'resolved') return null
  const { id, title, message, impact, componentIds, integrationId, publishAfterMinutes } = signal
  return {
    ...{ id, organizationId, version, status: 'waiting', title, message, impact, componentIds },
    startedAt: earlier(new Date(signal.startsAt), now),
    integrationId,
    publishAt:
      publishAfterMinutes === null
        ? null
        : new Date(now.getTime() + publishAfterMinutes * MINUTE_MS),
    ...{ alertResolvedAt: null, incidentId: null },
    notes: [{ at: now.toISOString(), text: `Alert of ${signal.integrationName}.` }],
    ...{ createdAt: now, updatedAt: now },
  }
}

/** The alert has ended: what waits is closed, of what was published people are told. */
export const onResolved = (
  row: IncidentDraftRow,
  { version, endsAt, now }: { version: number; endsAt: string | null; now: Date },
): IncidentDraftRow => {
  const at = endsAt === null ? now : earlier(new Date(endsAt), now)
  const ended = { ...row, version, alertResolvedAt: at, updatedAt: now }
  const told =
    row.status === 'published'
      ? 'The alert has been resolved; the incident is for people to resolve.'
      : 'The alert has been resolved.'
  const noted = { ...ended, notes: withNote(row, told, now) }
  return row.status === 'waiting' ? { ...noted, status: 'closed', publishAt: null } : noted
}

export const veto = (row: IncidentDraftRow, now: Date): IncidentDraftRow => {
  mustWait(row)
  const notes = withNote(row, 'Vetoed.', now)
  return { ...row, status: 'vetoed', publishAt: null, notes, updatedAt: now }
}

/** Nothing is left that it could be about: it is not to become one about everything. */
export const closeEmpty = (row: IncidentDraftRow, now: Date): IncidentDraftRow => {
  const notes = withNote(row, 'Not published: none of its components is left.', now)
  return { ...row, status: 'closed', publishAt: null, notes, updatedAt: now }
}

export const published = (row: IncidentDraftRow, incidentId: string, now: Date) => ({
  ...row,
  ...{ status: 'published' as const, publishAt: null, incidentId, updatedAt: now },
  notes: withNote(row, 'Published.', now),
})

export const mustWait = ({ status }: IncidentDraftRow): void => {
  if (status === 'waiting') return
  throw conflict('invalid_state', `The draft is ${status} and no longer waiting`)
}

const statusOfImpact: Record<Impact, IncidentComponentStatus> = {
  minor: 'degraded_performance',
  major: 'partial_outage',
  critical: 'major_outage',
}

interface Publishing {
  ids: { incidentId: string; updateId: string }
  /** Of its components those that are left. */
  componentIds: readonly string[]
  source: IncidentSource
  now: Date
}

/** As a person would open it. */
export const openingOf = (
  row: IncidentDraftRow,
  { ids, componentIds, source, now }: Publishing,
): Opening => ({
  ...{ id: ids.incidentId, updateId: ids.updateId, organizationId: row.organizationId },
  ...{ title: row.title, status: 'investigating', impact: row.impact, message: row.message },
  componentIds,
  componentStatuses: Object.fromEntries(componentIds.map((id) => [id, statusOfImpact[row.impact]])),
  startedAt: earlier(row.startedAt, now),
  ...{ nextUpdateAt: null, source, triggerComponentId: null },
})

export const presentDraft = (row: IncidentDraftRow): IncidentDraft => ({
  ...{ id: row.id, status: row.status, title: row.title, message: row.message },
  ...{ impact: row.impact, componentIds: row.componentIds, integrationId: row.integrationId },
  startedAt: row.startedAt.toISOString(),
  publishAt: row.publishAt?.toISOString() ?? null,
  alertResolvedAt: row.alertResolvedAt?.toISOString() ?? null,
  ...{ incidentId: row.incidentId, notes: row.notes },
  ...{ createdAt: row.createdAt.toISOString(), updatedAt: row.updatedAt.toISOString() },
})

export const auditDraft = (
  before: IncidentDraftRow | null,
  after: IncidentDraftRow,
): AuditDraft => ({
  action: before === null ? 'incident_draft.create' : 'incident_draft.update',
  ...{ entityType: 'incident_draft', entityId: after.id, entityName: after.title },
  changes: changesBetween(before === null ? null : auditable(before), auditable(after)),
})

const auditable = ({ status, title, impact, componentIds, incidentId }: IncidentDraftRow) => ({
  ...{ status, title, impact, componentIds, incidentId },
})

const withNote = ({ notes }: IncidentDraftRow, text: string, now: Date) =>
  [...notes, { at: now.toISOString(), text }].slice(-MAX_DRAFT_NOTES)

const earlier = (left: Date, right: Date): Date => (left < right ? left : right)
