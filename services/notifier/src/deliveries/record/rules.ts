/** Effects of an attempt on its delivery, its destination and its transport. */
import type { AttemptOutcome, DeliveryReason, DeliveryState } from '@status-page/contracts'
import type { ResponseDetails, SendResult } from '../../channels/send-result.ts'
import type { SuppressionReason } from '../../tables.ts'

const SECOND_MS = 1000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/**
 * Delays after consecutive failures; after the last one it repeats, or the delivery is exhausted.
 */
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

/** Number of soft bounces within `SOFT_BOUNCE_DAYS` that suppresses an address. */
export const MAX_SOFT_BOUNCES = 3
export const SOFT_BOUNCE_DAYS = 7

export interface AttemptState {
  /** Attempts of this delivery, this one included. */
  attempts: number
  /** Consecutive failures of the destination before this one. */
  failStreak: number
  firstFailAt: Date | null
  lastOkAt: Date | null
  /** Events of this destination that failed since its last success, this one included. */
  failedEvents: number
  /** Events with a recent soft bounce at the destination, this one included. */
  softBounces: number
  /** Consecutive failures of the transport before this one. */
  transportStreak: number
}

export interface AttemptSettlement {
  state: Extract<DeliveryState, 'pending' | 'delivered' | 'exhausted' | 'suppressed' | 'cancelled'>
  reason: DeliveryReason | null
  outcome: AttemptOutcome
  statusCode: number | null
  /** When to try again; null when finished. */
  nextAttemptAt: Date | null
  /** End of the destination's block; `undefined` leaves it unchanged. */
  blockedUntil?: Date
  /** Block of the transport and its reason; null leaves it unchanged. */
  transport: { blockedUntil: Date; reason: 'channel_blocked' | 'channel_auth' } | null
  /**
   * True when the payload was refused: the delivery gets an ordering key of its own, so that it
   * blocks no other.
   */
  leavesOrder: boolean
  /** Reason to suppress the destination; null for none. */
  suppressionReason: SuppressionReason | null
}

/**
 * Decides the effects of one attempt. `random` is 0 to 1 and spreads the retries by a fifth either
 * way.
 */
export const decideAttemptOutcome = (
  sendResult: SendResult,
  state: AttemptState,
  now: Date,
  random: number,
): AttemptSettlement => {
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

/** State and reason of a delivery whose destination is suppressed with it. */
const suppressionOutcomes: Record<
  SuppressionReason,
  readonly [AttemptSettlement['state'], DeliveryReason]
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
): AttemptSettlement => {
  const [state, reason] = suppressionOutcomes[suppressionReason]
  return finished(state, reason, outcome, statusCode, { suppressionReason })
}

const waiting = (
  { outcome, statusCode }: { outcome: AttemptOutcome; statusCode: number | null },
  nextAttemptAt: Date,
): AttemptSettlement => ({
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
  state: AttemptSettlement['state'],
  reason: DeliveryReason | null,
  outcome: AttemptOutcome,
  statusCode: number | null,
  rest: Partial<AttemptSettlement> = {},
): AttemptSettlement => ({
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
