/** A maintenance as the API reads it and as its events tell it: with live statuses and its pages. */
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
import { type Ancestor, ancestorsOf, findComponents } from '../components/store.ts'
import { fittingMaintenance } from '../incidents/fact.ts'
import { maintenanceUrl } from '../status-pages/links.ts'
import { showsIncident } from '../status-pages/shown.ts'
import { publishedPages } from '../status-pages/store.ts'
import type {
  ComponentRow,
  MaintenanceComponentRow,
  MaintenanceRow,
  MaintenanceUpdateRow,
  StatusPageRow,
} from '../tables.ts'
import type { Decision, Verb } from './rules.ts'
import * as store from './store.ts'

/** What is known around maintenances: their lists, the components that exist, the published pages. */
interface Surroundings {
  listed: ReadonlyMap<string, readonly MaintenanceComponentRow[]>
  live: ReadonlyMap<string, ComponentRow>
  ancestors: ReadonlyMap<string, readonly Ancestor[]>
  /** Oldest first. */
  pages: readonly StatusPageRow[]
  baseUrl: string
}

export const presentMaintenances = async (
  scope: Scope,
  rows: readonly MaintenanceRow[],
  options: { baseUrl: string; withUpdates: boolean },
): Promise<Maintenance[]> => {
  const around = await surroundings(scope, rows, options.baseUrl)
  if (!options.withUpdates) return rows.map((row) => maintenanceOf(row, around))
  const updates = await store.updatesOf(
    scope,
    rows.map(({ id }) => id),
  )
  return rows.map((row) => ({
    ...maintenanceOf(row, around),
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

const kinds: Record<Verb, Fact> = {
  scheduled: maintenanceScheduled,
  started: maintenanceStarted,
  updated: maintenanceUpdated,
  completed: maintenanceCompleted,
  reminded: maintenanceReminder,
}

/** The event about a decision that is already stored. */
export const stateMaintenance = async (
  scope: Scope,
  { maintenance: row, update, news }: Decision,
  told: { verb: Verb; baseUrl: string },
): Promise<EventDraft> => {
  const around = await surroundings(scope, [row], told.baseUrl)
  const maintenance = fittingMaintenance({
    ...{ id: row.id, title: row.title, status: row.status },
    // A reminder says again what the plan is.
    message: told.verb === 'reminded' ? row.message : (update?.message ?? ''),
    ...timesOf(row),
    components: componentsOf(row, around).map((component) => ({
      ...component,
      isMuted: around.live.get(component.id)?.isMuted ?? false,
      ancestorIds: (around.ancestors.get(component.id) ?? []).map(({ id }) => id),
    })),
    url: urlOf(row, around),
    statusPageIds: pagesOf(row, around).map(({ id }) => id),
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
  ...{ title: row.title, message: row.message, status: row.status },
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

const surroundings = async (
  scope: Scope,
  rows: readonly MaintenanceRow[],
  baseUrl: string,
): Promise<Surroundings> => {
  const listed = await store.componentsOf(
    scope,
    rows.map(({ id }) => id),
  )
  const ids = [...listed.values()].flat().map(({ componentId }) => componentId)
  const live = await findComponents(scope, [...new Set(ids)])
  const ancestors = await ancestorsOf(scope, [...live.keys()])
  return { listed, live, ancestors, pages: await publishedPages(scope), baseUrl }
}

const maintenanceOf = (row: MaintenanceRow, around: Surroundings): Maintenance => ({
  ...{ id: row.id, title: row.title, message: row.message, status: row.status },
  ...timesOf(row),
  components: componentsOf(row, around),
  ...flagsOf(row),
  version: row.version,
  url: urlOf(row, around),
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
})

/** Name and status of now; of a component that is gone the last known ones. */
const componentsOf = ({ id }: MaintenanceRow, { listed, live }: Surroundings) =>
  (listed.get(id) ?? []).map(({ componentId, name, status }) => {
    const { name: nameNow, status: statusNow } = live.get(componentId) ?? { name, status }
    return { id: componentId, name: nameNow, status: statusNow }
  })

/** By the rule of incidents. */
const pagesOf = ({ id }: MaintenanceRow, { listed, live, ancestors, pages }: Surroundings) => {
  const rows = listed.get(id) ?? []
  const placed = rows.flatMap(({ componentId }) => {
    const component = live.get(componentId)
    return component === undefined
      ? []
      : [{ component, ancestors: ancestors.get(componentId) ?? [] }]
  })
  return pages.filter((page) => showsIncident(page, { ids: rows.length, placed }))
}

const urlOf = (row: MaintenanceRow, around: Surroundings): string | null => {
  const [oldest] = pagesOf(row, around)
  return oldest === undefined ? null : maintenanceUrl(around.baseUrl, oldest.slug, row.id)
}
