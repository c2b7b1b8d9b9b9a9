/** Bounds of open streams: a few networks cannot take all of them. */
import t from 'tap'
import { StreamQuota } from './stream-quota.ts'

const retryable = { code: 'SERVICE_UNAVAILABLE', headers: { 'retry-after': '60' } }

t.test('the addresses of one IPv6 /48, or one IPv4 /24, share a budget', async (t) => {
  const cases: [string, string[], string][] = [
    ['IPv6', ['2001:db8:7:1::', '2001:db8:7:2::', '2001:db8:7:ffff::'], '2001:db8:8:1::'],
    ['IPv4', ['192.0.2.1', '192.0.2.2', '192.0.2.254'], '192.0.3.1'],
  ]
  for (const [family, [first = '', second = '', third = ''], other] of cases) {
    const places = new StreamQuota({ streams: 100, streamsPerAllocation: 3, streamsPerAddress: 2 })
    const leave = places.take(first)
    places.take(first)
    t.throws(() => places.take(first), retryable, `${family}: an address has its own bound`)
    places.take(second)
    t.throws(() => places.take(third), retryable, family)
    places.take(other)
    leave()
    leave()
    places.take(third)
    t.throws(() => places.take(second), retryable, `${family}: a place is given back once`)
  }
})

t.test('at least twenty networks are needed to take all streams', async (t) => {
  const places = new StreamQuota()
  const takeAll = (allocation: number) => {
    let taken = 0
    try {
      for (; taken < 4_001; taken++) {
        places.take(`2001:db8:${allocation.toString(16)}:${taken.toString(16)}::`)
      }
    } catch {
      return taken
    }
    return taken
  }
  for (let allocation = 0; allocation < 19; allocation++) t.equal(takeAll(allocation), 200)
  places.take('192.0.2.1')
})
