/** What an attempt means: for its delivery, for its destination, for the transport behind both. */
import type {
  AttemptOutcome,
  DeliveryReason,
  DeliveryState,
  SubscriberStatusReason,
} from '@status-page/contracts'
import type { DestinationState, DestinationType, SuppressionReason } from '../tables.ts'

const SECOND_MS = 1000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** Pauses after the first, second … failure; past the end the last one repeats, or the delivery gives up. */
const schedules = {
  endpoint: [
    5 * SECOND_MS,
    30 * SECOND_MS,
    2 * MINUTE_MS,
    10 * MINUTE_MS,
    30 * MINUTE_MS,
    HOUR_MS,
    2 * HOUR_MS,
    4 * HOUR_MS,
    8 * HOUR_MS,
  ],
  event: [MINUTE_MS, 10 * MINUTE_MS, HOUR_MS, 6 * HOUR_MS],
  transport: [
    MINUTE_MS,
    5 * MINUTE_MS,
    15 * MINUTE_MS,
    30 * MINUTE_MS,
    HOUR_MS,
    2 * HOUR_MS,
    4 * HOUR_MS,
    8 * HOUR_MS,
  ],
} as const

const JITTER = 0.2
const MAX_RETRY_AFTER_MS = HOUR_MS
const DEAD_AFTER_MS = 5 * DAY_MS
const DEAD_SPAN_MS = DAY_MS / 2
const DEAD_EVENTS = 3

/** How long an event is worth telling, by the kind of destination. */
export const lifetimesMs: Record<DestinationType, number> = {
  webhook: 72 * HOUR_MS,
  email: DAY_MS,
  slack: DAY_MS,
  discord: DAY_MS,
  teams: DAY_MS,
  sms: 4 * HOUR_MS,
}

/** Failures that end an address when as many come within these days. */
export const MAX_SOFT_BOUNCES = 3
export const SOFT_BOUNCE_DAYS = 7

/** What a sender learned, in the terms of the outcome tables. */
export type SendResult =
  /** `providerId`: what delivery reports will name the message by. */
  | { class: 'delivered'; statusCode: number | null; providerId?: string }
  /** The far end fails whatever it is sent: the destination waits. */
  | ({ class: 'endpoint'; retryAfterMs?: number } & ResponseDetails)
  /** The far end refuses this payload: only this delivery waits. */
  | ({ class: 'event' } & ResponseDetails)
  /** The server puts this message off: only this delivery waits. `soft` ends the address in time. */
  | ({ class: 'mail'; soft?: SoftReason } & ResponseDetails)
  /** Our own way out fails: everything through it waits. */
  | ({ class: 'transport' } & ResponseDetails)
  /** The destination is gone for good. */
  | ({ class: 'gone'; suppressionReason: SuppressionReason } & ResponseDetails)
  /** The address may not be dialled. */
  | { class: 'blocked' }

/** What the far end said, as far as it may be told. */
interface ResponseDetails {
  outcome: AttemptOutcome
  statusCode: number | null
  /** One of its known codes, never a text of its own. */
  detail?: string
}

export type SoftReason = Extract<SubscriberStatusReason, 'mailbox_full' | 'unreachable'>

export interface AttemptState {
  /** Attempts of this delivery, this one included. */
  attempts: number
  /** Failures in a row of the destination before this one. */
  failStreak: number
  firstFailAt: Date | null
  lastOkAt: Date | null
  /** Events of this destination that failed since its last success, this one included. */
  failedEvents: number
  /** Events that failed softly there lately, this one included. */
  softBounces: number
  /** Failures in a row of the transport before this one. */
  transportStreak: number
}

export interface Settlement {
  state: Extract<DeliveryState, 'pending' | 'delivered' | 'exhausted' | 'suppressed' | 'cancelled'>
  reason: DeliveryReason | null
  outcome: AttemptOutcome
  statusCode: number | null
  /** When to try again; null when finished. */
  nextAttemptAt: Date | null
  /** Until when the whole destination waits; `undefined` leaves it. */
  blockedUntil?: Date
  /** Until when everything through the transport waits, and why; null leaves it. */
  transport: { blockedUntil: Date; reason: 'channel_blocked' | 'channel_auth' } | null
  /** The payload was refused: its delivery leaves the lane, so that it blocks nobody. */
  leavesOrder: boolean
  /** The destination ends for this reason. */
  suppressionReason: SuppressionReason | null
}

