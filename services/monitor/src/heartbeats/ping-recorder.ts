/**
 * Stores received pings in batches and answers each ping after its commit, so that a kill loses no
 * acknowledged ping. Pings that change no status are stored across organizations in a few
 * statements; the others are recorded in one transaction per organization. A transaction per ping
 * took 4 to 7 ms of processor time, a batch takes 0.5 to 0.8 ms per ping at 300 pings a second and
 * less at higher rates (`benchmark:heartbeats`).
 */
import { BatchQueue, Semaphore } from '@status-page/concurrency'
import { systemActor, unauthorized } from '@status-page/contracts'
import {
  asLookup,
  asWorker,
  type Database,
  databaseErrorOf,
  isConnectionFault,
  type Scope,
  type SystemScope,
  transact,
} from '@status-page/postgres'
import type { Logger } from 'pino'
import type { Stored } from '../checks/record/results.ts'
import { insertChecks } from '../checks/record/rows.ts'
import { listByIds } from '../targets/store.ts'
import { applyPings, isSteady, type ReceivedPing } from './received-pings.ts'
import { isHeartbeat, saveChanges, savedOf, successRowOf } from './record.ts'
import {
  findByTokens,
  lockByTokens,
  lockHeartbeats,
  type PingRow,
  saveHeartbeats,
  savePings,
} from './store.ts'

/** Pings of one batch. */
const BATCH_SIZE = 500
/** Pings that wait for a batch; more are refused with 503. */
const MAX_WAITING = 10_000
/** Organizations whose pings are recorded at once, and that wait for it. */
const ORGANIZATIONS_AT_ONCE = 4
const MAX_WAITING_ORGANIZATIONS = 2_000

export interface PingRecorderOptions {
  database: Database
  logger: Logger
  /** Called with each stored ping. */
  onStored: Stored
}

interface WaitingPing {
  ping: ReceivedPing
  resolve(): void
  reject(error: unknown): void
}

/** Resolves once the ping is stored; rejects with 401 for a token that is not valid. */
export type RecordPing = (ping: ReceivedPing) => Promise<void>

export const createPingRecorder = (options: PingRecorderOptions): RecordPing => {
  const organizations = new Semaphore({
    slots: ORGANIZATIONS_AT_ONCE,
    slotsPerKey: 1,
    maxWaiting: MAX_WAITING_ORGANIZATIONS,
  })
  const queue = new BatchQueue<WaitingPing>({
    batchSize: BATCH_SIZE,
    maxWaiting: MAX_WAITING,
    process: async (batch) => {
      try {
        const others = await storeSteady(options, batch)
        // An organization whose transaction waits for a lock delays no other.
        void recordOthers(options, organizations, others)
      } catch (error) {
        rejectAll(batch, error)
      }
    },
  })
  return (ping) =>
    new Promise((resolve, reject) => {
      queue.add({ ping, resolve, reject })
    })
}

const rejectAll = (waiting: readonly WaitingPing[], error: unknown): void => {
  for (const { reject } of waiting) reject(error)
}

const hashOf = ({ ping }: WaitingPing): string => ping.tokenHash

/** Stores the pings that change no status; returns the others. */
const storeSteady = async (
  { database, logger, onStored }: PingRecorderOptions,
  batch: readonly WaitingPing[],
): Promise<readonly WaitingPing[]> => {
  const byToken = Map.groupBy(batch, hashOf)
  const settled = await asWorker(database, (scope) => saveSteady(scope, byToken)).catch(
    (error: unknown) => {
      if (isConnectionFault(databaseErrorOf(error) ?? error)) throw error
      logger.warn({ err: error, pings: batch.length }, 'batch of pings failed, will be divided')
      return new Map<string, readonly PingRow[]>()
    },
  )
  for (const [tokenHash, pings] of settled) {
    for (const ping of pings) onStored(ping, ping.receivedAt.getTime())
    for (const { resolve } of byToken.get(tokenHash) ?? []) resolve()
  }
  return batch.filter((waiting) => !settled.has(hashOf(waiting)))
}

