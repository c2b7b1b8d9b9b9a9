/**
 * Closes automatic incidents of components that are deleted or disabled. No recovery follows for
 * them, so the incidents would stay open: each gets a note, and is resolved unless another
 * component still fails in it or a user has posted an update.
 */
import { type AuditDraft, checksMessage, type EventDraft } from '@status-page/contracts'
import { newId, type Scope } from '@status-page/postgres'
import { ancestorsOf, findComponents } from '../components/store.ts'
import { shows } from '../status-pages/shown.ts'
import { publishedPages } from '../status-pages/store.ts'
import * as automaticStore from './automatic-store.ts'
import { hasNoRoom } from './bounds.ts'
import { applyDecision, lockNamed } from './changes.ts'
import { amendIncident, type IncidentDecision, type IncidentState } from './rules.ts'
import * as store from './store.ts'
import { auditIncident } from './view.ts'

type ChecksEndReason = 'deleted' | 'disabled'

interface Effects {
  events: EventDraft[]
  audit: AuditDraft[]
}

/**
 * Must run before the components change and before they are locked, since incidents are locked
 * before components.
 */
export const endChecks = async (
  scope: Scope,
  ended: Readonly<Record<ChecksEndReason, readonly string[]>>,
  baseUrl: string,
): Promise<Effects> => {
  const effects: Effects = { events: [], audit: [] }
  if (ended.deleted.length > 0) await retainPages(scope, ended.deleted)
  for (const reason of ['deleted', 'disabled'] as const) {
    if (ended[reason].length === 0) continue
    await automaticStore.lockAutomatic(scope)
    for (const incidentId of await automaticStore.failingIncidentIds(scope, ended[reason])) {
      const { events, audit } = await endOne(scope, incidentId, { ...ended, reason, baseUrl })
      effects.events.push(...events)
      effects.audit.push(...audit)
    }
  }
  return effects
}

interface Ending extends Readonly<Record<ChecksEndReason, readonly string[]>> {
  reason: ChecksEndReason
  baseUrl: string
}

const endOne = async (scope: Scope, incidentId: string, ending: Ending): Promise<Effects> => {
  const state = await store.lockIncident(scope, incidentId)
  if (state === undefined) return { events: [], audit: [] }
  const ids = new Set(ending[ending.reason])
  const personal = await automaticStore.withPersonalUpdates(scope, [incidentId])
  const live = await lockNamed(scope, {}, state.components)
  const names = state.components.flatMap(({ componentId, isFailing }) =>
    isFailing && ids.has(componentId) ? (live.get(componentId)?.name ?? []) : [],
  )
  const update = {
    id: newId(),
    status: resolves(state, ids, personal) ? ('resolved' as const) : null,
    message: noteOf(names, ending.reason),
    componentStatuses: {},
    byPerson: false,
  }
  const amended = amendIncident(state, { update, isPosted: true }, live, scope.now)
  const decision = marked(amended, ids)
  if (hasNoRoom(state)) await automaticStore.removeOldestNote(scope, incidentId)
  const options = { notifySubscribers: true, baseUrl: ending.baseUrl }
  return {
    events: await applyDecision(scope, decision, options),
    audit: [auditIncident('update', state.incident, decision.incident)],
  }
}

const resolves = (
  { incident, components }: IncidentState,
  ids: ReadonlySet<string>,
  personal: ReadonlySet<string>,
): boolean =>
  !personal.has(incident.id) &&
  components.every(({ componentId, isFailing }) => !isFailing || ids.has(componentId))

const marked = (decision: IncidentDecision, ids: ReadonlySet<string>): IncidentDecision => ({
  ...decision,
  incident: { ...decision.incident, autoResolved: decision.verb === 'resolved' },
  components: decision.components.map((row) =>
    ids.has(row.componentId) ? { ...row, isFailing: false } : row,
  ),
})

const MAX_NAMES = 10

/** Lists at most ten names, because the length of an update is limited. */
const noteOf = (names: readonly string[], reason: ChecksEndReason): string => {
  const others = names.length - MAX_NAMES
  const listed = names.slice(0, MAX_NAMES).join(', ')
  const subject = others > 0 ? `${listed} and ${others} others` : listed
  const cause = names.length === 1 ? 'the component was' : 'the components were'
  return checksMessage(subject, `have ended: ${cause} ${reason}.`)
}

/** Stores the published pages that show the components, on the open incidents that list them. */
const retainPages = async (scope: Scope, componentIds: readonly string[]): Promise<void> => {
  const rows = await findComponents(scope, componentIds)
  const ancestors = await ancestorsOf(scope, componentIds)
  const pages = await publishedPages(scope)
  const retained = [...rows.values()].flatMap((component) => {
    const placed = { component, ancestors: ancestors.get(component.id) ?? [] }
    const pageIds = pages.filter((page) => shows(page, placed)).map(({ id }) => id)
    return pageIds.length === 0 ? [] : [{ componentId: component.id, pageIds }]
  })
  await automaticStore.retainPages(scope, retained)
}
