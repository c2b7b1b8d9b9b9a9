/**
 * Edits and deletes posted updates: each raises the version of the incident and publishes no event.
 */
import {
  conflict,
  type IncidentUpdatePatch,
  invalid,
  orNotFound,
  ruleIssue,
} from '@status-page/contracts'
import type { Scope } from '@status-page/postgres'
import type { Call } from '@status-page/service'
import type { IncidentRow, IncidentUpdateRow } from '../tables.ts'
import { lockRequestedIncident } from './changes.ts'
import type { IncidentState } from './rules.ts'
import * as store from './store.ts'

export type UpdateRequest = Pick<Call, 'ifMatch'> & { params: { id: string; updateId: string } }

export interface UpdateEdit {
  incident: IncidentRow
  before: IncidentUpdateRow
  /** The same object as `before` when nothing changes. */
  after: IncidentUpdateRow
}

export const editUpdate = async (
  scope: Scope,
  call: UpdateRequest & { body: IncidentUpdatePatch },
): Promise<UpdateEdit> => {
  const { incident, update: before } = await lockUpdate(scope, call)
  const after = editedUpdate(before, call.body, scope.now)
  if (after === before) return { incident, before, after }
  await store.saveUpdate(scope, after)
  return { incident: await nextVersion(scope, incident), before, after }
}

export const deleteUpdate = async (scope: Scope, call: UpdateRequest): Promise<UpdateEdit> => {
  const { incident, update, updateCount } = await lockUpdate(scope, call)
  if (updateCount === 1)
    throw conflict('invalid_state', 'The only update of an incident cannot be deleted')
  await store.removeUpdate(scope, update.id)
  return { incident: await nextVersion(scope, incident), before: update, after: update }
}

const lockUpdate = async (
  scope: Scope,
  call: UpdateRequest,
): Promise<IncidentState & { update: IncidentUpdateRow }> => {
  const state = await lockRequestedIncident(scope, call)
  const update = orNotFound(await store.findUpdate(scope, call.params.id, call.params.updateId))
  return { ...state, update }
}

const editedUpdate = (
  before: IncidentUpdateRow,
  { message = before.message, displayAt }: IncidentUpdatePatch,
  now: Date,
): IncidentUpdateRow => {
  const shownAt = displayAt === undefined ? before.displayAt : new Date(displayAt)
  const isMoved = shownAt.getTime() !== before.displayAt.getTime()
  if (isMoved && shownAt > now) throw invalid(ruleIssue('displayAt', 'notFuture'))
  if (!isMoved && message === before.message) return before
  return { ...before, message, displayAt: shownAt, updatedAt: now }
}

/** Takes the message of the newest update; the status stays, since updates are only its history. */
const nextVersion = async (scope: Scope, before: IncidentRow): Promise<IncidentRow> => {
  const incident = {
    ...before,
    message: await store.newestMessage(scope, before.id),
    version: before.version + 1,
    updatedAt: scope.now,
  }
  await store.saveIncident(scope, incident)
  return incident
}
