/**
 * Representation of a maintenance in the API and in events, with current statuses and its pages.
 */
import {
  auditChanges,
  draftEvent,
  type EventDraft,
  Maintenance,
  MaintenanceUpdate,
  viewOf,
} from '@status-page/contracts'
import type { Scope } from '@status-page/postgres'
import { fitMaintenanceEventSize } from '../event-size.ts'
import {
  type AffectedContext,
  affectedComponents,
  eventComponents,
  eventPagesOf,
  linkedPage,
  loadAffectedContext,
} from '../status-pages/settings/affected.ts'
import { maintenanceUrl } from '../status-pages/settings/links.ts'
import type { MaintenanceRow, MaintenanceUpdateRow } from '../tables.ts'
import { maintenanceUpdateTexts, validateIncluded } from '../update-bounds.ts'
import {
  type MaintenanceChangeKind,
  type MaintenanceDecision,
  maintenanceChangeEvents,
  planOptions,
} from './state.ts'
import * as store from './store.ts'

export const presentMaintenances = async (
  scope: Scope,
  rows: readonly MaintenanceRow[],
  { baseUrl, withUpdates }: { baseUrl: string; withUpdates: boolean },
): Promise<Maintenance[]> => {
  const context = await loadContext(scope, rows)
  if (!withUpdates) return rows.map((row) => maintenanceOf(row, context, baseUrl))
  const ids = rows.map(({ id }) => id)
  await validateIncluded(scope, [maintenanceUpdateTexts], ids)
  const updates = await store.updatesOf(scope, ids)
  return rows.map((row) => ({
    ...maintenanceOf(row, context, baseUrl),
    updates: (updates.get(row.id) ?? []).map(presentUpdate),
  }))
}

export const presentUpdate = (row: MaintenanceUpdateRow): MaintenanceUpdate =>
  viewOf(MaintenanceUpdate, row)

/** Event of a decision that is already stored. */
export const maintenanceEvent = async (
  scope: Scope,
  { maintenance: row, update, news }: MaintenanceDecision,
  options: { verb: MaintenanceChangeKind; baseUrl: string },
): Promise<EventDraft> => {
  const context = await loadContext(scope, [row])
  const maintenance = fitMaintenanceEventSize({
    id: row.id,
    title: row.title,
    status: row.status,
    // Reminders repeat the message of the plan.
    message: options.verb === 'reminded' ? row.message : (update?.message ?? ''),
    ...timesOf(row),
    components: eventComponents(row.id, context),
    url: urlOf(row, context, options.baseUrl),
    ...eventPagesOf(row.id, context, (slug) => maintenanceUrl(options.baseUrl, slug, row.id)),
    notifySubscribers: row.notifySubscribers,
    news,
  })
  return draftEvent(maintenanceChangeEvents[options.verb], row, { maintenance })
}

export const auditMaintenance = auditChanges('maintenance', (row: MaintenanceRow) => auditable(row))

const auditable = (row: MaintenanceRow) => ({
  title: row.title,
  status: row.status,
  scheduledFor: row.scheduledFor.toISOString(),
  scheduledUntil: row.scheduledUntil.toISOString(),
  ...planOptions(row),
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

const loadContext = (scope: Scope, rows: readonly MaintenanceRow[]): Promise<AffectedContext> =>
  loadAffectedContext(
    scope,
    store.componentsOf(
      scope,
      rows.map(({ id }) => id),
    ),
  )

const maintenanceOf = (
  row: MaintenanceRow,
  context: AffectedContext,
  baseUrl: string,
): Maintenance =>
  viewOf(Maintenance, {
    ...row,
    components: affectedComponents(row.id, context),
    url: urlOf(row, context, baseUrl),
  })

const urlOf = (
  { id }: MaintenanceRow,
  context: AffectedContext,
  baseUrl: string,
): string | null => {
  const page = linkedPage(id, context)
  return page === undefined ? null : maintenanceUrl(baseUrl, page.slug, id)
}
