/** An incident as the API reads it and as its events tell it: with live statuses and its pages. */
import {
  type AuditDraft,
  changesBetween,
  type Event,
  type EventDraft,
  type EventSpec,
  emit,
  type Incident,
  type IncidentFact,
  type IncidentUpdate,
  incidentCreated,
  incidentDeleted,
  incidentReopened,
  incidentResolved,
  incidentUpdated,
  incidentUpdateOverdue,
} from '@status-page/contracts'
import type { Scope } from '@status-page/postgres'
import { type Ancestor, ancestorsOf, findComponents } from '../components/store.ts'
import { postmortemsOf } from '../postmortems/store.ts'
import { presentPostmortem } from '../postmortems/view.ts'
import { incidentUrl } from '../status-pages/links.ts'
import { showsIncident } from '../status-pages/shown.ts'
import { publishedPages } from '../status-pages/store.ts'
import type {
  ComponentRow,
  IncidentComponentRow,
  IncidentRow,
  IncidentUpdateRow,
  PostmortemRow,
  StatusPageRow,
} from '../tables.ts'
import { fittingFact } from './fact.ts'
import { isUpdateOverdue } from './promise.ts'
import type { Decision, Verb } from './rules.ts'
import * as store from './store.ts'

/** What is known around incidents: their lists, the components that exist, the published pages. */
interface Surroundings {
  listed: ReadonlyMap<string, readonly IncidentComponentRow[]>
  live: ReadonlyMap<string, ComponentRow>
  ancestors: ReadonlyMap<string, readonly Ancestor[]>
  /** Oldest first. */
  pages: readonly StatusPageRow[]
  baseUrl: string
  now: Date
}

export type Include = 'updates' | 'postmortem'

export const presentIncidents = async (
  scope: Scope,
  rows: readonly IncidentRow[],
  { baseUrl, include = [] }: { baseUrl: string; include?: readonly Include[] | undefined },
): Promise<Incident[]> => {
  const ids = rows.map(({ id }) => id)
  const around = await surroundings(scope, rows, baseUrl)
  const updates = include.includes('updates') ? await store.updatesOf(scope, ids) : null
  const postmortems = include.includes('postmortem') ? await postmortemsOf(scope, ids) : null
  return rows.map((row) => ({
    ...incidentOf(row, around),
    ...(updates && { updates: (updates.get(row.id) ?? []).map(presentUpdate) }),
    ...(postmortems && { postmortem: presentedOrNull(postmortems.get(row.id)) }),
  }))
}

const presentedOrNull = (row: PostmortemRow | undefined) =>
  row === undefined ? null : presentPostmortem(row)

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

export type ToldVerb = Verb | 'deleted' | 'overdue'

const kinds: Record<ToldVerb, Fact> = {
  created: incidentCreated,
  updated: incidentUpdated,
  resolved: incidentResolved,
  reopened: incidentReopened,
  deleted: incidentDeleted,
  overdue: incidentUpdateOverdue,
}

interface Telling {
  verb: ToldVerb
  message: string
  notifySubscribers: boolean
  baseUrl: string
}

/** The event about a change that is already stored; `message` is that of its update. */
export const stateIncident = async (
  scope: Scope,
  row: IncidentRow,
  told: Telling,
): Promise<EventDraft> => {
  const around = await surroundings(scope, [row], told.baseUrl)
  return emit(kinds[told.verb], row, { incident: factOf(row, around, told) })
}

/** The same of an incident that is only thought of. */
export const imagineIncident = async (
  scope: Scope,
  { incident, components }: Pick<Decision, 'incident' | 'components'>,
  told: Pick<Telling, 'notifySubscribers' | 'baseUrl'>,
): Promise<IncidentFact> => {
  const listed = new Map([[incident.id, components]])
  const around = await surroundingsOf(scope, listed, told.baseUrl)
  return factOf(incident, around, { ...told, message: incident.message })
}

const factOf = (
  row: IncidentRow,
  around: Surroundings,
  { message, notifySubscribers }: Pick<Telling, 'message' | 'notifySubscribers'>,
): IncidentFact =>
  fittingFact({
    ...{ id: row.id, title: row.title, status: row.status, impact: row.impact },
    message,
    components: componentsOf(row, around).map((component) => ({
      ...component,
      isMuted: around.live.get(component.id)?.isMuted ?? false,
      ancestorIds: (around.ancestors.get(component.id) ?? []).map(({ id }) => id),
    })),
    startedAt: row.startedAt.toISOString(),
    resolvedAt: row.resolvedAt?.toISOString() ?? null,
    nextUpdateAt: row.nextUpdateAt?.toISOString() ?? null,
    url: urlOf(row, around),
    statusPageIds: pagesOf(row, around).map(({ id }) => id),
    notifySubscribers,
  })

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

/** An update has no name of its own: it goes by its incident's title. */
export const auditUpdate = (
  verb: 'create' | 'update' | 'delete',
  { title }: IncidentRow,
  { before, after }: { before: IncidentUpdateRow | null; after: IncidentUpdateRow },
): AuditDraft => ({
  action: `incident_update.${verb}`,
  entityType: 'incident_update',
  entityId: after.id,
  entityName: title,
  changes:
    verb === 'delete'
      ? {}
      : changesBetween(before && auditableUpdate(before), auditableUpdate(after)),
})

const auditableUpdate = (update: IncidentUpdateRow) => ({
  status: update.status,
  message: update.message,
  componentStatuses: update.componentStatuses,
  displayAt: update.displayAt.toISOString(),
})

const auditable = ({ title, status, impact, message, startedAt, nextUpdateAt }: IncidentRow) => ({
  ...{ title, status, impact, message },
  startedAt: startedAt.toISOString(),
  nextUpdateAt: nextUpdateAt?.toISOString() ?? null,
})

const surroundings = async (
  scope: Scope,
  rows: readonly IncidentRow[],
  baseUrl: string,
): Promise<Surroundings> => {
  const ids = rows.map(({ id }) => id)
  return surroundingsOf(scope, await store.componentsOf(scope, ids), baseUrl)
}

const surroundingsOf = async (
  scope: Scope,
  listed: Surroundings['listed'],
  baseUrl: string,
): Promise<Surroundings> => {
  const ids = [...listed.values()].flat().map(({ componentId }) => componentId)
  const live = await findComponents(scope, [...new Set(ids)])
  const ancestors = await ancestorsOf(scope, [...live.keys()])
  return { listed, live, ancestors, pages: await publishedPages(scope), baseUrl, now: scope.now }
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
  nextUpdateAt: row.nextUpdateAt?.toISOString() ?? null,
  isUpdateOverdue: isUpdateOverdue(row, around.now),
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
