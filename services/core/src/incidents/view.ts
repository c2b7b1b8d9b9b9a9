/** An incident as the API reads it and as its events tell it: with live statuses and its pages. */
import {
  type AuditDraft,
  changesBetween,
  type Event,
  type EventDraft,
  type EventSpec,
  emit,
  type Incident,
  type IncidentUpdate,
  incidentCreated,
  incidentDeleted,
  incidentReopened,
  incidentResolved,
  incidentUpdated,
} from '@status-page/contracts'
import type { Scope } from '@status-page/postgres'
import { type Ancestor, ancestorsOf, findComponents } from '../components/store.ts'
import { incidentUrl } from '../status-pages/links.ts'
import { showsIncident } from '../status-pages/shown.ts'
import { publishedPages } from '../status-pages/store.ts'
import type {
  ComponentRow,
  IncidentComponentRow,
  IncidentRow,
  IncidentUpdateRow,
  StatusPageRow,
} from '../tables.ts'
import type { Verb } from './rules.ts'
import * as store from './store.ts'

/** What is known around incidents: their lists, the components that exist, the published pages. */
interface Surroundings {
  listed: ReadonlyMap<string, readonly IncidentComponentRow[]>
  live: ReadonlyMap<string, ComponentRow>
  ancestors: ReadonlyMap<string, readonly Ancestor[]>
  /** Oldest first. */
  pages: readonly StatusPageRow[]
  baseUrl: string
}

export const presentIncidents = async (
  scope: Scope,
  rows: readonly IncidentRow[],
  options: { baseUrl: string; withUpdates: boolean },
): Promise<Incident[]> => {
  const around = await surroundings(scope, rows, options.baseUrl)
  if (!options.withUpdates) return rows.map((row) => incidentOf(row, around))
  const updates = await store.updatesOf(
    scope,
    rows.map(({ id }) => id),
  )
  return rows.map((row) => ({
    ...incidentOf(row, around),
    updates: (updates.get(row.id) ?? []).map(presentUpdate),
  }))
}

export const presentUpdate = (row: IncidentUpdateRow): IncidentUpdate => ({
  id: row.id,
  status: row.status,
  message: row.message,
  componentStatuses: row.componentStatuses,
  displayAt: row.displayAt.toISOString(),
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
})

type Fact = Event<EventSpec & { data: typeof incidentCreated.data }>

const kinds: Record<Verb | 'deleted', Fact> = {
  created: incidentCreated,
  updated: incidentUpdated,
  resolved: incidentResolved,
  reopened: incidentReopened,
  deleted: incidentDeleted,
}

/** The event about a change that is already stored; `message` is that of its update. */
export const stateIncident = async (
  scope: Scope,
  row: IncidentRow,
  told: { verb: Verb | 'deleted'; message: string; notifySubscribers: boolean; baseUrl: string },
): Promise<EventDraft> => {
  const around = await surroundings(scope, [row], told.baseUrl)
  const pages = pagesOf(row, around)
  return emit(kinds[told.verb], row, {
    incident: {
      ...{ id: row.id, title: row.title, status: row.status, impact: row.impact },
      message: told.message,
      components: componentsOf(row, around).map((component) => ({
        ...component,
        isMuted: around.live.get(component.id)?.isMuted ?? false,
        ancestorIds: (around.ancestors.get(component.id) ?? []).map(({ id }) => id),
      })),
      startedAt: row.startedAt.toISOString(),
      resolvedAt: row.resolvedAt?.toISOString() ?? null,
      url: urlOf(row, around),
      statusPageIds: pages.map(({ id }) => id),
      notifySubscribers: told.notifySubscribers,
    },
  })
}

export const auditIncident = (
  verb: 'create' | 'update' | 'delete',
  before: IncidentRow | null,
  after: IncidentRow,
): AuditDraft => ({
  action: `incident.${verb}`,
  entityType: 'incident',
  entityId: after.id,
  entityName: after.title,
  changes:
    verb === 'delete'
      ? {}
      : changesBetween(before === null ? null : auditable(before), auditable(after)),
})

export const auditUpdate = ({ title }: IncidentRow, update: IncidentUpdateRow): AuditDraft => ({
  action: 'incident_update.create',
  entityType: 'incident_update',
  entityId: update.id,
  entityName: title,
  changes: changesBetween(null, {
    status: update.status,
    message: update.message,
    componentStatuses: update.componentStatuses,
  }),
})

const auditable = ({ title, status, impact, message, startedAt }: IncidentRow) => ({
  ...{ title, status, impact, message },
  startedAt: startedAt.toISOString(),
})

const surroundings = async (
  scope: Scope,
  rows: readonly IncidentRow[],
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

const incidentOf = (row: IncidentRow, around: Surroundings): Incident => ({
  id: row.id,
  title: row.title,
  status: row.status,
  impact: row.impact,
  message: row.message,
  components: componentsOf(row, around),
  source: row.source,
  isAutoCreated: row.isAutoCreated,
  triggerComponentId: row.triggerComponentId,
  autoResolved: row.autoResolved,
  startedAt: row.startedAt.toISOString(),
  resolvedAt: row.resolvedAt?.toISOString() ?? null,
  reopenedAt: row.reopenedAt?.toISOString() ?? null,
  reopenCount: row.reopenCount,
  version: row.version,
  url: urlOf(row, around),
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
})

/** Name and status of now; of a component that is gone the last known ones. */
const componentsOf = ({ id }: IncidentRow, { listed, live }: Surroundings) =>
  (listed.get(id) ?? []).map(({ componentId, name, status }) => {
    const { name: nameNow, status: statusNow } = live.get(componentId) ?? { name, status }
    return { id: componentId, name: nameNow, status: statusNow }
  })

const pagesOf = ({ id }: IncidentRow, { listed, live, ancestors, pages }: Surroundings) => {
  const rows = listed.get(id) ?? []
  const placed = rows.flatMap(({ componentId }) => {
    const component = live.get(componentId)
    return component === undefined
      ? []
      : [{ component, ancestors: ancestors.get(componentId) ?? [] }]
  })
  return pages.filter((page) => showsIncident(page, { ids: rows.length, placed }))
}

const urlOf = (row: IncidentRow, around: Surroundings): string | null => {
  const [oldest] = pagesOf(row, around)
  return oldest === undefined ? null : incidentUrl(around.baseUrl, oldest.slug, row.id)
}
