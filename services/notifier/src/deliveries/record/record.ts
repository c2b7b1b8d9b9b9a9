/**
 * Records an attempt: the attempt itself, the states of delivery and destination, and the event of
 * a suppression.
 */
import {
  draftEvent,
  type OutcomeDrafts,
  subscriberQuarantined,
  subscriberUnsubscribed,
  systemActor,
} from '@status-page/contracts'
import { type Database, type Scope, transact } from '@status-page/postgres'
import { cancelDeliveriesToDestination } from '../../audiences/store.ts'
import type { SendResult } from '../../channels/send-result.ts'
import {
  clearTransport,
  failTransport,
  isChannelTransport,
} from '../../channels/shared-transports.ts'
import { isConfirmation } from '../../messages/confirmation.ts'
import { disableChannel, recordLastDelivery } from '../../notification-channels/store.ts'
import type { SuppressionReason } from '../../tables.ts'
import type { ClaimedDelivery } from '../claim/leases.ts'
import type { DeliveryMeter } from './metrics.ts'
import { type AttemptSettlement, decideAttemptOutcome } from './rules.ts'
import {
  addAttempt,
  countOtherFailedEvents,
  deliveredColumns,
  endDestination,
  finishAttempt,
  readLastSuccessAt,
  readLeasedDelivery,
  recordNotified,
  recordSoftBounce,
  recordSuppression,
  type StoredDelivery,
  saveMessageId,
  updateDestination,
} from './store.ts'

export interface RecordDeps {
  database: Database
  meter: DeliveryMeter
  logger: Record<'info' | 'warn' | 'error', (details: object, message: string) => void>
}

export interface CompletedAttempt {
  sendResult: SendResult
  /** Bytes for the next attempt to repeat; null where it renders again. */
  body: Buffer | null
  startedAt: Date
  durationMs: number
}

const unrecorded = { result: undefined }

/** Saves attempt, delivery, destination and event in one transaction. */
export const recordAttempt = (
  { database, logger, meter }: RecordDeps,
  owner: string,
  claimed: ClaimedDelivery,
  { sendResult, body, startedAt, durationMs }: CompletedAttempt,
): Promise<void> => {
  const { id, organizationId, attempts, transport } = claimed
  return transact(database, { organizationId, actor: systemActor }, async (scope) => {
    const isDelivered = sendResult.class === 'delivered'
    const leased = await readLeasedDelivery(scope, id, isDelivered ? null : owner)
    if (leased === null) return unrecorded
    const settlement = await settleAttempt(scope, leased, sendResult, claimed)
    const { outcome, statusCode } = settlement
    const error = ('detail' in sendResult && sendResult.detail) || null
    const attempt = { startedAt, durationMs, outcome, statusCode, error }
    const change = {
      ...changeOf(leased, settlement, scope.now),
      ...(body === null || leased.delivery.body !== null ? {} : { body }),
      ...(isDelivered ? deliveredColumns(attempts, attempt) : {}),
    }
    const isFinished = await finishAttempt(scope, id, owner, change)
    if (!isDelivered || !isFinished) await addAttempt(scope, id, attempts, attempt)
    if (!isFinished) return unrecorded
    if (isDelivered) {
      const { delivery, destination } = leased
      meter.delivered(destination.type, (scope.now.getTime() - delivery.createdAt.getTime()) / 1000)
    }
    if (await settleTransport(scope, transport, settlement)) {
      logTransportFailure({ logger, meter }, transport, settlement)
    }
    await settleChannel(scope, leased, settlement, sendResult)
    const suppression = await settleDestination(scope, leased, settlement)
    if (suppression === null) return unrecorded
    const { subscriberId, channelId } = leased.destination
    logger.info(
      { subscriberId, channelId, reason: settlement.suppressionReason },
      'destination suppressed',
    )
    return { result: undefined, ...suppression }
  })
}

/** Logs a failed transport: the operator's as an error, a channel's at info with a counter. */
const logTransportFailure = (
  { logger, meter }: Pick<RecordDeps, 'logger' | 'meter'>,
  transport: ClaimedDelivery['transport'],
  { reason, outcome, statusCode }: AttemptSettlement,
): void => {
  const message = 'deliveries wait for their transport'
  if (transport !== null && isChannelTransport(transport.name)) {
    meter.channelFailed(reason ?? outcome)
    logger.info({ reason, transport, outcome, statusCode }, message)
  } else {
    logger.error({ alarm: reason, transport, outcome, statusCode }, message)
  }
}

