/** Windows and buckets: arithmetic, and the buckets of requests as a table. */
import { type BucketName, bucketNames, operations, rateBuckets } from '@status-page/contracts'
import type { Database } from '@status-page/postgres'
import t from 'tap'
import {
  addressCounters,
  bucketCapacityOf,
  bucketSettingName,
  callerCounters,
  type RateLimitState,
  type RateSettings,
  tightestStateOf,
} from './buckets.ts'
import { addressNetworkOf } from './limiter.ts'
import { createLocalWindows } from './local-windows.ts'
import { createDatabaseOutage } from './outage.ts'
import { chargeWindow, type WindowCounts } from './window.ts'

const MINUTE_MS = 60_000
const window = { windowMs: MINUTE_MS, capacity: 3 }

t.test("no span of the window's length exceeds the capacity", async (t) => {
  const state: WindowCounts = { times: [], counts: [] }
  const granted: number[] = []
  let seed = 7
  for (let nowMs = 1_000_000; nowMs < 1_600_000; nowMs += seed % 2_000) {
    seed = (seed * 75) % 65_537
    if (chargeWindow(state, window, 1, nowMs).granted === 1) granted.push(nowMs)
  }
  t.ok(granted.length > 20)
  for (const [index, at] of granted.entries()) {
    const inSpan = granted.slice(index).filter((other) => other < at + MINUTE_MS)
    t.ok(inSpan.length <= 3)
  }
})

t.test('a request after the returned wait is admitted', async (t) => {
  for (const startMs of [0, 1, 999, 59_999, 60_000, 123_456_789]) {
    const state: WindowCounts = { times: [], counts: [] }
    chargeWindow(state, window, 3, startMs)
    const refused = chargeWindow(state, window, 1, startMs + 500)
    t.equal(refused.granted, 0)
    t.equal(refused.total, 3, 'a refused request adds nothing')
    t.equal(chargeWindow(state, window, 1, startMs + 500 + refused.waitMs - 1).granted, 0)
    t.equal(chargeWindow(state, window, 1, startMs + 500 + refused.waitMs).granted, 1)
  }
})

t.test('no wait exceeds the window, and a request after the window is admitted', async (t) => {
  for (let startMs = 0; startMs < 3_000; startMs += 77) {
    const state: WindowCounts = { times: [], counts: [] }
    for (let at = startMs; at < startMs + 300; at += 100) chargeWindow(state, window, 1, at)
    const refused = chargeWindow(state, window, 1, startMs + 300)
    t.equal(refused.granted, 0)
    t.ok(refused.waitMs >= 1 && refused.waitMs <= MINUTE_MS)
    t.equal(chargeWindow(state, window, 1, startMs + 300 + MINUTE_MS).granted, 1)
  }
  const ahead: WindowCounts = { times: [], counts: [] }
  chargeWindow(ahead, window, 3, 100_000)
  t.equal(
    chargeWindow(ahead, window, 1, 20_000).waitMs,
    MINUTE_MS,
    'even where the clock stepped back',
  )
})

t.test('a charge of several requests admits as many as fit', async (t) => {
  const state: WindowCounts = { times: [], counts: [] }
  t.equal(chargeWindow(state, window, 2, 0).granted, 2)
  t.equal(chargeWindow(state, window, 2, 10).granted, 1)
})

t.test('a clock that steps back frees no capacity', async (t) => {
  const state: WindowCounts = { times: [], counts: [] }
  chargeWindow(state, window, 3, 100_000)
  t.equal(chargeWindow(state, window, 1, 20_000).granted, 0)
})

t.test('the least recently used window is evicted from memory', async (t) => {
  const database = {} as Database
  const windows = createLocalWindows(
    database,
    createDatabaseOutage(Date.now, () => {}),
    () => 0,
    2,
  )
  const chargeKey = (key: string) => windows.charge(key, { ...window, capacity: 1 }).isGranted
  t.same(['a', 'b', 'a', 'c', 'a', 'b'].map(chargeKey), [true, true, false, true, false, true])
})

const chargedBy = (id: string | null, caller: string | null) => {
  const operation = operations.find((one) => one.id === id) ?? null
  const hasSession = caller?.startsWith('user:') ?? false
  const asked = { operation, address: '10.0.0.1', subject: null, hasSession }
  return [...addressCounters(asked), ...callerCounters(asked, caller)].map(({ key }) => key)
}