/** Saves the pings of the heartbeats whose status they do not change; returns them by token. */
const saveSteady = async (
  scope: SystemScope,
  byToken: ReadonlyMap<string, readonly WaitingPing[]>,
): Promise<Map<string, readonly PingRow[]>> => {
  const locked = await lockByTokens(scope, [...byToken.keys()])
  const steady = locked.flatMap(({ row, target, state }) => {
    const tokenHash = row.tokenHash ?? ''
    const waiting = byToken.get(tokenHash)
    if (waiting === undefined || !isHeartbeat(target)) return []
    const received = waiting.map(({ ping }) => ping)
    const applied = applyPings(row, target, received, scope.now)
    return isSteady(applied.change.results, state, target) ? [{ tokenHash, ...applied }] : []
  })
  const changes = steady.map(({ change }) => change)
  await saveHeartbeats(scope, changes.map(savedOf))
  await savePings(
    scope,
    steady.flatMap(({ pings }) => pings),
  )
  const checks = changes.flatMap(({ target, results }) =>
    results.map(({ atMs }) => successRowOf(target, atMs)),
  )
  await insertChecks(scope, checks)
  return new Map(steady.map(({ tokenHash, pings }) => [tokenHash, pings]))
}

/** Records each organization on its own; never rejects. */
const recordOthers = async (
  options: PingRecorderOptions,
  organizations: Semaphore,
  batch: readonly WaitingPing[],
): Promise<void> => {
  if (batch.length === 0) return
  const hashes = [...new Set(batch.map(hashOf))]
  try {
    const owners = await asLookup(options.database, (scope) => findByTokens(scope, hashes))
    const known = batch.filter((waiting) => owners.has(hashOf(waiting)))
    rejectAll(
      batch.filter((waiting) => !owners.has(hashOf(waiting))),
      unauthorized(),
    )
    const groups = Map.groupBy(
      known,
      (waiting) => owners.get(hashOf(waiting))?.organizationId ?? '',
    )
    for (const [organizationId, waiting] of groups) {
      const ids = waiting.map((one) => owners.get(hashOf(one))?.componentId ?? '')
      void organizations
        .run(() => recordGroup(options, { organizationId, ids, waiting }), organizationId)
        .catch((error) => rejectAll(waiting, error))
    }
  } catch (error) {
    rejectAll(batch, error)
  }
}

interface PingGroup {
  organizationId: string
  /** Components of the pings. */
  ids: readonly string[]
  waiting: readonly WaitingPing[]
}

const recordGroup = async (
  { database, onStored }: PingRecorderOptions,
  { organizationId, ids, waiting }: PingGroup,
): Promise<void> => {
  const by = { organizationId, actor: systemActor }
  const byToken = Map.groupBy(waiting, hashOf)
  const stored = await transact(database, by, async (scope) => {
    const applied = await applyGroup(scope, [...new Set(ids)], byToken)
    const events = await saveChanges(
      scope,
      applied.map(({ change }) => change),
    )
    const pings = applied.flatMap((one) => one.pings)
    await savePings(scope, pings)
    return { result: applied, events, audit: [] }
  })
  for (const { pings } of stored) {
    for (const ping of pings) onStored(ping, ping.receivedAt.getTime())
  }
  const tokens = new Set(stored.map(({ tokenHash }) => tokenHash))
  for (const one of waiting) {
    if (tokens.has(hashOf(one))) one.resolve()
    else one.reject(unauthorized())
  }
}

/** A token may have been replaced since the lookup. */
const applyGroup = async (
  scope: Scope,
  ids: readonly string[],
  byToken: ReadonlyMap<string, readonly WaitingPing[]>,
) => {
  const rows = await lockHeartbeats(scope, ids)
  const targets = new Map(
    (await listByIds(scope, ids)).map((target) => [target.componentId, target]),
  )
  return rows.flatMap((row) => {
    const tokenHash = row.tokenHash ?? ''
    const target = targets.get(row.componentId)
    const waiting = byToken.get(tokenHash)
    if (target === undefined || waiting === undefined || !isHeartbeat(target)) return []
    const received = waiting.map(({ ping }) => ping)
    return [{ tokenHash, ...applyPings(row, target, received, scope.now) }]
  })
}
