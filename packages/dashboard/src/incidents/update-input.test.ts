/** Requests of the form for updates. */
import t from 'tap'
import {
  attemptFor,
  emptyInput,
  isPostable,
  notifiesSubscribers,
  toUpdateBody,
} from './update-input.ts'

const nowMs = Date.parse('2026-08-01T10:00:00.000Z')

t.test('fields without input are absent', async (t) => {
  t.same(toUpdateBody(emptyInput, nowMs), {})
  t.notOk(isPostable({ ...emptyInput, message: ' \n' }))
  t.ok(isPostable({ ...emptyInput, status: 'resolved' }))
})

t.test('minutes until the next update count from the post', async (t) => {
  const body = toUpdateBody({ ...emptyInput, message: 'Text', nextUpdate: 30 }, nowMs)
  t.same(body, { message: 'Text', nextUpdateAt: '2026-08-01T10:30:00.000Z' })
})

t.test('a repetition has the key and the body of the first attempt', async (t) => {
  const input = { ...emptyInput, message: 'Text', nextUpdate: 30 }
  let keys = 0
  const newKey = () => `key${++keys}`
  const first = attemptFor(input, null, { nowMs, newKey })
  const repeat = attemptFor({ ...input }, first, { nowMs: nowMs + 60_000, newKey })
  t.equal(repeat, first)
  const other = attemptFor({ ...input, message: 'Other' }, first, { nowMs, newKey })
  t.equal(other.key, 'key2')
})

t.test('the shown choice about subscribers is the default of the service', async (t) => {
  const past = { isBackfilled: true, status: 'resolved' as const }
  const live = { isBackfilled: false, status: 'resolved' as const }
  const reopens = { ...emptyInput, status: 'monitoring' as const }
  t.equal(notifiesSubscribers(emptyInput, past), false)
  t.equal(notifiesSubscribers(reopens, past), true)
  t.equal(notifiesSubscribers(emptyInput, { ...past, status: 'monitoring' }), true)
  t.equal(notifiesSubscribers(emptyInput, live), true)
  t.equal(notifiesSubscribers({ ...emptyInput, notifySubscribers: true }, past), true)
  t.equal(notifiesSubscribers({ ...reopens, notifySubscribers: false }, past), false)
})
