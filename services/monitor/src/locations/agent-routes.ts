/**
 * Protocol of agents: enrolment, the targets that an agent checks, and its results. A token is
 * verified in the transaction of the request, so that a revoked agent is refused at once.
 */
import { createHash } from 'node:crypto'
import {
  type AgentTarget,
  agentOperations,
  invalid,
  notFound,
  privateLocationOf,
  systemActor,
  unauthorized,
} from '@status-page/contracts'
import { asLookup, type Database, type Scope, transact, write } from '@status-page/postgres'
import { fractionOf } from '@status-page/schedule'
import {
  hashToken,
  headerEncryptionContext,
  isBoxPublicKey,
  type Sealer,
  sealBox,
} from '@status-page/secrets'
import { type Call, createRoutes, type Route } from '@status-page/service'
import type { Stored } from '../checks/record/results.ts'
import { isCheckedAt, listAssignable, listKnown } from '../targets/location-targets.ts'
import type { TargetRow } from '../targets/store.ts'
import { storeAgentResults } from './results.ts'
import { agentFor, isStale, locationAudit, validateAgentCount } from './rules.ts'
import * as store from './store.ts'

/** Interval of requests for assignments; several fit into the time after which an agent is stale. */
const POLL_SECONDS = 5

export interface AgentRoutesOptions {
  database: Database
  sealer: Pick<Sealer, 'open'>
  onStored: Stored
}

export const agentRoutes = (options: AgentRoutesOptions): Route[] =>
  createRoutes(agentOperations, {
    enrol: (call) => enrol(options.database, call),

    assignments: (call) =>
      asAgent(options.database, call, async (scope, { agent, location }) => {
        const { agentVersion: version, canPing, lagSeconds, version: known } = call.body
        await store.recordContact(scope, agent, { version, canPing, lagSeconds })
        const targets = await assignedTo(scope, agent, location)
        const current = versionOf(targets)
        return {
          version: current,
          now: scope.now.toISOString(),
          pollSeconds: POLL_SECONDS,
          targets: current === known ? null : targets,
        }
      }),

    targets: (call) =>
      asAgent(options.database, call, async (scope, { agent, location }) => {
        const ids = call.body.componentIds
        const known = await listKnown(scope, ids)
        if (known.length < ids.length) throw notFound()
        const checked = known.filter((target) => isCheckedAt(target, location))
        return { targets: checked.map((target) => definitionOf(target, agent, options.sealer)) }
      }),

    async results(call) {
      const { database, onStored } = options
      const owner = await ownerOf(database, call)
      const by = { organizationId: owner.organizationId, actor: systemActor }
      const accepted = await transact(database, by, async (scope) => {
        const { agent, location } = await authenticated(scope, owner)
        await store.recordContact(scope, agent)
        const { accepted, events } = await storeAgentResults(scope, location, call.body.results)
        return { result: accepted, events, audit: [] }
      })
      for (const { target, checkedAtMs } of accepted) onStored(target, checkedAtMs)
      const ignored = call.body.results.length - accepted.length
      return { accepted: accepted.length, ignored }
    },
  })

const enrol = async (database: Database, call: Call<typeof agentOperations.enrol>) => {
  const { name, version, tokenHash, publicKey } = call.body
  const enrolmentHash = hashToken(bearerOf(call))
  const owner = await asLookup(database, (systemScope) =>
    store.findLocationByEnrolment(systemScope, enrolmentHash),
  )
  if (owner === undefined) throw unauthorized()
  if (!isBoxPublicKey(publicKey)) {
    throw invalid({ field: 'publicKey', message: 'publicKey must be an X25519 key' })
  }
  const { organizationId } = owner
  return transact(database, { organizationId, actor: systemActor }, async (scope) => {
    const location = await store.lockLocation(scope, owner.id)
    // The token was replaced since the lookup.
    if (location?.enrolmentHash !== enrolmentHash) throw unauthorized()
    const enrolled = await store.agentsOf(scope, [location.id])
    const same = enrolled.find((agent) => agent.tokenHash === tokenHash)
    const reply = { organizationId, location: privateLocationOf(location.name) }
    // Repeated by an agent that did not receive the reply.
    if (same !== undefined) return { result: { ...reply, id: same.id } }
    validateAgentCount(enrolled.length)
    const given = { locationId: location.id, name, version, tokenHash, publicKey }
    const agent = await store.insertAgent(scope, given)
    await store.recordContact(scope, agent)
    const audit = [locationAudit('agent.enrol', agent, { location: { to: location.name } })]
    return { result: { ...reply, id: agent.id }, events: [], audit }
  })
}

