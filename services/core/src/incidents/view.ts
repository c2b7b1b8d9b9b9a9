/** Representation of an incident in the API and in events, with current statuses and its pages. */
import {
  type AuditDraft,
  changesBetween,
  type Event,
  type EventDraft,
  type EventSpec,
  emit,
  type Incident,
  type IncidentEventData,
  type IncidentUpdate,
  incidentCreated,
  incidentDeleted,
  incidentReopened,
  incidentResolved,
  incidentUpdated,
  incidentUpdateOverdue,
} from '@status-page/contracts'
import type { Scope } from '@status-page/postgres'
import { postmortemsOf } from '../postmortems/store.ts'
import { presentPostmortem } from '../postmortems/view.ts'
import {
  type AffectedContext,
  affectedComponents,
  eventPagesOf,
  incidentContextOf,
  linkedPage,
  toldComponents,
} from '../status-pages/affected.ts'
import { incidentUrl } from '../status-pages/links.ts'
import type { IncidentRow, IncidentUpdateRow, PostmortemRow } from '../tables.ts'
import { automaticTexts } from './automatic-texts.ts'
import { fitEventSize } from './fact.ts'
import { isUpdateOverdue } from './next-update.ts'
import type { IncidentDecision, IncidentVerb } from './rules.ts'
import * as store from './store.ts'

/** Related rows that the representation of incidents needs. */
interface Around extends AffectedContext {
  baseUrl: string
  now: Date
}

export type IncidentInclude = 'updates' | 'postmortem'

export const presentIncidents = async (
  scope: Scope,
  rows: readonly IncidentRow[],
  { baseUrl, include = [] }: { baseUrl: string; include?: readonly IncidentInclude[] | undefined },
): Promise<Incident[]> => {
  const ids = rows.map(({ id }) => id)
  const around = await loadIncidentContext(scope, rows, baseUrl)
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

export type ToldVerb = IncidentVerb | 'deleted' | 'overdue'

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

/** Event of a change that is already stored; `message` is the message of its update. */
export const incidentEvent = async (
  scope: Scope,
  row: IncidentRow,
  told: Telling,
): Promise<EventDraft> => {
  const around = await loadIncidentContext(scope, [row], told.baseUrl)
  return emit(kinds[told.verb], row, { incident: factOf(row, around, told) })
}

/** Event data of an unsaved incident, for the audience preview. */
export const previewIncidentEvent = async (
  scope: Scope,
  { incident, components }: Pick<IncidentDecision, 'incident' | 'components'>,
  told: Pick<Telling, 'notifySubscribers' | 'baseUrl'>,
): Promise<IncidentEventData> => {
  const listed = Promise.resolve(new Map([[incident.id, components]]))
  const { baseUrl } = told
  const around = { ...(await incidentContextOf(scope, listed)), baseUrl, now: scope.now }
  return factOf(incident, around, { ...told, message: incident.message })
}

const factOf = (
  row: IncidentRow,
  around: Around,
  { message, notifySubscribers }: Pick<Telling, 'message' | 'notifySubscribers'>,
): IncidentEventData =>
  fitEventSize({
    id: row.id,
    title: row.title,
    status: row.status,
    impact: row.impact,
    message,
    components: toldComponents(row.id, around),
    startedAt: row.startedAt.toISOString(),
    resolvedAt: row.resolvedAt?.toISOString() ?? null,
    nextUpdateAt: row.nextUpdateAt?.toISOString() ?? null,
    url: urlOf(row, around),
    ...eventPagesOf(row.id, around, (slug) => incidentUrl(around.baseUrl, slug, row.id)),
    ...automaticTexts(row, message, namesIn(row.id, around)),
    notifySubscribers,
  })

/** Listed components, each with its current name and its name when it was listed. */
const namesIn = (id: string, { listed, live }: Around) =>
  (listed.get(id) ?? []).map(({ componentId, name }) => ({
    id: componentId,
    names: [name, ...[live.get(componentId)?.name ?? []].flat()],
  }))

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

/** Audit entry of an update, named after its incident, since updates have no name. */
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
  title,
  status,
  impact,
  message,
  startedAt: startedAt.toISOString(),
  nextUpdateAt: nextUpdateAt?.toISOString() ?? null,
})

const loadIncidentContext = async (
  scope: Scope,
  rows: readonly IncidentRow[],
  baseUrl: string,
): Promise<Around> => {
  const ids = rows.map(({ id }) => id)
  const around = await incidentContextOf(scope, store.componentsOf(scope, ids))
  return { ...around, baseUrl, now: scope.now }
}

const incidentOf = (row: IncidentRow, around: Around): Incident => ({
  id: row.id,
  title: row.title,
  status: row.status,
  impact: row.impact,
  message: row.message,
  components: affectedComponents(row.id, around),
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

const urlOf = ({ id }: IncidentRow, around: Around): string | null => {
  const page = linkedPage(id, around)
  return page === undefined ? null : incidentUrl(around.baseUrl, page.slug, id)
}