/** Settles one attempt. `random` is 0 to 1 and spreads the retries by a fifth either way. */
export const settle = (
  sendResult: SendResult,
  state: AttemptState,
  now: Date,
  random: number,
): Settlement => {
  const spread = (ms: number) => new Date(now.getTime() + ms * (1 - JITTER + 2 * JITTER * random))
  switch (sendResult.class) {
    case 'delivered':
      return finished('delivered', null, 'delivered', sendResult.statusCode)
    case 'blocked':
      return finished('exhausted', 'blocked_address', 'blocked', null)
    case 'gone':
      return ended(sendResult, sendResult.suppressionReason)
    case 'event': {
      const pause = schedules.event[state.attempts - 1]
      if (pause === undefined) {
        return finished('exhausted', 'attempts', sendResult.outcome, sendResult.statusCode)
      }
      return { ...waiting(sendResult, spread(pause)), leavesOrder: true }
    }
    case 'mail':
      return sendResult.soft !== undefined && state.softBounces >= MAX_SOFT_BOUNCES
        ? ended(sendResult, sendResult.soft)
        : waiting(sendResult, spread(pauseOf(schedules.transport, state.attempts - 1)))
    case 'transport': {
      const until = spread(pauseOf(schedules.transport, state.transportStreak))
      const reason = sendResult.outcome === 'auth_failed' ? 'channel_auth' : 'channel_blocked'
      return { ...waiting(sendResult, until), reason, transport: { blockedUntil: until, reason } }
    }
    case 'endpoint': {
      if (isDead(state, now)) return ended(sendResult, 'endpoint_failing')
      const scheduled = spread(pauseOf(schedules.endpoint, state.failStreak))
      const requestedMs = now.getTime() + Math.min(sendResult.retryAfterMs ?? 0, MAX_RETRY_AFTER_MS)
      const until = new Date(Math.max(scheduled.getTime(), requestedMs))
      return { ...waiting(sendResult, until), blockedUntil: until }
    }
  }
}

/** Five days without a success, three events failed, and failures at least half a day apart. */
const isDead = (state: AttemptState, now: Date): boolean => {
  const lastGood = state.lastOkAt ?? state.firstFailAt
  if (lastGood === null || state.firstFailAt === null) return false
  return (
    now.getTime() - lastGood.getTime() >= DEAD_AFTER_MS &&
    now.getTime() - state.firstFailAt.getTime() >= DEAD_SPAN_MS &&
    state.failedEvents >= DEAD_EVENTS
  )
}

const pauseOf = (schedule: readonly number[], failuresBefore: number): number =>
  schedule[Math.min(failuresBefore, schedule.length - 1)] as number

/** What becomes of a delivery whose destination ends with it. */
const suppressionOutcomes: Record<
  SuppressionReason,
  readonly [Settlement['state'], DeliveryReason]
> = {
  endpoint_gone: ['cancelled', 'disabled'],
  endpoint_failing: ['cancelled', 'disabled'],
  hard_bounce: ['suppressed', 'bad_address'],
  mailbox_full: ['suppressed', 'bad_address'],
  complaint: ['suppressed', 'bad_address'],
  invalid_number: ['suppressed', 'bad_address'],
  unreachable: ['suppressed', 'bad_address'],
  sms_stop: ['cancelled', 'unsubscribed'],
}

const ended = (
  { outcome, statusCode }: Pick<ResponseDetails, 'outcome' | 'statusCode'>,
  suppressionReason: SuppressionReason,
): Settlement => {
  const [state, reason] = suppressionOutcomes[suppressionReason]
  return finished(state, reason, outcome, statusCode, { suppressionReason })
}

const waiting = (
  { outcome, statusCode }: { outcome: AttemptOutcome; statusCode: number | null },
  nextAttemptAt: Date,
): Settlement => ({
  state: 'pending',
  reason: 'retry',
  outcome,
  statusCode,
  nextAttemptAt,
  transport: null,
  leavesOrder: false,
  suppressionReason: null,
})

const finished = (
  state: Settlement['state'],
  reason: DeliveryReason | null,
  outcome: AttemptOutcome,
  statusCode: number | null,
  rest: Partial<Settlement> = {},
): Settlement => ({
  state,
  reason,
  outcome,
  statusCode,
  nextAttemptAt: null,
  transport: null,
  leavesOrder: false,
  suppressionReason: null,
  ...rest,
})

/** Whether a delivery may still go out, judged again right before it does. */
export type SendDecision =
  | 'send'
  | Extract<DeliveryReason, 'unsubscribed' | 'disabled' | 'deleted' | 'muted' | 'expired'>

export const decideSend = (
  { delivery, destination, isSubjectDeleted, isMuted, isConfirmation, isOptedOut }: SendFacts,
  now: Date,
): SendDecision => {
  if (destination.state === 'deleted' || isSubjectDeleted) return 'deleted'
  if (isOptedOut) return 'unsubscribed'
  if (isConfirmation) return delivery.expiresAt <= now ? 'expired' : 'send'
  if (destination.state === 'unsubscribed' || destination.state === 'unconfirmed')
    return 'unsubscribed'
  if (destination.state === 'quarantined' || destination.state === 'disabled') return 'disabled'
  if (delivery.expiresAt <= now) return 'expired'
  return isMuted ? 'muted' : 'send'
}

interface SendFacts {
  delivery: { expiresAt: Date }
  destination: { state: DestinationState }
  /** What the delivery is about was deleted since. */
  isSubjectDeleted: boolean
  /** Every affected component is muted. */
  isMuted: boolean
  /** Asks whether the destination wants to be told anything: it need not be active. */
  isConfirmation: boolean
  /** The number sent STOP to the channel that this would go through. */
  isOptedOut: boolean
}

/** The final state behind a standing that forbids sending. */
export const finalStates: Record<Exclude<SendDecision, 'send'>, DeliveryState> = {
  unsubscribed: 'cancelled',
  disabled: 'cancelled',
  deleted: 'cancelled',
  muted: 'suppressed',
  expired: 'exhausted',
}
