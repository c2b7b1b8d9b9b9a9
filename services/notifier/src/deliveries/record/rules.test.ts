/** Results of attempts and their effects, as tables. */
import t from 'tap'
import type { SendResult } from '../../channels/send-result.ts'
import type { DestinationState } from '../../tables.ts'
import { decideSend } from '../prepare/send-decision.ts'
import { type AttemptState, decideAttemptOutcome } from './rules.ts'

const now = new Date('2026-01-10T00:00:00.000Z')
const MIDDLE = 0.5
const DAY_MS = 86_400_000
const daysAgo = (days: number) => new Date(now.getTime() - days * DAY_MS)

const fresh: AttemptState = {
  attempts: 1,
  failStreak: 0,
  firstFailAt: null,
  lastOkAt: null,
  failedEvents: 1,
  softBounces: 0,
  transportStreak: 0,
}

const pauseSeconds = (sendResult: SendResult, state: AttemptState, random = MIDDLE) => {
  const { nextAttemptAt } = decideAttemptOutcome(sendResult, state, now, random)
  return nextAttemptAt === null ? null : (nextAttemptAt.getTime() - now.getTime()) / 1000
}

const endpoint = { class: 'endpoint', outcome: 'rejected', statusCode: 500 } as const
const event = { class: 'event', outcome: 'rejected', statusCode: 422 } as const
const mail = { class: 'mail', outcome: 'rejected', statusCode: 451 } as const
const transport = { class: 'transport', outcome: 'connect_error', statusCode: null } as const

t.test('the delays of a failing endpoint grow up to eight hours', async (t) => {
  const pauses = [5, 30, 120, 600, 1800, 3600, 7200, 14_400, 28_800, 28_800]
  for (const [failStreak, expected] of pauses.entries()) {
    t.equal(pauseSeconds(endpoint, { ...fresh, failStreak }), expected)
  }
})

t.test('retries have a jitter of a fifth', async (t) => {
  t.equal(pauseSeconds(endpoint, fresh, 0), 4)
  t.equal(pauseSeconds(endpoint, fresh, 1), 6)
})

t.test('a failing endpoint blocks its whole destination', async (t) => {
  const settled = decideAttemptOutcome(endpoint, fresh, now, MIDDLE)
  t.same(settled.blockedUntil, settled.nextAttemptAt)
  t.equal(settled.state, 'pending')
  t.equal(settled.leavesOrder, false)
})

t.test('Retry-After is respected up to an hour', async (t) => {
  const asking = (retryAfterMs: number) => pauseSeconds({ ...endpoint, retryAfterMs }, fresh)
  t.equal(asking(120_000), 120)
  t.equal(asking(1_000), 5)
  t.equal(asking(999_999_999), 3600)
})

t.test(
  'a rejected payload is retried without blocking its ordering key, at most four times',
  async (t) => {
    const pauses = [60, 600, 3600, 21_600, null]
    for (const [index, expected] of pauses.entries()) {
      t.equal(pauseSeconds(event, { ...fresh, attempts: index + 1 }), expected)
    }
    const first = decideAttemptOutcome(event, fresh, now, MIDDLE)
    t.equal(first.leavesOrder, true)
    t.equal(first.blockedUntil, undefined)
    t.match(decideAttemptOutcome(event, { ...fresh, attempts: 5 }, now, MIDDLE), {
      state: 'exhausted',
      reason: 'attempts',
    })
  },
)

t.test('a deferred mail waits alone; an unavailable server blocks all mail', async (t) => {
  const put = decideAttemptOutcome(mail, { ...fresh, attempts: 3 }, now, MIDDLE)
  t.equal(pauseSeconds(mail, { ...fresh, attempts: 3 }), 900)
  t.equal(put.transport, null)
  const away = decideAttemptOutcome(transport, { ...fresh, transportStreak: 1 }, now, MIDDLE)
  t.equal(pauseSeconds(transport, { ...fresh, transportStreak: 1 }), 300)
  t.same(away.transport, { blockedUntil: away.nextAttemptAt, reason: 'channel_blocked' })
})

t.test('an endpoint that responds 410 is suppressed at once', async (t) => {
  const gone = {
    class: 'gone',
    outcome: 'rejected',
    statusCode: 410,
    suppressionReason: 'endpoint_gone',
  } as const
  t.match(decideAttemptOutcome(gone, fresh, now, MIDDLE), {
    state: 'cancelled',
    reason: 'disabled',
    suppressionReason: 'endpoint_gone',
  })
})

t.test('an unknown mailbox suppresses its destination', async (t) => {
  const gone = {
    class: 'gone',
    outcome: 'rejected',
    statusCode: 550,
    suppressionReason: 'hard_bounce',
  } as const
  t.match(decideAttemptOutcome(gone, fresh, now, MIDDLE), {
    state: 'suppressed',
    reason: 'bad_address',
  })
})

t.test('a rejected address is not retried', async (t) => {
  t.match(decideAttemptOutcome({ class: 'blocked' }, fresh, now, MIDDLE), {
    state: 'exhausted',
    reason: 'blocked_address',
    nextAttemptAt: null,
  })
})

t.test(
  'five days, three events and half a day between failures suppress a destination; less does not',
  async (t) => {
    const dead = {
      ...fresh,
      failStreak: 20,
      firstFailAt: daysAgo(6),
      lastOkAt: daysAgo(6),
      failedEvents: 3,
    }
    t.equal(decideAttemptOutcome(endpoint, dead, now, MIDDLE).suppressionReason, 'endpoint_failing')
    for (const alive of [
      { ...dead, failedEvents: 2 },
      { ...dead, lastOkAt: daysAgo(4) },
      { ...dead, firstFailAt: daysAgo(0.4) },
    ]) {
      t.equal(decideAttemptOutcome(endpoint, alive, now, MIDDLE).suppressionReason, null)
    }
  },
)

t.test('a success clears the blocks of destination and transport', async (t) => {
  t.match(decideAttemptOutcome({ class: 'delivered', statusCode: 204 }, fresh, now, MIDDLE), {
    state: 'delivered',
    reason: null,
    outcome: 'delivered',
    nextAttemptAt: null,
  })
})

t.test('the state immediately before the send decides', async (t) => {
  const facts = {
    delivery: { expiresAt: new Date(now.getTime() + 1) },
    destination: { state: 'active' },
    isSubjectDeleted: false,
    isMuted: false,
    isConfirmation: false,
    isOptedOut: false,
  } as const
  const ended = (state: DestinationState) => decideSend({ ...facts, destination: { state } }, now)
  t.equal(decideSend(facts, now), 'send')
  t.equal(ended('unsubscribed'), 'unsubscribed')
  t.equal(ended('unconfirmed'), 'unsubscribed')
  t.equal(ended('quarantined'), 'disabled')
  t.equal(ended('deleted'), 'deleted')
  t.equal(decideSend({ ...facts, isSubjectDeleted: true }, now), 'deleted')
  t.equal(decideSend({ ...facts, isMuted: true }, now), 'muted')
  t.equal(decideSend({ ...facts, delivery: { expiresAt: now } }, now), 'expired')
})
