/**
 * Private locations: networks of an organization in which its agents make checks. An agent connects
 * to the gateway, and nothing connects to the agent.
 */
import { type Static, Type } from '@sinclair/typebox'
import { event } from '../event.ts'
import { listOf, listQuery } from '../listing.ts'
import { operationsOf } from '../operation.ts'
import {
  Id,
  IdParams,
  Nullable,
  OneLine,
  OneOf,
  OneTimeSecret,
  Success,
  Timestamp,
} from '../scalars.ts'
import { LocationName, ProbeResult } from './checks.ts'
import { type PolledKind, polledKinds, settingsOfAnyProbe } from './probes.ts'

/** Start of the `location` of checks by agents; no location of the installation has it. */
export const PRIVATE_LOCATION_PREFIX = 'private:'

export const privateLocationOf = (name: string): string => `${PRIVATE_LOCATION_PREFIX}${name}`

/**
 * Key of the advisory lock on the private locations of an organization: core shares it while it
 * stores a component that names one, the monitor holds it alone while it deletes one.
 */
export const privateLocationLock = (organizationId: string): string =>
  `private-locations:${organizationId}`

export const isPrivateLocation = (location: string): boolean =>
  location.startsWith(PRIVATE_LOCATION_PREFIX)

/** Kinds of checks that agents make; the registration of a domain depends on no location. */
export type AgentKind = Exclude<PolledKind, 'domain'>
export const agentKinds = polledKinds.filter((kind): kind is AgentKind => kind !== 'domain')

/** Time without a request of any agent after which a location is stale. */
export const STALE_LOCATION_SECONDS = 45
export const MAX_PRIVATE_LOCATIONS = 50
export const MAX_AGENTS_PER_LOCATION = 16
/** Time for which an enrolment token is valid. */
export const ENROLMENT_HOURS = 24
/** Targets of a location; more are not assigned. */
export const MAX_TARGETS_PER_LOCATION = 5_000
export const MAX_TARGETS_PER_REQUEST = 50
export const MAX_RESULTS_PER_BATCH = 100
/** Age of a slot after which its result is ignored. */
export const MAX_RESULT_AGE_HOURS = 24

const RESULTS_BODY_LIMIT = 1024 * 1024
/** Maximum lag that an agent reports. */
export const MAX_LAG_SECONDS = 7 * 86_400

/** Version of an agent, such as `0.1.0`. */
const AgentVersion = Type.String({ pattern: '^[0-9A-Za-z.+-]{1,32}$' })
const LagSeconds = Type.Integer({
  minimum: 0,
  maximum: MAX_LAG_SECONDS,
  description: 'Age of the oldest result that the agent has not sent yet',
})

export const Agent = Type.Object({
  id: Id,
  name: Type.String(),
  version: AgentVersion,
  canPing: Type.Boolean({ description: 'Whether the agent can make ICMP checks' }),
  lagSeconds: LagSeconds,
  lastContactAt: Timestamp,
  isStale: Type.Boolean(),
  createdAt: Timestamp,
})
export type Agent = Static<typeof Agent>

export const privateLocationStatuses = ['waiting', 'active', 'stale'] as const

export const PrivateLocation = Type.Object({
  id: Id,
  name: Type.String(),
  location: Type.String({ description: 'Value for `locations` of a component' }),
  description: Nullable(Type.String()),
  status: OneOf(privateLocationStatuses, {
    description:
      '`waiting` until the first agent is enrolled; `stale` when no agent has sent a request for ' +
      `${STALE_LOCATION_SECONDS} s. A stale location makes no outage`,
  }),
  lastContactAt: Nullable(Timestamp),
  agents: Type.Array(Agent, { maxItems: MAX_AGENTS_PER_LOCATION }),
  enrolmentExpiresAt: Timestamp,
  createdAt: Timestamp,
  updatedAt: Timestamp,
})
export type PrivateLocation = Static<typeof PrivateLocation>

const EnrolmentToken = {
  enrolmentToken: OneTimeSecret(
    'Token for `statusctl agent`; returned only when it is issued, and valid for ' +
      `${ENROLMENT_HOURS} hours`,
  ),
}

export const locationOperations = operationsOf('monitor', 'locations', {
  list: {
    route: 'GET /locations',
    summary: 'List private locations',
    description: 'Each with its agents: their version, lag and last contact.',
    permission: 'organization:read',
    query: listQuery(['name', 'createdAt'], {}),
    reply: listOf(PrivateLocation),
  },
  read: {
    route: 'GET /locations/{id}',
    summary: 'Read a private location',
    permission: 'organization:read',
    params: IdParams,
    reply: PrivateLocation,
  },
  create: {
    route: 'POST /locations',
    status: 201,
    summary: 'Create a private location',
    description:
      'Returns the enrolment token, once: `statusctl agent` enrols with it and makes the checks of ' +
      'components whose `locations` contain `location`. Several agents can enrol with one token; ' +
      `they share the checks. At most ${MAX_PRIVATE_LOCATIONS} locations. 409 \`duplicate\` for a ` +
      'name in use.',
    permission: 'organization:write',
    idempotencyKey: false,
    body: Type.Object({
      name: LocationName,
      description: Type.Optional(Nullable(OneLine(200))),
    }),
    reply: Type.Object({ ...PrivateLocation.properties, ...EnrolmentToken }),
  },
  remove: {
    route: 'DELETE /locations/{id}',
    summary: 'Delete a private location',
    description:
      'Revokes its agents; results remain. 409 `in_use` while components name the location.',
    permission: 'organization:write',
    params: IdParams,
    reply: Success,
  },
  rotateToken: {
    route: 'POST /locations/{id}/rotate-token',
    summary: 'Issue a new enrolment token',
    description:
      'Returns the token, once. The previous one becomes invalid at once; enrolled agents are not ' +
      'affected.',
    permission: 'organization:write',
    action: 'UPDATE',
    idempotencyKey: false,
    params: IdParams,
    reply: Type.Object({ ...EnrolmentToken, enrolmentExpiresAt: Timestamp }),
  },
  removeAgent: {
    route: 'DELETE /locations/{id}/agents/{agentId}',
    summary: 'Revoke an agent',
    description: 'The next request of the agent is 401. 404 for an unknown agent.',
    permission: 'organization:write',
    params: Type.Object({ id: Id, agentId: Id }),
    reply: Success,
  },
})