/** Agent of a request, with the location whose checks it makes. */
interface Authenticated {
  agent: store.AgentRow
  location: string
}

interface AgentCall extends Pick<Call, 'headers'> {
  params: { id: string }
}

interface Owner {
  organizationId: string
  id: string
  tokenHash: string
}

const BEARER = /^Bearer +([\w-]{43})$/i

const bearerOf = ({ headers: { authorization } }: Pick<Call, 'headers'>): string => {
  const token = typeof authorization === 'string' ? BEARER.exec(authorization)?.[1] : undefined
  if (token === undefined) throw unauthorized()
  return token
}

/** Owner of the token; 401 when it is not the token of the agent in the path. */
const ownerOf = async (database: Database, call: AgentCall): Promise<Owner> => {
  const tokenHash = hashToken(bearerOf(call))
  const owner = await asLookup(database, (systemScope) =>
    store.findAgentByToken(systemScope, tokenHash),
  )
  if (owner === undefined || owner.id !== call.params.id) throw unauthorized()
  return { ...owner, tokenHash }
}

/** Reads the agent again in the scope of its organization: it may have been revoked since. */
const authenticated = async (scope: Scope, { id, tokenHash }: Owner): Promise<Authenticated> => {
  const agent = await store.findAgent(scope, id)
  if (agent?.tokenHash !== tokenHash) throw unauthorized()
  const location = await store.findLocation(scope, agent.locationId)
  if (location === undefined) throw unauthorized()
  return { agent, location: privateLocationOf(location.name) }
}

const asAgent = async <T>(
  database: Database,
  call: AgentCall,
  work: (scope: Scope, caller: Authenticated) => Promise<T>,
): Promise<T> => {
  const owner = await ownerOf(database, call)
  return write(database, owner, async (scope) => work(scope, await authenticated(scope, owner)))
}

type Assignment = Awaited<ReturnType<typeof listAssignable>>[number]

/** Share of the agent in the targets of its location; it counts itself as not stale. */
const assignedTo = async (
  scope: Scope,
  { id, locationId }: store.AgentRow,
  location: string,
): Promise<Assignment[]> => {
  const agents = await store.agentsOf(scope, [locationId])
  const live = agents
    .filter((agent) => agent.id === id || !isStale(agent.lastContactAt, scope.now))
    .map((agent) => agent.id)
  const targets = await listAssignable(scope, location)
  return targets.filter(({ componentId }) => agentFor(componentId, live, fractionOf) === id)
}

const versionOf = (targets: readonly Assignment[]): string => {
  const hash = createHash('sha256')
  for (const { componentId, version } of targets) hash.update(`${componentId}:${version};`)
  return hash.digest('base64url')
}

const definitionOf = (
  target: TargetRow,
  { publicKey }: Pick<store.AgentRow, 'publicKey'>,
  sealer: Pick<Sealer, 'open'>,
): AgentTarget => {
  const { componentId, version, probe, intervalSeconds, timeoutMs } = target
  const headers =
    probe.kind !== 'http'
      ? {}
      : {
          headers: probe.headers.map(({ name, value, sealedValue }) => ({
            name,
            value,
            sealedValue: sealedValue && sealedForAgent(sealedValue, name),
          })),
        }
  function sealedForAgent(sealed: string, name: string): string {
    const context = headerEncryptionContext(target, name)
    return sealBox(sealer.open(sealed, context), publicKey, context.recordId)
  }
  return {
    componentId,
    version,
    intervalSeconds: intervalSeconds ?? 1,
    timeoutMs: timeoutMs ?? 1,
    probe: { ...probe, ...headers },
  }
}
