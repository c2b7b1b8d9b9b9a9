/** Representation of an incident in the API and in events, with current statuses and its pages. */
import {
  type AuditDraft,
  auditChanges,
  changesBetween,
  draftAudit,
  draftEvent,
  type EventDraft,
  Incident,
  type IncidentEventData,
  IncidentUpdate,
  incidentCreated,
  incidentDeleted,
  incidentReopened,
  incidentResolved,
  incidentUpdated,
  incidentUpdateOverdue,
  viewOf,
} from '@status-page/contracts'
import type { Scope } from '@status-page/postgres'
import { fitIncidentEventSize } from '../event-size.ts'
import {
  type AffectedContext,
  affectedComponents,
  eventComponents,
  eventPagesOf,
  linkedPage,
  loadAffectedContext,
} from '../status-pages/settings/affected.ts'
import { incidentUrl } from '../status-pages/settings/links.ts'
import type { IncidentRow, IncidentUpdateRow, PostmortemRow } from '../tables.ts'
import { incidentUpdateTexts, postmortemTexts, validateIncluded } from '../update-bounds.ts'
import { automaticTexts } from './automatic-texts.ts'
import { isUpdateOverdue } from './next-update.ts'
import { postmortemsOf } from './postmortems/store.ts'
import { presentPostmortem } from './postmortems/view.ts'
import type { IncidentChangeKind, IncidentDecision } from './rules.ts'
import * as store from './store.ts'

/** Related rows that the representation of incidents needs. */
interface IncidentContext extends AffectedContext {
  baseUrl: string
  now: Date
}

export type IncidentInclude = 'updates' | 'postmortem'

const includedTexts = { updates: incidentUpdateTexts, postmortem: postmortemTexts }

export const presentIncidents = async (
  scope: Scope,
  rows: readonly IncidentRow[],
  { baseUrl, include = [] }: { baseUrl: string; include?: readonly IncidentInclude[] | undefined },
): Promise<Incident[]> => {
  const ids = rows.map(({ id }) => id)
  await validateIncluded(
    scope,
    include.map((name) => includedTexts[name]),
    ids,
  )
  const context = await loadIncidentContext(scope, rows, baseUrl)
  const updates = include.includes('updates') ? await store.updatesOf(scope, ids) : null
  const postmortems = include.includes('postmortem') ? await postmortemsOf(scope, ids) : null
  return rows.map((row) => ({
    ...incidentOf(row, context),
    ...(updates && { updates: (updates.get(row.id) ?? []).map(presentUpdate) }),
    ...(postmortems && { postmortem: presentPostmortemOrNull(postmortems.get(row.id)) }),
  }))
}

const presentPostmortemOrNull = (row: PostmortemRow | undefined) =>
  row === undefined ? null : presentPostmortem(row)

export const presentUpdate = (row: IncidentUpdateRow): IncidentUpdate => viewOf(IncidentUpdate, row)

export type IncidentEventVerb = IncidentChangeKind | 'deleted' | 'overdue'

const kinds = {
  created: incidentCreated,
  updated: incidentUpdated,
  resolved: incidentResolved,
  reopened: incidentReopened,
  deleted: incidentDeleted,
  overdue: incidentUpdateOverdue,
}

interface IncidentEventInput {
  verb: IncidentEventVerb
  message: string
  notifySubscribers: boolean
  /** Notifies only destinations that have no notification of the incident yet. */
  isCatchUp?: boolean
  baseUrl: string
}

/** Event of a change that is already stored; `message` is the message of its update. */
export const incidentEvent = async (
  scope: Scope,
  row: IncidentRow,
  input: IncidentEventInput,
): Promise<EventDraft> => {
  const context = await loadIncidentContext(scope, [row], input.baseUrl)
  return draftEvent(kinds[input.verb], row, { incident: toEventData(row, context, input) })
}

/** Event data of an unsaved incident, for the audience preview. */
export const previewIncidentEvent = async (
  scope: Scope,
  { incident, components }: Pick<IncidentDecision, 'incident' | 'components'>,
  input: Pick<IncidentEventInput, 'notifySubscribers' | 'baseUrl'>,
): Promise<IncidentEventData> => {
  const listed = Promise.resolve(new Map([[incident.id, components]]))
  const { baseUrl } = input
  const context = { ...(await loadAffectedContext(scope, listed)), baseUrl, now: scope.now }
  return toEventData(incident, context, { ...input, message: incident.message })
}

const toEventData = (
  row: IncidentRow,
  context: IncidentContext,
  input: Pick<IncidentEventInput, 'message' | 'notifySubscribers' | 'isCatchUp'>,
): IncidentEventData =>
  fitIncidentEventSize({
    id: row.id,
    title: row.title,
    status: row.status,
    impact: row.impact,
    message: input.message,
    components: eventComponents(row.id, context),
    startedAt: row.startedAt.toISOString(),
    resolvedAt: row.resolvedAt?.toISOString() ?? null,
    nextUpdateAt: row.nextUpdateAt?.toISOString() ?? null,
    url: urlOf(row, context),
    ...eventPagesOf(row.id, context, (slug) => incidentUrl(context.baseUrl, slug, row.id)),
    ...automaticTexts(row, input.message, namesIn(row.id, context)),
    notifySubscribers: input.notifySubscribers,
    ...(input.isCatchUp === true ? { isCatchUp: true } : {}),
  })

/** Listed components, each with its current name and its name when it was listed. */
const namesIn = (id: string, { listed, live }: IncidentContext) =>
  (listed.get(id) ?? []).map(({ componentId, isTrigger = false, name }) => ({
    isTrigger,
    names: [name, ...[live.get(componentId)?.name ?? []].flat()],
  }))

export const auditIncident = auditChanges('incident', (row: IncidentRow) => auditable(row))

/** Audit entry of an update, named after its incident, since updates have no name. */
export const auditUpdate = (
  verb: 'create' | 'update' | 'delete',
  { title }: IncidentRow,
  { before, after }: { before: IncidentUpdateRow | null; after: IncidentUpdateRow },
): AuditDraft =>
  draftAudit(
    `incident_update.${verb}`,
    { id: after.id, name: title },
    verb === 'delete'
      ? {}
      : changesBetween(before && auditableUpdate(before), auditableUpdate(after)),
  )

const auditableUpdate = (update: IncidentUpdateRow) => ({
  status: update.status,
  message: update.message,
  componentStatuses: update.componentStatuses,
  displayAt: update.displayAt.toISOString(),
})

const auditable = ({ title, status, impact, message, ...times }: IncidentRow) => ({
  title,
  status,
  impact,
  message,
  startedAt: times.startedAt.toISOString(),
  resolvedAt: times.resolvedAt?.toISOString() ?? null,
  nextUpdateAt: times.nextUpdateAt?.toISOString() ?? null,
})

const loadIncidentContext = async (
  scope: Scope,
  rows: readonly IncidentRow[],
  baseUrl: string,
): Promise<IncidentContext> => {
  const ids = rows.map(({ id }) => id)
  const context = await loadAffectedContext(scope, store.componentsOf(scope, ids))
  return { ...context, baseUrl, now: scope.now }
}

const incidentOf = (row: IncidentRow, context: IncidentContext): Incident =>
  viewOf(Incident, {
    ...row,
    components: affectedComponents(row.id, context),
    isUpdateOverdue: isUpdateOverdue(row, context.now),
    url: urlOf(row, context),
  })

const urlOf = ({ id }: IncidentRow, context: IncidentContext): string | null => {
  const page = linkedPage(id, context)
  return page === undefined ? null : incidentUrl(context.baseUrl, page.slug, id)
}