const changeOf = (
  { delivery }: StoredDelivery & object,
  { state, reason, nextAttemptAt, leavesOrder }: AttemptSettlement,
  now: Date,
) => ({
  state,
  reason,
  finishedAt: state === 'pending' ? null : now,
  ...(nextAttemptAt === null ? {} : { nextAttemptAt }),
  ...(leavesOrder ? { orderingKey: delivery.id } : {}),
})

const settleAttempt = async (
  scope: Scope,
  { delivery, destination }: StoredDelivery & object,
  sendResult: SendResult,
  { transport }: ClaimedDelivery,
): Promise<AttemptSettlement> => {
  const { id: destinationId, failStreak, firstFailAt } = destination
  const { eventId, attempts } = delivery
  const isSoft = sendResult.class === 'mail' && sendResult.soft !== undefined
  const mayBeDead = sendResult.class === 'endpoint' && firstFailAt !== null
  const lastOkAt = mayBeDead ? await readLastSuccessAt(scope, destination, firstFailAt) : null
  const others = mayBeDead
    ? await countOtherFailedEvents(scope, { destinationId, eventId }, lastOkAt)
    : 0
  return decideAttemptOutcome(
    sendResult,
    {
      attempts,
      failStreak,
      firstFailAt,
      lastOkAt,
      failedEvents: 1 + others,
      softBounces: isSoft ? await recordSoftBounce(scope, destinationId, eventId) : 0,
      transportStreak: transport?.failStreak ?? 0,
    },
    scope.now,
    Math.random(),
  )
}

/** True when this attempt was the first to find the transport failing. */
const settleTransport = async (
  scope: Scope,
  transport: ClaimedDelivery['transport'],
  { outcome, transport: block }: AttemptSettlement,
): Promise<boolean> => {
  if (transport === null) return false
  if (block !== null) return failTransport(scope, transport, block)
  if (outcome === 'delivered') await clearTransport(scope, transport.name)
  return false
}

const settleChannel = async (
  scope: Scope,
  { destination, channel, delivery }: StoredDelivery & object,
  { outcome }: AttemptSettlement,
  sendResult: SendResult,
): Promise<void> => {
  if (destination.channelId !== null)
    await recordLastDelivery(scope, destination.channelId, outcome)
  if (channel === null || sendResult.class !== 'delivered' || !sendResult.providerId) return
  await saveMessageId(scope, sendResult.providerId, {
    channelId: channel.id,
    destinationId: destination.id,
    eventId: delivery.eventId,
  })
}

const settleDestination = async (
  scope: Scope,
  { destination, event, channel }: StoredDelivery & object,
  { outcome, blockedUntil, suppressionReason }: AttemptSettlement,
): Promise<OutcomeDrafts | null> => {
  const { now } = scope
  if (outcome === 'delivered') {
    const healthy = { blockedUntil: null, failStreak: 0, firstFailAt: null }
    await updateDestination(scope, destination.id, healthy)
    const { subscriberId } = destination
    if (subscriberId !== null && !isConfirmation(event)) await recordNotified(scope, subscriberId)
  } else if (blockedUntil !== undefined) {
    await updateDestination(scope, destination.id, {
      blockedUntil,
      failStreak: destination.failStreak + 1,
      firstFailAt: destination.firstFailAt ?? now,
    })
  }
  // Addresses of accounts belong to the gateway: only this mail fails.
  if (suppressionReason === null || destination.kind === 'user') return null
  const ended = await suppressDestination(scope, destination, suppressionReason)
  const isEndpoint =
    suppressionReason === 'endpoint_gone' || suppressionReason === 'endpoint_failing'
  if (!isEndpoint || destination.kind !== 'channel' || channel === null) return ended
  return { events: [], audit: [await disableChannel(scope, channel, suppressionReason)] }
}

export interface SuppressibleDestination {
  id: string
  subscriberId: string | null
}

/**
 * Suppresses a destination, cancels its pending deliveries and, for a subscriber, returns the
 * event.
 */
export const suppressDestination = async (
  scope: Scope,
  { id, subscriberId }: SuppressibleDestination,
  reason: SuppressionReason,
): Promise<OutcomeDrafts | null> => {
  const isOver = reason === 'sms_stop'
  const state = isOver ? 'unsubscribed' : 'quarantined'
  const ended = await endDestination(scope, id, { state, reason })
  if (ended === null) return null
  await cancelDeliveriesToDestination(scope, id, isOver ? 'unsubscribed' : 'disabled')
  if (!isOver) await recordSuppression(scope, id, reason)
  if (subscriberId === null) return { events: [], audit: [] }
  const about = { id, version: ended.version }
  const data = { subscriberId, reason, at: scope.now.toISOString() }
  const event = isOver
    ? draftEvent(subscriberUnsubscribed, about, data)
    : draftEvent(subscriberQuarantined, about, data)
  return { events: [event], audit: [] }
}
