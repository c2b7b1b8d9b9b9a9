/**
 * Closes automatic incidents of components that are deleted or disabled. No recovery follows for
 * them, so the incidents would stay open: each gets a note, and is resolved unless another
 * component still fails in it or a user has posted an update.
 */
import { type AuditDraft, checksMessage, type EventDraft } from '@status-page/contracts'
import { newId, type Scope } from '@status-page/postgres'
import type { EndedCheckIds, EndedChecks } from '../../components/changes.ts'
import { ancestorsOf, findComponents } from '../../components/store.ts'
import * as maintenanceStore from '../../maintenances/store.ts'
import { shownComponentFilter } from '../../status-pages/settings/shown.ts'
import { listPublishedPages } from '../../status-pages/settings/store.ts'
import { applyDecision, lockListedComponents } from '../changes.ts'
import { hasReachedMaxUpdates } from '../limits.ts'
import { editIncident, type IncidentDecision, type IncidentState } from '../rules.ts'
import * as store from '../store.ts'
import { auditIncident } from '../view.ts'
import * as automaticStore from './automatic-store.ts'

type ChecksEndReason = keyof EndedCheckIds

interface EndedChecksOutcome {
  events: EventDraft[]
  audit: AuditDraft[]
}

export const createEndedChecks = ({ baseUrl }: { baseUrl: string }): EndedChecks => ({
  apply: (scope, ended, changedIds) => applyEndedChecks(scope, ended, { changedIds, baseUrl }),
  retainPages: (scope, componentIds) => retainPages(scope, componentIds),
})

/**
 * Order of locks in all transactions: component tree, automatic decisions, incidents in order of
 * their ids, maintenances, components in order of their ids. Each kind is locked at once, because a
 * transaction that locks the components of one incident must lock neither another incident nor a
 * component with a lower id afterwards.
 */
const applyEndedChecks = async (
  scope: Scope,
  ended: EndedCheckIds,
  { changedIds, baseUrl }: { changedIds: readonly string[]; baseUrl: string },
): Promise<EndedChecksOutcome> => {
  const outcome: EndedChecksOutcome = { events: [], audit: [] }
  const componentIds = [...ended.deleted, ...ended.disabled]
  if (componentIds.length === 0) return outcome
  await automaticStore.lockAutomaticDecisions(scope)
  await automaticStore.lockOpenIncidents(scope, componentIds)
  await retainPages(scope, ended.deleted)
  const failing = await automaticStore.incidentIdsOfFailingChecks(scope, componentIds)
  if (failing.length === 0) return outcome
  await automaticStore.lockComponentsOfIncidents(scope, failing, changedIds)
  for (const reason of ['deleted', 'disabled'] as const) {
    if (ended[reason].length === 0) continue
    for (const incidentId of await automaticStore.incidentIdsOfFailingChecks(
      scope,
      ended[reason],
    )) {
      const { events, audit } = await noteEndedChecks(scope, incidentId, {
        ...ended,
        reason,
        baseUrl,
      })
      outcome.events.push(...events)
      outcome.audit.push(...audit)
    }
  }
  return outcome
}

interface NotedChecks extends EndedCheckIds {
  reason: ChecksEndReason
  baseUrl: string
}

const noteEndedChecks = async (
  scope: Scope,
  incidentId: string,
  checks: NotedChecks,
): Promise<EndedChecksOutcome> => {
  const state = await store.lockIncident(scope, incidentId)
  if (state === undefined) return { events: [], audit: [] }
  const ids = new Set(checks[checks.reason])
  const withUserUpdates = await automaticStore.incidentIdsWithUserUpdates(scope, [incidentId])
  const live = await lockListedComponents(scope, {}, state.components)
  const names = state.components.flatMap(({ componentId, isFailing }) =>
    isFailing && ids.has(componentId) ? (live.get(componentId)?.name ?? []) : [],
  )
  const update = {
    id: newId(),
    status: resolves(state, ids, withUserUpdates) ? ('resolved' as const) : null,
    message: noteText(names, checks.reason),
    componentStatuses: {},
    byPerson: false,
  }
  const edited = editIncident(state, { update, isAlwaysStored: true }, live, scope.now)
  const decision = withoutFailures(edited, ids)
  if (hasReachedMaxUpdates(state))
    await automaticStore.removeOldestAutomaticUpdate(scope, incidentId)
  const options = { notifySubscribers: true, baseUrl: checks.baseUrl }
  return {
    events: await applyDecision(scope, decision, options),
    audit: [auditIncident('update', state.incident, decision.incident)],
  }
}

const resolves = (
  { incident, components }: IncidentState,
  ids: ReadonlySet<string>,
  withUserUpdates: ReadonlySet<string>,
): boolean =>
  !withUserUpdates.has(incident.id) &&
  components.every(({ componentId, isFailing }) => !isFailing || ids.has(componentId))

const withoutFailures = (
  decision: IncidentDecision,
  ids: ReadonlySet<string>,
): IncidentDecision => ({
  ...decision,
  incident: { ...decision.incident, autoResolved: decision.verb === 'resolved' },
  components: decision.components.map((row) =>
    ids.has(row.componentId) ? { ...row, isFailing: false } : row,
  ),
})

const MAX_NAMES = 10

/** Lists at most ten names, because the length of an update is limited. */
const noteText = (names: readonly string[], reason: ChecksEndReason): string => {
  const others = names.length - MAX_NAMES
  const listed = names.slice(0, MAX_NAMES).join(', ')
  const subject = others > 0 ? `${listed} and ${others} others` : listed
  const cause = names.length === 1 ? 'the component was' : 'the components were'
  return checksMessage(subject, `have ended: ${cause} ${reason}.`)
}

/**
 * Stores the published pages that show the components, on the open incidents and maintenances that
 * list them. A deadlock with a change of an incident created in between makes the transaction run
 * again.
 */
const retainPages = async (scope: Scope, componentIds: readonly string[]): Promise<void> => {
  if (componentIds.length === 0) return
  await automaticStore.lockOpenIncidents(scope, componentIds)
  const rows = await findComponents(scope, componentIds)
  const ancestors = await ancestorsOf(scope, componentIds)
  const pages = (await listPublishedPages(scope)).map((page) => ({
    id: page.id,
    isShown: shownComponentFilter(page),
  }))
  const retained = [...rows.values()].flatMap((component) => {
    const placed = { component, ancestors: ancestors.get(component.id) ?? [] }
    const pageIds = pages.filter(({ isShown }) => isShown(placed)).map(({ id }) => id)
    return pageIds.length === 0 ? [] : [{ componentId: component.id, pageIds }]
  })
  if (retained.length === 0) return
  await automaticStore.savePagesOfDeletedComponents(scope, retained)
  await maintenanceStore.savePagesOfDeletedComponents(scope, retained)
}
