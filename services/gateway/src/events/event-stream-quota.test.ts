/** Quota of event streams: each bound alone, and streams that are given back. */
import t from 'tap'
import { EventStreamQuota, eventStreamBounds } from './event-stream-quota.ts'

const holder = (organizationId: string, rateKey: string) => ({ organizationId, rateKey })

t.test(
  'each bound refuses the stream beyond it, and a returned stream is free again',
  async (t) => {
    const bounds = { streams: 5, streamsPerOrganization: 3, streamsPerCaller: 2 }
    const quota = new EventStreamQuota(bounds)
    const giveBack = quota.take(holder('a', 'key:1'))
    quota.take(holder('a', 'key:1'))
    t.throws(() => quota.take(holder('a', 'key:1')), { code: 'RATE_LIMIT_EXCEEDED' })
    quota.take(holder('a', 'key:2'))
    t.throws(() => quota.take(holder('a', 'key:3')), { code: 'RATE_LIMIT_EXCEEDED' })
    quota.take(holder('b', 'key:4'))
    quota.take(holder('b', 'key:5'))
    t.throws(() => quota.take(holder('c', 'key:6')), { code: 'SERVICE_UNAVAILABLE' })
    t.equal(quota.taken, 5)
    giveBack()
    giveBack()
    t.equal(quota.taken, 4, 'once')
    quota.take(holder('a', 'key:1'))
    t.equal(quota.taken, 5)
  },
)

t.test('the multiplier of the rate limits applies to organizations and callers', async (t) => {
  t.match(eventStreamBounds(10), { streamsPerOrganization: 10_000, streamsPerCaller: 1_000 })
  t.match(eventStreamBounds(0.001), { streamsPerOrganization: 1, streamsPerCaller: 1 })
})
