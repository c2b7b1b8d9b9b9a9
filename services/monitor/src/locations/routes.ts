/** Private locations over HTTP: create, list and delete, enrolment tokens, and revoked agents. */
import { Semaphore } from '@status-page/concurrency'
import {
  conflict,
  listReply,
  locationOperations,
  orNotFound,
  privateLocationOf,
  successReply,
  unavailable,
} from '@status-page/contracts'
import type { Scope } from '@status-page/postgres'
import { hashToken, randomToken } from '@status-page/secrets'
import { createRoutes, type Route } from '@status-page/service'
import { countTargetsAt } from '../targets/location-targets.ts'
import {
  enrolmentExpiryOf,
  locationAudit,
  locationReplyOf,
  validateLocationCount,
} from './rules.ts'
import * as store from './store.ts'

export interface LocationDeps {
  /** Applies the open events of the organization's components; false when that fails. */
  areTargetsUpToDate(organizationId: string): Promise<boolean>
}

/** Deletions that wait for one in progress, which uses a second connection. */
const MAX_WAITING_DELETIONS = 20

export const locationRoutes = (deps: LocationDeps): Route[] => {
  const deletions = new Semaphore({ slots: 1, maxWaiting: MAX_WAITING_DELETIONS })
  return createRoutes(locationOperations, {
    list: ({ query, read }) =>
      read(async (scope) => {
        const { rows, total } = await store.listLocations(scope, query)
        const ids = rows.map(({ id }) => id)
        const agents = Map.groupBy(await store.agentsOf(scope, ids), ({ locationId }) => locationId)
        return listReply(
          query,
          total,
          rows.map((row) => locationReplyOf(row, agents.get(row.id) ?? [], scope.now)),
        )
      }),

    read: ({ params, read }) =>
      read(async (scope) => {
        const row = orNotFound(await store.findLocation(scope, params.id))
        return locationReplyOf(row, await store.agentsOf(scope, [row.id]), scope.now)
      }),

    create: ({ body, change }) =>
      change(async (scope) => {
        const { name, description = null } = body
        validateLocationCount(await store.countLocationsLocked(scope))
        const { enrolmentToken, enrolment } = issueEnrolment(scope)
        const row = await store.insertLocation(scope, { name, description, ...enrolment })
        if (row === null) throw conflict('duplicate', `A location named ${name} exists already`)
        const audit = [locationAudit('location.create', row, { name: { to: name } })]
        const result = { ...locationReplyOf(row, [], scope.now), enrolmentToken }
        return { result, events: [], audit }
      }),

    remove: ({ params, change }) =>
      deletions.run(() => change((scope) => removeLocation(scope, params.id, deps))),

    rotateToken: ({ params, change }) =>
      change(async (scope) => {
        const row = orNotFound(await store.lockLocation(scope, params.id))
        const { enrolmentToken, enrolment } = issueEnrolment(scope)
        await store.saveEnrolment(scope, row.id, enrolment)
        const audit = [locationAudit('location.rotate_enrolment_token', row)]
        const enrolmentExpiresAt = enrolment.enrolmentExpiresAt.toISOString()
        return { result: { enrolmentToken, enrolmentExpiresAt }, events: [], audit }
      }),

    removeAgent: ({ params: { id: locationId, agentId: id }, change }) =>
      change(async (scope) => {
        const row = orNotFound(await store.removeAgent(scope, { id, locationId }))
        const audit = [locationAudit('agent.delete', row)]
        return { result: successReply, events: [], audit }
      }),
  })
}

/** Refuses while a component names the location, also one whose event has not been handled yet. */
const removeLocation = async (scope: Scope, id: string, { areTargetsUpToDate }: LocationDeps) => {
  const row = orNotFound(await store.lockLocation(scope, id))
  await store.lockAgainstNaming(scope)
  if (!(await areTargetsUpToDate(scope.organizationId))) {
    throw unavailable('The components of the organization are temporarily unavailable')
  }
  const count = await countTargetsAt(scope, privateLocationOf(row.name))
  if (count > 0) throw conflict('in_use', `${count} components name the location`)
  await store.removeLocation(scope, row.id)
  return { result: successReply, events: [], audit: [locationAudit('location.delete', row)] }
}

const issueEnrolment = ({ now }: Scope) => {
  const enrolmentToken = randomToken()
  const enrolmentHash = hashToken(enrolmentToken)
  return {
    enrolmentToken,
    enrolment: { enrolmentHash, enrolmentExpiresAt: enrolmentExpiryOf(now) },
  }
}
