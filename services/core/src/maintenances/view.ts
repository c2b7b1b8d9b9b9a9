/**
 * Representation of a maintenance in the API and in events, with current statuses and its pages.
 */
import {
  type AuditDraft,
  changesBetween,
  type Event,
  type EventDraft,
  type EventSpec,
  emit,
  type Maintenance,
  type MaintenanceUpdate,
  maintenanceCompleted,
  maintenanceReminder,
  maintenanceScheduled,
  maintenanceStarted,
  maintenanceUpdated,
} from '@status-page/contracts'
import type { Scope } from '@status-page/postgres'
import { fittingMaintenance } from '../incidents/fact.ts'
import {
  type AffectedContext,
  affectedComponents,
  eventPagesOf,
  incidentContextOf,
  linkedPage,
  toldComponents,
} from '../status-pages/affected.ts'
import { maintenanceUrl } from '../status-pages/links.ts'
import type { MaintenanceRow, MaintenanceUpdateRow } from '../tables.ts'
import type { MaintenanceDecision, MaintenanceVerb } from './rules.ts'
import * as store from './store.ts'

export const presentMaintenances = async (
  scope: Scope,
  rows: readonly MaintenanceRow[],
  { baseUrl, withUpdates }: { baseUrl: string; withUpdates: boolean },
): Promise<Maintenance[]> => {
  const around = await loadIncidentContext(scope, rows)
  if (!withUpdates) return rows.map((row) => maintenanceOf(row, around, baseUrl))
  const updates = await store.updatesOf(
    scope,
    rows.map(({ id }) => id),
  )
  return rows.map((row) => ({
    ...maintenanceOf(row, around, baseUrl),
    updates: (updates.get(row.id) ?? []).map(presentUpdate),
  }))
}

export const presentUpdate = (row: MaintenanceUpdateRow): MaintenanceUpdate => ({
  id: row.id,
  status: row.status,
  message: row.message,
  displayAt: row.displayAt.toISOString(),
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
})

type Fact = Event<EventSpec & { data: typeof maintenanceScheduled.data }>

const kinds: Record<MaintenanceVerb, Fact> = {
  scheduled: maintenanceScheduled,
  started: maintenanceStarted,
  updated: maintenanceUpdated,
  completed: maintenanceCompleted,
  reminded: maintenanceReminder,
}

/** Event of a decision that is already stored. */
export const maintenanceEvent = async (
  scope: Scope,
  { maintenance: row, update, news }: MaintenanceDecision,
  told: { verb: MaintenanceVerb; baseUrl: string },
): Promise<EventDraft> => {
  const around = await loadIncidentContext(scope, [row])
  const maintenance = fittingMaintenance({
    id: row.id,
    title: row.title,
    status: row.status,
    // Reminders repeat the message of the plan.
    message: told.verb === 'reminded' ? row.message : (update?.message ?? ''),
    ...timesOf(row),
    components: toldComponents(row.id, around),
    url: urlOf(row, around, told.baseUrl),
    ...eventPagesOf(row.id, around, (slug) => maintenanceUrl(told.baseUrl, slug, row.id)),
    notifySubscribers: row.notifySubscribers,
    news,
  })
  return emit(kinds[told.verb], row, { maintenance })
}

export const auditMaintenance = (
  verb: 'create' | 'update' | 'delete',
  before: MaintenanceRow | null,
  after: MaintenanceRow,
): AuditDraft => ({
  action: `maintenance.${verb}`,
  entityType: 'maintenance',
  entityId: after.id,
  entityName: after.title,
  changes: changesBetween(before === null ? null : auditable(before), auditable(after)),
})

const auditable = (row: MaintenanceRow) => ({
  title: row.title,
  message: row.message,
  status: row.status,
  scheduledFor: row.scheduledFor.toISOString(),
  scheduledUntil: row.scheduledUntil.toISOString(),
  ...flagsOf(row),
})

const flagsOf = (row: MaintenanceRow) => ({
  autoStart: row.autoStart,
  autoComplete: row.autoComplete,
  setUnderMaintenance: row.setUnderMaintenance,
  restoreOnComplete: row.restoreOnComplete,
  notifySubscribers: row.notifySubscribers,
  remindBeforeMinutes: row.remindBeforeMinutes,
  recurrence: row.recurrence,
  recurrenceOf: row.recurrenceOf,
})

const timesOf = (row: MaintenanceRow) => ({
  scheduledFor: row.scheduledFor.toISOString(),
  scheduledUntil: row.scheduledUntil.toISOString(),
  startedAt: row.startedAt?.toISOString() ?? null,
  completedAt: row.completedAt?.toISOString() ?? null,
  cancelledAt: row.cancelledAt?.toISOString() ?? null,
})

const loadIncidentContext = (
  scope: Scope,
  rows: readonly MaintenanceRow[],
): Promise<AffectedContext> =>
  incidentContextOf(
    scope,
    store.componentsOf(
      scope,
      rows.map(({ id }) => id),
    ),
  )

const maintenanceOf = (
  row: MaintenanceRow,
  around: AffectedContext,
  baseUrl: string,
): Maintenance => ({
  id: row.id,
  title: row.title,
  message: row.message,
  status: row.status,
  ...timesOf(row),
  components: affectedComponents(row.id, around),
  ...flagsOf(row),
  version: row.version,
  url: urlOf(row, around, baseUrl),
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
})

const urlOf = ({ id }: MaintenanceRow, around: AffectedContext, baseUrl: string): string | null => {
  const page = linkedPage(id, around)
  return page === undefined ? null : maintenanceUrl(baseUrl, page.slug, id)
}