/** No agent of a private location has sent a request for `STALE_LOCATION_SECONDS`. */
export const LocationEventData = Type.Object({
  id: Id,
  name: Type.String(),
  lastContactAt: Timestamp,
})
export type LocationEventData = Static<typeof LocationEventData>

export const locationStale = event(
  'location.stale',
  ['monitor'],
  Type.Object({ location: LocationEventData }),
)

/** Raw X25519 key of 32 bytes in base64url. */
const PublicKey = Type.String({ pattern: '^[A-Za-z0-9_-]{43}$' })

/** Definition of a target for an agent. */
export const AgentTarget = Type.Object({
  componentId: Id,
  version: Type.Integer(),
  intervalSeconds: Type.Integer({ minimum: 1 }),
  timeoutMs: Type.Integer({ minimum: 1 }),
  probe: settingsOfAnyProbe({}),
})
export type AgentTarget = Static<typeof AgentTarget>

export const AgentResult = Type.Object({
  componentId: Id,
  slotAt: Type.String({
    format: 'timestamp',
    description: 'Scheduled time of the check; with the component it identifies the result',
  }),
  result: ProbeResult,
})
export type AgentResult = Static<typeof AgentResult>

const authenticated = { permission: 'signature', bucket: 'agent', idempotencyKey: false } as const

const AUTHENTICATION = 'Authenticated by the token of the agent in `Authorization: Bearer`. '

/** Protocol of `statusctl agent`. */
export const agentOperations = operationsOf('monitor', 'agents', {
  enrol: {
    ...authenticated,
    route: 'POST /agents',
    status: 201,
    summary: 'Enrol an agent',
    description:
      'Authenticated by the enrolment token of a location in `Authorization: Bearer`. The agent ' +
      'generates its token and sends the SHA-256 of it, so that a repeated request enrols it once. ' +
      'Secrets of checks are encrypted to its public key. 409 `invalid_state` when the location ' +
      `has ${MAX_AGENTS_PER_LOCATION} agents.`,
    body: Type.Object({
      name: OneLine(100),
      version: AgentVersion,
      tokenHash: Type.String({ pattern: '^[0-9a-f]{64}$' }),
      publicKey: PublicKey,
    }),
    reply: Type.Object({ id: Id, organizationId: Id, location: Type.String() }),
  },
  assignments: {
    ...authenticated,
    route: 'POST /agents/{id}/assignments',
    summary: 'Read the targets that an agent checks',
    description:
      `${AUTHENTICATION}Records the contact of the agent. The targets of a location are divided ` +
      'between its agents that are not stale. `targets` is null while `version` is still the ' +
      'current one.',
    params: IdParams,
    body: Type.Object({
      version: Nullable(Type.String({ maxLength: 64 })),
      agentVersion: AgentVersion,
      canPing: Type.Boolean(),
      lagSeconds: LagSeconds,
    }),
    reply: Type.Object({
      version: Type.String(),
      now: Type.String({ format: 'timestamp', description: 'Time of the service' }),
      pollSeconds: Type.Integer({ description: 'Time until the next request' }),
      targets: Nullable(
        Type.Array(Type.Object({ componentId: Id, version: Type.Integer() }), {
          maxItems: MAX_TARGETS_PER_LOCATION,
        }),
      ),
    }),
  },
  targets: {
    ...authenticated,
    route: 'POST /agents/{id}/targets',
    summary: 'Read definitions of targets',
    description:
      `${AUTHENTICATION}Secret header values are encrypted to the public key of the agent. Targets ` +
      'that the location no longer checks are left out; 404 for a component of another ' +
      'organization.',
    isSafe: true,
    params: IdParams,
    body: Type.Object({
      componentIds: Type.Array(Id, {
        minItems: 1,
        maxItems: MAX_TARGETS_PER_REQUEST,
        uniqueItems: true,
      }),
    }),
    reply: Type.Object({ targets: Type.Array(AgentTarget) }),
  },
  results: {
    ...authenticated,
    route: 'POST /agents/{id}/results',
    summary: 'Store results of checks',
    description:
      `${AUTHENTICATION}A result is stored once per component and slot, also when it is sent ` +
      `again. Ignored are results older than ${MAX_RESULT_AGE_HOURS} hours, and those of ` +
      'components that the location no longer checks. 404 for a component of another ' +
      'organization.',
    params: IdParams,
    bodyLimit: RESULTS_BODY_LIMIT,
    body: Type.Object({
      results: Type.Array(AgentResult, { minItems: 1, maxItems: MAX_RESULTS_PER_BATCH }),
    }),
    reply: Type.Object({ accepted: Type.Integer(), ignored: Type.Integer() }),
  },
})
