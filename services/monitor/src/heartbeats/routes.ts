/** Pings of jobs, and the operations that core calls: state and token of a heartbeat. */
import {
  draftAudit,
  type Heartbeat,
  heartbeatHookOperations,
  heartbeatOperations,
  invalid,
  MAX_PING_BODY_BYTES,
  orNotFound,
  type PingKind,
  pingKinds,
  successReply,
  unauthorized,
} from '@status-page/contracts'
import type { Scope } from '@status-page/postgres'
import { hashToken, randomToken } from '@status-page/secrets'
import { createRoutes, type Route } from '@status-page/service'
import { listByIds } from '../targets/store.ts'
import { createPingRecorder, type PingRecorderOptions, type RecordPing } from './ping-recorder.ts'
import * as store from './store.ts'

export const heartbeatRoutes = (options: PingRecorderOptions): Route[] => {
  const record = createPingRecorder(options)
  return [
    ...createRoutes(heartbeatOperations, {
      read: ({ params, read }) =>
        read(async (scope) => {
          const row = orNotFound(await store.findHeartbeat(scope, params.id))
          return heartbeatOf(row, await store.listPings(scope, params.id))
        }),

      rotateToken: ({ params, change }) => change((scope) => rotateToken(scope, params.id)),
    }),
    ...createRoutes(heartbeatHookOperations, {
      heartbeat: (call) => receive(record, call, 'ping'),
      heartbeatByGet: (call) => receive(record, call, 'ping'),
      heartbeatSignal: (call) => receive(record, call, call.params.signal),
      heartbeatSignalByGet: (call) => receive(record, call, call.params.signal),
    }),
  ]
}

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
  record: RecordPing,
  { params, query, rawBody }: PingCall,
  signal: string,
) => {
  if (!TOKEN.test(params.token)) throw unauthorized()
  const { kind, exitCode } = signalOf(signal)
  const tokenHash = hashToken(params.token)
  await record({ tokenHash, kind, exitCode, run: query.run ?? null, body: textOf(rawBody) })
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
