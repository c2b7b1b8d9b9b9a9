/** Applies a decision: saves it, updates component statuses and returns its event. */
import { type EventDraft, orNotFound } from '@status-page/contracts'
import type { Scope } from '@status-page/postgres'
import type { Call } from '@status-page/service'
import { saveDerivedStatuses } from '../components/changes.ts'
import { findComponents, lockComponents } from '../components/store.ts'
import type { ChangeDrafts } from '../configured-resource.ts'
import type { ComponentRow } from '../tables.ts'
import { claimsOnDeletion, type StatusByComponentId } from './claims.ts'
import { checkVersion, type IncidentDecision, type IncidentState } from './rules.ts'
import { removeIncidentAndCorrections, saveStatusSpans } from './status-spans.ts'
import * as store from './store.ts'
import { auditIncident, incidentEvent } from './view.ts'

export interface IncidentEventOptions {
  notifySubscribers: boolean
  baseUrl: string
}

/** Locks the incident of the request's path and checks its `If-Match` version. */
export const lockRequestedIncident = async (
  scope: Scope,
  call: Pick<Call, 'ifMatch'> & { params: { id: string } },
): Promise<IncidentState> => {
  const state = orNotFound(await store.lockIncident(scope, call.params.id))
  checkVersion(state.incident, call.ifMatch)
  return state
}

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Locks the components that a decision may change; values that are not ids are ignored. */
export const lockListedComponents = (
  scope: Scope,
  input: ListedComponents,
  listed: readonly { componentId: string }[] = [],
): Promise<Map<string, ComponentRow>> => lockComponents(scope, listedIds(input, listed))

/** Reads the same components without a lock, for a preview. */
export const findListedComponents = (
  scope: Scope,
  input: ListedComponents,
): Promise<Map<string, ComponentRow>> => findComponents(scope, listedIds(input, []))

interface ListedComponents {
  componentIds?: readonly string[] | undefined
  componentStatuses?: StatusByComponentId | undefined
}

const listedIds = (
  input: ListedComponents,
  listed: readonly { componentId: string }[],
): string[] => {
  const ids = [
    ...(input.componentIds ?? []),
    ...Object.keys(input.componentStatuses ?? {}),
    ...listed.map(({ componentId }) => componentId),
  ]
  return [...new Set(ids)].filter((id) => uuid.test(id))
}

/** Saves the decision and returns its event; does nothing when nothing changes. */
export const applyDecision = async (
  scope: Scope,
  decision: IncidentDecision,
  options: IncidentEventOptions,
): Promise<EventDraft[]> => {
  const { incident, update, verb } = decision
  if (verb === null) return []
  await store.saveDecision(scope, decision)
  await saveDerivedStatuses(scope, decision.claims)
  if (decision.correctsHistory) await saveStatusSpans(scope, decision)
  if (decision.isSilent && !options.notifySubscribers) return []
  const message = update?.message ?? ''
  return [await incidentEvent(scope, incident, { ...options, verb, message })]
}

/** Deletes a locked incident with its corrections of the status history. */
export const deleteIncident = async (
  scope: Scope,
  { incident, components }: Pick<IncidentState, 'incident' | 'components'>,
  baseUrl: string,
): Promise<ChangeDrafts> => {
  const live = await lockListedComponents(scope, {}, components)
  const deleted = { ...incident, version: incident.version + 1 }
  const options = { message: '', notifySubscribers: false, baseUrl }
  const event = await incidentEvent(scope, deleted, { ...options, verb: 'deleted' })
  await saveDerivedStatuses(scope, claimsOnDeletion(incident.id, live))
  await removeIncidentAndCorrections(scope, incident.id)
  return { events: [event], audit: [auditIncident('delete', incident, incident)] }
}
