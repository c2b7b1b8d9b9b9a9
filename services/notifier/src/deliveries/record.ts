/** What an attempt leaves behind: its record, the delivery's state, the destination's, and the fact of an end. */
import { emit, type Outcome, subscriberQuarantined, systemActor } from '@status-page/contracts'
import { change, type Database, type Scope } from '@status-page/postgres'
import { cancelWaiting } from './fan-out.ts'
import type { Claimed } from './leases.ts'
import { isQuestion } from './questions.ts'
import { type Settlement, settle, type Verdict } from './rules.ts'
import {
  addAttempt,
  endDestination,
  finishAttempt,
  type Leased,
  otherFailedEvents,
  readLeased,
  updateDestination,
} from './store.ts'
import { clearTransport, failTransport, SMTP } from './transports.ts'

export interface RecordDeps {
  database: Database
  logger: Record<'warn' | 'error', (details: object, message: string) => void>
}

export interface Attempted {
  verdict: Verdict
  startedAt: Date
  durationMs: number
  /** Failures in a row of the transport when the attempt set out. */
  transportStreak: number
}

const nothingElse: Outcome<void> = { result: undefined, events: [], audit: [] }

/** Attempt, delivery, destination and the fact about it become true together. */
export const record = (
  { database, logger }: RecordDeps,
  owner: string,
  { id, organizationId, attempts }: Claimed,
  attempted: Attempted,
): Promise<void> =>
  change(database, { organizationId, actor: systemActor }, async (scope) => {
    const isDelivered = attempted.verdict.class === 'delivered'
    const leased = await readLeased(scope, id, isDelivered ? null : owner)
    if (leased === null) return nothingElse
    const settlement = await judge(scope, leased, attempted)
    const { startedAt, durationMs, transportStreak } = attempted
    const { outcome, statusCode } = settlement
    await addAttempt(scope, id, attempts, {
      startedAt,
      durationMs,
      outcome,
      statusCode,
      error: null,
    })
    if (!(await finishAttempt(scope, id, owner, changeOf(leased, settlement, scope.now)))) {
      return nothingElse
    }
    if (await settleTransport(scope, leased, settlement, transportStreak)) {
      const { reason } = settlement
      logger.error({ alarm: reason, outcome, statusCode }, 'mail waits for the mail server')
    }
    const ended = await settleDestination(scope, leased, settlement)
    if (ended === null) return nothingElse
    logger.warn({ subscriberId: ended.subscriberId, reason: settlement.ends }, 'destination ended')
    return { ...nothingElse, events: [quarantined(leased, ended, scope.now)] }
  })

const changeOf = (
  { delivery, destination }: Leased & object,
  { state, reason, nextAttemptAt, leavesLane }: Settlement,
  now: Date,
) => ({
  state,
  reason,
  finishedAt: state === 'pending' ? null : now,
  ...(nextAttemptAt === null ? {} : { nextAttemptAt }),
  ...(leavesLane ? { lane: `${destination.id}:${delivery.id}` } : {}),
})

const judge = async (
  scope: Scope,
  { delivery, destination }: Leased & object,
  { verdict, transportStreak }: Attempted,
): Promise<Settlement> => {
  const about = { destinationId: destination.id, eventId: delivery.eventId }
  return settle(
    verdict,
    {
      attempts: delivery.attempts,
      failStreak: destination.failStreak,
      firstFailAt: destination.firstFailAt,
      lastOkAt: destination.lastOkAt,
      failedEvents: 1 + (await otherFailedEvents(scope, about, destination.lastOkAt)),
      transportStreak,
    },
    scope.now,
    Math.random(),
  )
}

/** True when the attempt is the one that found the transport to fail. */
const settleTransport = async (
  scope: Scope,
  { destination }: Leased & object,
  { outcome, transport }: Settlement,
  seenStreak: number,
): Promise<boolean> => {
  if (transport !== null) return failTransport(scope, SMTP, seenStreak, transport)
  if (outcome === 'delivered' && destination.type === 'email') await clearTransport(scope, SMTP)
  return false
}

const settleDestination = async (
  scope: Scope,
  { destination, event }: Leased & object,
  { outcome, blockedUntil, ends }: Settlement,
) => {
  const { now } = scope
  if (outcome === 'delivered') {
    const sound = { blockedUntil: null, failStreak: 0, firstFailAt: null, lastOkAt: now }
    const isTold = destination.subscriberId !== null && !isQuestion(event)
    const noted = isTold ? { unsummarisedAt: now } : {}
    await updateDestination(scope, destination.id, { ...sound, ...noted })
  } else if (blockedUntil !== undefined) {
    await updateDestination(scope, destination.id, {
      blockedUntil,
      failStreak: destination.failStreak + 1,
      firstFailAt: destination.firstFailAt ?? now,
    })
  }
  // A person's address is the gateway's to judge; only this mail has failed.
  if (ends === null || destination.subscriberId === null) return null
  const ended = await endDestination(scope, destination.id, ends)
  if (ended !== null) await cancelWaiting(scope, destination.id, 'disabled')
  return ended && { ...ended, subscriberId: destination.subscriberId, reason: ends }
}

const quarantined = (
  { destination }: Leased & object,
  { subscriberId, version, reason }: Ended,
  now: Date,
) =>
  emit(
    subscriberQuarantined,
    { id: destination.id, version },
    { subscriberId, reason, at: now.toISOString() },
  )

type Ended = Awaited<ReturnType<typeof settleDestination>> & object
