/** What an attempt leaves behind: its record, the delivery's state, the destination's, and the fact of an end. */
import {
  emit,
  type Outcome,
  subscriberQuarantined,
  subscriberUnsubscribed,
  systemActor,
} from '@status-page/contracts'
import { type Database, type Scope, transact } from '@status-page/postgres'
import { keepMessageId } from '../hooks/store.ts'
import { disableChannel, noteDelivery } from '../notification-channels/store.ts'
import { noteEnding } from '../suppressions/store.ts'
import type { EndReason } from '../tables.ts'
import { cancelWaiting } from './fan-out.ts'
import type { ClaimedDelivery } from './leases.ts'
import type { Meter } from './metrics.ts'
import { isQuestion } from './questions.ts'
import { type SendResult, type Settlement, settle } from './rules.ts'
import {
  addAttempt,
  endDestination,
  finishAttempt,
  noteSoftFailure,
  noteTold,
  otherFailedEvents,
  readLeased,
  type StoredDelivery,
  updateDestination,
} from './store.ts'
import { clearTransport, failTransport } from './transports.ts'

export interface RecordDeps {
  database: Database
  meter: Meter
  logger: Record<'warn' | 'error', (details: object, message: string) => void>
}

export interface Attempted {
  verdict: SendResult
  /** Bytes that the next attempt is to repeat; null where it writes anew. */
  body: Buffer | null
  startedAt: Date
  durationMs: number
}

const nothingElse: Outcome<void> = { result: undefined, events: [], audit: [] }

/** Attempt, delivery, destination and the fact about it become true together. */
export const record = (
  { database, logger, meter }: RecordDeps,
  owner: string,
  claimed: ClaimedDelivery,
  { verdict, body, startedAt, durationMs }: Attempted,
): Promise<void> => {
  const { id, organizationId, attempts, transport } = claimed
  return transact(database, { organizationId, actor: systemActor }, async (scope) => {
    const isDelivered = verdict.class === 'delivered'
    const leased = await readLeased(scope, id, isDelivered ? null : owner)
    if (leased === null) return nothingElse
    const settlement = await judge(scope, leased, verdict, claimed)
    const { outcome, statusCode } = settlement
    const error = ('detail' in verdict && verdict.detail) || null
    await addAttempt(scope, id, attempts, { startedAt, durationMs, outcome, statusCode, error })
    const change = changeOf(leased, settlement, scope.now)
    const kept = body === null || leased.delivery.body !== null ? {} : { body }
    if (!(await finishAttempt(scope, id, owner, { ...change, ...kept }))) return nothingElse
    if (isDelivered) {
      const { delivery, destination } = leased
      meter.delivered(destination.type, (scope.now.getTime() - delivery.createdAt.getTime()) / 1000)
    }
    if (await settleTransport(scope, transport, settlement)) {
      const { reason } = settlement
      logger.error(
        { alarm: reason, transport, outcome, statusCode },
        'deliveries wait for their transport',
      )
    }
    await settleChannel(scope, leased, settlement, verdict)
    const end = await settleDestination(scope, leased, settlement)
    if (end === null) return nothingElse
    const { subscriberId, channelId } = leased.destination
    logger.warn({ subscriberId, channelId, reason: settlement.ends }, 'destination suppressed')
    return end
  })
}

const changeOf = (
  { delivery, destination }: StoredDelivery & object,
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
  { delivery, destination }: StoredDelivery & object,
  verdict: SendResult,
  { transport }: ClaimedDelivery,
): Promise<Settlement> => {
  const { id: destinationId, lastOkAt, failStreak, firstFailAt } = destination
  const { eventId, attempts } = delivery
  const isSoft = verdict.class === 'mail' && verdict.soft !== undefined
  const others = await otherFailedEvents(scope, { destinationId, eventId }, lastOkAt)
  return settle(
    verdict,
    {
      attempts,
      failStreak,
      firstFailAt,
      lastOkAt,
      failedEvents: 1 + others,
      softFailures: isSoft ? await noteSoftFailure(scope, destinationId, eventId) : 0,
      transportStreak: transport?.failStreak ?? 0,
    },
    scope.now,
    Math.random(),
  )
}

/** True when the attempt is the one that found the transport to fail. */
const settleTransport = async (
  scope: Scope,
  transport: ClaimedDelivery['transport'],
  { outcome, transport: block }: Settlement,
): Promise<boolean> => {
  if (transport === null) return false
  if (block !== null) return failTransport(scope, transport, block)
  if (outcome === 'delivered') await clearTransport(scope, transport.name)
  return false
}

const settleChannel = async (
  scope: Scope,
  { destination, channel, delivery }: StoredDelivery & object,
  { outcome }: Settlement,
  verdict: SendResult,
): Promise<void> => {
  if (destination.channelId !== null) await noteDelivery(scope, destination.channelId, outcome)
  if (channel === null || verdict.class !== 'delivered' || !verdict.providerId) return
  await keepMessageId(scope, verdict.providerId, {
    channelId: channel.id,
    destinationId: destination.id,
    eventId: delivery.eventId,
  })
}

const settleDestination = async (
  scope: Scope,
  { destination, event, channel }: StoredDelivery & object,
  { outcome, blockedUntil, ends }: Settlement,
): Promise<Outcome<void> | null> => {
  const { now } = scope
  if (outcome === 'delivered') {
    const sound = { blockedUntil: null, failStreak: 0, firstFailAt: null, lastOkAt: now }
    await updateDestination(scope, destination.id, sound)
    const { subscriberId } = destination
    if (subscriberId !== null && !isQuestion(event)) await noteTold(scope, subscriberId)
  } else if (blockedUntil !== undefined) {
    await updateDestination(scope, destination.id, {
      blockedUntil,
      failStreak: destination.failStreak + 1,
      firstFailAt: destination.firstFailAt ?? now,
    })
  }
  // A person's address is the gateway's to judge; only this mail has failed.
  if (ends === null || destination.kind === 'user') return null
  const ended = await end(scope, destination, ends)
  const isEndpoint = ends === 'endpoint_gone' || ends === 'endpoint_failing'
  if (!isEndpoint || destination.kind !== 'channel' || channel === null) return ended
  return { ...nothingElse, audit: [await disableChannel(scope, channel, ends)] }
}

export interface EndingDestination {
  id: string
  subscriberId: string | null
}

/** Ends a destination, drops what waits for it, and states the fact where it is a subscriber. */
export const end = async (
  scope: Scope,
  { id, subscriberId }: EndingDestination,
  reason: EndReason,
): Promise<Outcome<void> | null> => {
  const isOver = reason === 'sms_stop'
  const state = isOver ? 'unsubscribed' : 'quarantined'
  const ended = await endDestination(scope, id, { state, reason })
  if (ended === null) return null
  await cancelWaiting(scope, id, isOver ? 'unsubscribed' : 'disabled')
  if (!isOver) await noteEnding(scope, id, reason)
  if (subscriberId === null) return nothingElse
  const about = { id, version: ended.version }
  const data = { subscriberId, reason, at: scope.now.toISOString() }
  const fact = isOver
    ? emit(subscriberUnsubscribed, about, data)
    : emit(subscriberQuarantined, about, data)
  return { ...nothingElse, events: [fact] }
}
