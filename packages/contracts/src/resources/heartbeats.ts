/** Heartbeats: checks of kind `heartbeat`, which wait for the pings of a job. */
import { type Static, Type } from '@sinclair/typebox'
import { operationsOf } from '../operation.ts'
import { Id, IdParams, Nullable, OneOf, OneTimeSecret, Success, Timestamp } from '../scalars.ts'

/** Bytes of the body of a ping that are stored. */
export const MAX_PING_BODY_BYTES = 10 * 1024
/** Pings of a heartbeat that are stored; the oldest one is replaced. */
export const MAX_STORED_PINGS = 50
/** Open runs of a heartbeat; the oldest one is dropped. */
export const MAX_OPEN_RUNS = 20

export const pingKinds = ['ping', 'start', 'finish', 'fail', 'alive'] as const
export type PingKind = (typeof pingKinds)[number]

const Run = Type.String({ pattern: '^[A-Za-z0-9._-]{1,64}$' })

export const HeartbeatPing = Type.Object({
  receivedAt: Timestamp,
  kind: OneOf(pingKinds),
  exitCode: Nullable(
    Type.Integer({ description: 'Exit code that the path of the ping ended with' }),
  ),
  run: Nullable(Type.String({ description: 'Parameter `run` of the ping' })),
  durationMs: Nullable(
    Type.Integer({ description: 'Time since the start of the run that the ping ended' }),
  ),
  body: Nullable(Type.String({ description: 'First 10 KiB of the body' })),
})
export type HeartbeatPing = Static<typeof HeartbeatPing>

export const HeartbeatRun = Type.Object({
  run: Nullable(Type.String()),
  startedAt: Timestamp,
  deadlineAt: Nullable(
    Type.String({ format: 'timestamp', description: 'Time at which the run takes too long' }),
  ),
})

export const Heartbeat = Type.Object({
  componentId: Id,
  tokenIssuedAt: Nullable(
    Type.String({
      format: 'timestamp',
      description: 'Time of the last `rotate-token`; null: no ping can be received yet',
    }),
  ),
  lastPingAt: Nullable(Timestamp),
  expectedAt: Nullable(
    Type.String({
      format: 'timestamp',
      description: 'Time of the next expected ping; null until the first one',
    }),
  ),
  dueAt: Nullable(
    Type.String({
      format: 'timestamp',
      description: 'Time at which a ping is missed or a run takes too long',
    }),
  ),
  runs: Type.Array(HeartbeatRun, {
    maxItems: MAX_OPEN_RUNS,
    description: 'Runs that have started and not ended',
  }),
  pings: Type.Array(HeartbeatPing, {
    maxItems: MAX_STORED_PINGS,
    description: `Last ${MAX_STORED_PINGS} pings, newest first`,
  }),
})
export type Heartbeat = Static<typeof Heartbeat>

const IssuedToken = Type.Object({
  token: OneTimeSecret('Token of the ping URL; returned only when it is issued'),
})

export const componentHeartbeatOperations = operationsOf('core', 'heartbeats', {
  read: {
    route: 'GET /components/{id}/heartbeat',
    summary: 'Read the heartbeat of a component',
    description:
      'State of a check of kind `heartbeat`, with its last pings. 400 for a component of another ' +
      'type or kind.',
    permission: 'components:read',
    params: IdParams,
    reply: Heartbeat,
  },
  rotateToken: {
    route: 'POST /components/{id}/heartbeat/rotate-token',
    summary: 'Issue a new token for the heartbeat of a component',
    description:
      'Returns the token and the ping URL, once. The previous token becomes invalid at once. 400 ' +
      'for a component of another type or kind.',
    permission: 'components:write',
    action: 'UPDATE',
    idempotencyKey: false,
    params: IdParams,
    reply: Type.Object({
      ...IssuedToken.properties,
      pingUrl: OneTimeSecret('URL for the pings, which contains the token'),
    }),
  },
})

/** Internal operations of the monitor, called by core; the gateway does not route them. */
export const heartbeatOperations = operationsOf('monitor', 'target-heartbeats', {
  read: {
    route: 'GET /internal/targets/{id}/heartbeat',
    base: 'root',
    summary: 'Read the heartbeat of a target',
    permission: 'components:read',
    callers: ['core'],
    params: IdParams,
    reply: Heartbeat,
  },
  rotateToken: {
    route: 'POST /internal/targets/{id}/heartbeat/rotate-token',
    base: 'root',
    summary: 'Issue a new token for the heartbeat of a target',
    permission: 'components:write',
    action: 'UPDATE',
    callers: ['core'],
    idempotencyKey: false,
    params: IdParams,
    reply: IssuedToken,
  },
})

const TokenParams = { token: Type.String({ maxLength: 64 }) }

const SignalParams = {
  ...TokenParams,
  signal: Type.String({
    maxLength: 16,
    description: '`start`, `finish`, `fail`, `alive` or an exit code from 0 to 255',
  }),
}

const hook = {
  permission: 'signature',
  bucket: 'heartbeat',
  query: Type.Object({ run: Type.Optional(Run) }),
  reply: Success,
} as const

const PING =
  'Authenticated by the token in the path, which `POST /components/{id}/heartbeat/rotate-token` ' +
  'returns. '
const BODY = ' The first 10 KiB of a body of any type are stored.'
const SIGNALS =
  '`start` begins a run and `finish` ends it with success; `fail` ends it with failure, an exit ' +
  'code like `finish` for 0 and like `fail` for others. `alive` restarts `maxRunSeconds` of a ' +
  'run and is a ping without one. `run` names one of several runs that overlap.'

export const heartbeatHookOperations = operationsOf('monitor', 'hooks', {
  heartbeat: {
    ...hook,
    route: 'POST /hooks/heartbeat/{token}',
    summary: 'Report that a job has run',
    description: `${PING}Counts for the expected time that is nearest to it.${BODY}`,
    params: Type.Object(TokenParams),
    bodyType: 'any',
    idempotencyKey: false,
  },
  heartbeatByGet: {
    ...hook,
    route: 'GET /hooks/heartbeat/{token}',
    summary: 'Report that a job has run, by GET',
    description: `${PING}The same as by POST, without a body.`,
    params: Type.Object(TokenParams),
  },
  heartbeatSignal: {
    ...hook,
    route: 'POST /hooks/heartbeat/{token}/{signal}',
    summary: 'Report the start, the end or the failure of a run',
    description: `${PING}${SIGNALS}${BODY}`,
    params: Type.Object(SignalParams),
    bodyType: 'any',
    idempotencyKey: false,
  },
  heartbeatSignalByGet: {
    ...hook,
    route: 'GET /hooks/heartbeat/{token}/{signal}',
    summary: 'Report the start, the end or the failure of a run, by GET',
    description: `${PING}The same as by POST, without a body.`,
    params: Type.Object(SignalParams),
  },
})
