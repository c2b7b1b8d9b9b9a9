/** Pings of jobs, and the operations that core calls: state and token of a heartbeat. */
import {
  draftAudit,
  type Heartbeat,
  heartbeatHookOperations,
  heartbeatOperations,
  invalid,
  MAX_PING_BODY_BYTES,
  MAX_STORED_PINGS,
  orNotFound,
  type PingKind,
  pingKinds,
  successReply,
  systemActor,
  unauthorized,
} from '@status-page/contracts'
import { asLookup, type Database, type Scope, transact } from '@status-page/postgres'
import { hashToken, randomToken } from '@status-page/secrets'
import { createRoutes, type Route } from '@status-page/service'
import type { Stored } from '../checks/record/results.ts'
import { listByIds } from '../targets/store.ts'
import { isHeartbeat, saveChanges, stateOf } from './record.ts'
import * as store from './store.ts'
import { applyPing } from './transitions.ts'

export interface HeartbeatRoutesOptions {
  database: Database
  onStored: Stored
}

export const heartbeatRoutes = (options: HeartbeatRoutesOptions): Route[] => [
  ...createRoutes(heartbeatOperations, {
    read: ({ params, read }) =>
      read(async (scope) => {
        const row = orNotFound(await store.findHeartbeat(scope, params.id))
        return heartbeatOf(row, await store.listPings(scope, params.id))
      }),

    rotateToken: ({ params, change }) => change((scope) => rotateToken(scope, params.id)),
  }),
  ...createRoutes(heartbeatHookOperations, {
    heartbeat: (call) => receive(options, call, 'ping'),
    heartbeatByGet: (call) => receive(options, call, 'ping'),
    heartbeatSignal: (call) => receive(options, call, call.params.signal),
    heartbeatSignalByGet: (call) => receive(options, call, call.params.signal),
  }),
]

const rotateToken = async (scope: Scope, id: string) => {
  const [row] = await store.lockHeartbeats(scope, [id])
  orNotFound(row)
  const [target] = await listByIds(scope, [id])
  const token = randomToken()
  const change = { tokenHash: hashToken(token), tokenIssuedAt: scope.now }
  await store.saveHeartbeat(scope, id, change)
  const entity = { id, name: target?.name ?? null }
  const audit = [draftAudit('component.rotate_heartbeat_token', entity)]
  return { result: { token }, events: [], audit }
}

interface PingCall {
  params: { token: string }
  query: { run?: string }
  rawBody: Buffer | undefined
}

/** Form of `randomToken`; no other text is looked up. */
const TOKEN = /^[\w-]{43}$/

const receive = async (
  { database, onStored }: HeartbeatRoutesOptions,
  { params, query, rawBody }: PingCall,
  signal: string,
) => {
  if (!TOKEN.test(params.token)) throw unauthorized()
  const tokenHash = hashToken(params.token)
  const owner = await asLookup(database, (systemScope) => store.findByToken(systemScope, tokenHash))
  if (owner === undefined) throw unauthorized()
  const { kind, exitCode } = signalOf(signal)
  const { organizationId, componentId } = owner
  const ping = { kind, exitCode, run: query.run ?? null, body: textOf(rawBody) }
  const atMs = await transact(database, { organizationId, actor: systemActor }, (scope) =>
    applyReceived(scope, { componentId, tokenHash }, ping),
  )
  onStored(owner, atMs)
  return successReply
}

const MAX_EXIT_CODE = 255

const signalOf = (signal: string): { kind: PingKind; exitCode: number | null } => {
  const known = pingKinds.find((kind) => kind === signal)
  if (known !== undefined) return { kind: known, exitCode: null }
  const exitCode = /^\d{1,3}$/.test(signal) ? Number(signal) : Number.NaN
  if (!(exitCode <= MAX_EXIT_CODE)) {
    const message = `signal must be start, finish, fail, alive or at most ${MAX_EXIT_CODE}`
    throw invalid({ field: 'signal', message })
  }
  return { kind: exitCode === 0 ? 'finish' : 'fail', exitCode }
}

/** Postgres stores no NUL in a text. */
const textOf = (body: Buffer | undefined): string | null =>
  body === undefined
    ? null
    : body.subarray(0, MAX_PING_BODY_BYTES).toString('utf8').replaceAll('\0', '\uFFFD')

type ReceivedPing = Pick<store.PingRow, 'kind' | 'exitCode' | 'run' | 'body'>

/** Applies a ping; returns its time. The token may have been replaced since the lookup. */
const applyReceived = async (
  scope: Scope,
  { componentId, tokenHash }: { componentId: string; tokenHash: string },
  ping: ReceivedPing,
) => {
  const { organizationId } = scope
  const [row] = await store.lockHeartbeats(scope, [componentId])
  const [target] = await listByIds(scope, [componentId])
  if (row?.tokenHash !== tokenHash || target === undefined || !isHeartbeat(target)) {
    throw unauthorized()
  }
  // Two pings of one millisecond are two results.
  const atMs = Math.max(scope.now.getTime(), (row.lastPingAt?.getTime() ?? 0) + 1)
  const receivedAt = new Date(atMs)
  const { kind, run } = ping
  const { state, results, durationMs } = applyPing(stateOf(row), target.probe, { kind, run, atMs })
  const columns = { lastPingAt: receivedAt, pings: row.pings + 1 }
  const events = await saveChanges(scope, [{ target, state, results, columns }])
  const position = row.pings % MAX_STORED_PINGS
  await store.savePing(scope, {
    organizationId,
    componentId,
    position,
    receivedAt,
    durationMs,
    ...ping,
  })
  return { result: atMs, events, audit: [] }
}

const heartbeatOf = (row: store.HeartbeatRow, pings: readonly store.PingRow[]): Heartbeat => ({
  componentId: row.componentId,
  tokenIssuedAt: row.tokenIssuedAt?.toISOString() ?? null,
  lastPingAt: row.lastPingAt?.toISOString() ?? null,
  expectedAt: row.expectedAt?.toISOString() ?? null,
  dueAt: row.dueAt?.toISOString() ?? null,
  runs: row.runs.map(({ run, startedMs, deadlineMs }) => ({
    run,
    startedAt: new Date(startedMs).toISOString(),
    deadlineAt: deadlineMs === null ? null : new Date(deadlineMs).toISOString(),
  })),
  pings: pings.map(({ receivedAt, kind, exitCode, run, durationMs, body }) => ({
    receivedAt: receivedAt.toISOString(),
    kind,
    exitCode,
    run,
    durationMs,
    body,
  })),
})