t.test('each request charges the buckets of the table', async (t) => {
  const cases: [string | null, string | null, string[]][] = [
    [
      'components.list',
      'key:k',
      ['global||address|10.0.0.1', 'global||caller|key:k', 'endpoint|components.list|caller|key:k'],
    ],
    [
      'components.list',
      null,
      ['global||address|10.0.0.1', 'endpoint|components.list|address|10.0.0.1'],
    ],
    [
      'incidents.create',
      'key:k',
      ['global||address|10.0.0.1', 'global||caller|key:k', 'incident create||caller|key:k'],
    ],
    ['auth.login', null, ['global||address|10.0.0.1', 'auth||address|10.0.0.1']],
    ['public.status', null, ['public read|public.status|address|10.0.0.1']],
    ['public.feed', null, ['feed||address|10.0.0.1']],
    [
      'subscriptions.subscribe',
      null,
      ['global||address|10.0.0.1', 'public||address|10.0.0.1', 'sign_up||address|10.0.0.1'],
    ],
    [null, null, ['global||address|10.0.0.1']],
    ['components.list', 'user:u', ['session||address|10.0.0.1', 'session||caller|user:u']],
    [
      'incidents.create',
      'user:u',
      ['session||address|10.0.0.1', 'session||caller|user:u', 'incident create||caller|user:u'],
    ],
    [
      'password.change',
      'user:u',
      ['session||address|10.0.0.1', 'auth||address|10.0.0.1', 'session||caller|user:u'],
    ],
    ['public.status', 'user:u', ['public read|public.status|address|10.0.0.1']],
    [null, 'user:u', ['session||address|10.0.0.1', 'session||caller|user:u']],
  ]
  for (const [id, caller, keys] of cases) t.same(chargedBy(id, caller), keys, `${id} ${caller}`)
})

t.test('settings replace capacities, and the multiplier scales all of them', async (t) => {
  t.equal(bucketSettingName('incident create'), 'RATE_LIMIT_INCIDENT_CREATE')
  for (const bucket of bucketNames) {
    const { capacity } = rateBuckets[bucket]
    t.equal(bucketCapacityOf({ bucket, by: 'caller' }, {}), capacity, bucket)
  }
  t.match(rateBuckets, {
    global: { capacity: 100 },
    session: { capacity: 600 },
    endpoint: { capacity: 20 },
    'incident create': { capacity: 10 },
    import: { capacity: 5 },
    check: { capacity: 60 },
    bulk: { capacity: 10 },
    auth: { capacity: 30 },
    public: { capacity: 60 },
    'public read': { capacity: 1000 },
    'static file': { capacity: 6000 },
    feed: { capacity: 100 },
    webhook: { capacity: 200 },
    sign_up: { capacity: 10 },
  })
  const capacityByCaller = (bucket: BucketName, settings: RateSettings) =>
    bucketCapacityOf({ bucket, by: 'caller' }, settings)
  t.equal(capacityByCaller('global', { RATE_LIMIT_GLOBAL: 7, RATE_LIMIT_MULTIPLIER: 10 }), 70)
  t.equal(capacityByCaller('import', { RATE_LIMIT_MULTIPLIER: 0.01 }), 1)
  const largest = { RATE_LIMIT_MULTIPLIER: 1_000_000 }
  t.equal(bucketCapacityOf({ bucket: 'session', by: 'address' }, largest), 2 ** 31 - 1)
  t.equal(bucketCapacityOf({ bucket: 'session', by: 'address' }, {}), 3_000)
  t.equal(bucketCapacityOf({ bucket: 'global', by: 'address' }, {}), 100)
  t.equal(rateBuckets.check.windowMs, 3_600_000)
  t.equal(rateBuckets.sign_up.windowMs, 3_600_000)
})

t.test(
  'the headers describe the bucket with the fewest requests left, or the longest wait',
  async (t) => {
    const reading = (
      bucket: RateLimitState['bucket'],
      remaining: number,
      waitMs: number,
    ): RateLimitState => ({
      bucket,
      remaining,
      waitMs,
      capacity: 10,
      windowMs: MINUTE_MS,
      isExceeded: remaining < 0,
    })
    t.equal(tightestStateOf([]), null)
    t.equal(
      tightestStateOf([reading('endpoint', 5, 1)], reading('global', 5, 9))?.bucket,
      'global',
      'of equal states the first',
    )
    t.equal(
      tightestStateOf([reading('global', 5, 9), reading('endpoint', 2, 1)])?.bucket,
      'endpoint',
    )
    t.equal(
      tightestStateOf([reading('global', -1, 9), reading('endpoint', -1, 20)])?.bucket,
      'endpoint',
    )
    t.equal(
      tightestStateOf([reading('global', -1, 9), reading('endpoint', 0, 20)])?.bucket,
      'global',
    )
  },
)

t.test('a /64 and an IPv4-mapped address count as one address', async (t) => {
  t.equal(addressNetworkOf('2001:db8:1:2::1'), addressNetworkOf('2001:db8:1:2:ffff::9'))
  t.not(addressNetworkOf('2001:db8:1:2::1'), addressNetworkOf('2001:db8:1:3::1'))
  t.equal(addressNetworkOf('::ffff:192.0.2.1'), '192.0.2.1')
})
