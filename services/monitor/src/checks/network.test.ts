/** The network counts as lost when healthy targets of several hosts fail and no canary responds. */
import { createLogger } from '@status-page/service'
import t from 'tap'
import { NetworkWatch } from './network.ts'

const logger = createLogger({ service: 'monitor', level: 'silent' })

const watch = (canaryResponds: boolean | null) => {
  const state = { now: 0, canaryResponds, requests: 0 }
  const probe = async () => {
    state.requests += 1
    return state.canaryResponds === true
  }
  const network = new NetworkWatch({
    logger,
    now: () => state.now,
    probe: canaryResponds === null ? null : probe,
  })
  const record = (error: 'timeout' | 'tls_error' | null, hosts: string, wasHealthy = true) => {
    for (const host of hosts) network.record({ host, wasHealthy, result: { error } })
  }
  return { state, network, record }
}

t.test(
  'five consecutive failures on two hosts trigger a canary request, fewer do not',
  async (t) => {
    const { state, network, record } = watch(false)
    record(null, 'xxxxxxxxxx')
    record('timeout', 'abab')
    t.equal(await network.detectLoss(), false)
    record('timeout', 'a')
    t.equal(await network.detectLoss(), true)
    t.equal(state.requests, 1)
  },
)

t.test('failures of a single host do not indicate a lost network', async (t) => {
  const { network, record } = watch(false)
  record('timeout', 'aaaaaaaaaa')
  t.equal(await network.detectLoss(), false)
})

t.test('invalid responses and old failures do not indicate a lost network', async (t) => {
  const { network, record } = watch(false)
  record('tls_error', 'abcdefgh')
  record('timeout', 'abcdefgh', false)
  t.equal(await network.detectLoss(), false)
})

t.test('failures count against the targets while a canary responds', async (t) => {
  const { state, network, record } = watch(true)
  record('timeout', 'abcde')
  t.equal(await network.detectLoss(), false)
  t.equal(await network.detectLoss(), false)
  t.equal(state.requests, 1, 'the canary is not requested each time')
  state.now += 5000
  await network.detectLoss()
  t.equal(state.requests, 2)
})

t.test(
  'failures of more than half of the checks of a minute are suspicious despite some successes',
  async (t) => {
    const { network, record } = watch(false)
    record(null, 'x')
    for (const host of 'abc') {
      record('timeout', host)
      record('timeout', host)
      record(null, 'x')
    }
    t.equal(await network.detectLoss(), true)
  },
)

t.test('a lost network lasts at least a minute, then until a canary responds', async (t) => {
  const { state, network, record } = watch(false)
  record('timeout', 'abcde')
  t.equal(await network.detectLoss(), true)
  state.canaryResponds = true
  state.now += 30_000
  t.equal(await network.detectLoss(), true, 'not accepted yet')
  state.now += 30_000
  t.equal(await network.detectLoss(), false)
  t.equal(await network.detectLoss(), false, 'earlier results no longer count')
})

t.test('without canaries a lost network is not detected', async (t) => {
  const { network, record } = watch(null)
  record('timeout', 'abcdefgh')
  t.equal(await network.detectLoss(), false)
})
