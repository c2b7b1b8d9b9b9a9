/** Every reply to a publication either ends it or repeats it with the same key. */
import { ApiError, ConnectionError } from '@status-page/client'
import t from 'tap'
import { errorOfRefusal, outcomeOf } from './publish-outcome.ts'

const errorOf = (status: number, details: Record<string, unknown> = {}) =>
  new ApiError(status, { code: 'CONFLICT', message: 'refused', details } as never)

const cases: [name: string, error: unknown, kind: string, afterMs?: number][] = [
  ['no network', new ConnectionError('x'), 'retry', 2_000],
  ['reply of a proxy', new ConnectionError('status 502'), 'retry', 2_000],
  ['core is away', errorOf(503), 'retry', 2_000],
  ['outcome unknown', errorOf(504), 'retry', 2_000],
  ['fault', errorOf(500), 'retry', 2_000],
  ['first request still runs', errorOf(409, { reason: 'already_running' }), 'retry', 2_000],
  ['rate limit', errorOf(429, { retryAfter: 30 }), 'retry', 30_000],
  ['session ended', errorOf(401), 'sign-in'],
  ['reply was lost', errorOf(409, { reason: 'duplicate' }), 'published'],
  ['other body with this key', errorOf(409, { reason: 'idempotency_key_reused' }), 'changed'],
  ['no permission', errorOf(403), 'refused'],
  ['invalid', errorOf(400), 'refused'],
]

t.test('outcome by reply', async (t) => {
  for (const [name, error, kind, afterMs] of cases) {
    t.match(outcomeOf(error, 1), afterMs === undefined ? { kind } : { kind, afterMs }, name)
  }
})

t.test('attempts are repeated at growing intervals, at least once a minute', async (t) => {
  const intervals = [1, 2, 3, 4, 5, 6, 7, 50].map((attempts) => {
    const outcome = outcomeOf(errorOf(503), attempts)
    return outcome.kind === 'retry' && outcome.afterMs / 1_000
  })
  t.same(intervals, [2, 4, 8, 16, 32, 60, 60, 60])
})

t.test('a stored refusal returns as the error that it was', async (t) => {
  const issues = [{ field: 'title', message: 'title is too long' }]
  const outcome = outcomeOf(errorOf(400, { issues }), 1)
  const refusal = outcome.kind === 'refused' ? JSON.parse(JSON.stringify(outcome.refusal)) : null
  t.match(errorOfRefusal(refusal), { status: 400, message: 'refused', issues })
  t.equal(errorOfRefusal({ kind: 'expired' }), null)
})
