/** What an attempt leaves behind: its record, the delivery's state, the destination's, and the fact of an end. */
import { emit, subscriberQuarantined, systemActor } from '@status-page/contracts'
import { change, type Database, type Scope } from '@status-page/postgres'
import { cancelWaiting } from './fan-out.ts'
import type { Claimed } from './leases.ts'
import { type Settlement, settle, type Verdict } from './rules.ts'
import {
  addAttempt,
  endDestination,
  failedEvents,
  finishAttempt,
  type Leased,
  readLeased,
  updateDestination,
} from './store.ts'
import { readTransport, SMTP, saveTransport } from './transports.ts'

export interface RecordDeps {
  database: Database
  logger: { warn(details: object, message: string): void }
}

export interface Attempted {
  verdict: Verdict
  startedAt: Date
  durationMs: number
}

/** Attempt, delivery, destination and the fact about it become true together. */
export const record = (
  { database, logger }: RecordDeps,
  owner: string,
  { id, organizationId, attempts }: Claimed,
  attempted: Attempted,
): Promise<void> =>
  change(database, { organizationId, actor: systemActor }, async (scope) => {
    const nothing = { result: undefined, events: [], audit: [] }
    const leased = await readLeased(
      scope,
      id,
      attempted.verdict.class === 'delivered' ? null : owner,
    )
    if (leased === null) return nothing
    const settlement = await judge(scope, leased, attempted.verdict)
    const { outcome, statusCode } = settlement
    await addAttempt(scope, id, attempts, { ...attempted, outcome, statusCode, error: null })
    await finishAttempt(scope, id, owner, {
      state: settlement.state,
      reason: settlement.reason,
      finishedAt: settlement.state === 'pending' ? null : scope.now,
      ...(settlement.nextAttemptAt === null ? {} : { nextAttemptAt: settlement.nextAttemptAt }),
      ...(settlement.leavesLane ? { lane: `${leased.delivery.lane}:${id}` } : {}),
    })
    const ended = await settleDestination(scope, leased, settlement)
    if (ended === null) return nothing
    logger.warn({ subscriberId: ended.subscriberId, reason: settlement.ends }, 'destination ended')
    const fact = emit(
      subscriberQuarantined,
      { id: leased.destination.id, version: ended.version },
      {
        subscriberId: ended.subscriberId,
        reason: settlement.ends ?? 'endpoint_failing',
        at: scope.now.toISOString(),
      },
    )
    return { ...nothing, events: [fact] }
  })

const judge = async (
  scope: Scope,
  { delivery, destination }: Leased & object,
  verdict: Verdict,
): Promise<Settlement> => {
  const { failStreak: transportStreak } = await readTransport(scope, SMTP)
  const earlier = await failedEvents(scope, destination.id, destination.lastOkAt)
  return settle(
    verdict,
    {
      attempts: delivery.attempts,
      failStreak: destination.failStreak,
      firstFailAt: destination.firstFailAt,
      lastOkAt: destination.lastOkAt,
      failedEvents: earlier,
      transportStreak,
    },
    scope.now,
    Math.random(),
  )
}

const settleDestination = async (
  scope: Scope,
  { destination }: Leased & object,
  settlement: Settlement,
) => {
  const { now } = scope
  if (settlement.transportBlockedUntil !== undefined) {
    const { failStreak } = await readTransport(scope, SMTP)
    const blockedUntil = settlement.transportBlockedUntil
    await saveTransport(scope, SMTP, { blockedUntil, failStreak: failStreak + 1 })
  }
  if (settlement.outcome === 'delivered') {
    await updateDestination(scope, destination.id, {
      blockedUntil: null,
      failStreak: 0,
      firstFailAt: null,
      lastOkAt: now,
    })
    if (destination.type === 'email')
      await saveTransport(scope, SMTP, { blockedUntil: null, failStreak: 0 })
  } else if (settlement.blockedUntil !== undefined) {
    await updateDestination(scope, destination.id, {
      blockedUntil: settlement.blockedUntil,
      failStreak: destination.failStreak + 1,
      firstFailAt: destination.firstFailAt ?? now,
    })
  }
  if (settlement.ends === null) return null
  const ended = await endDestination(scope, destination.id, settlement.ends)
  if (ended !== null) await cancelWaiting(scope, destination.id, 'disabled')
  return ended
}
