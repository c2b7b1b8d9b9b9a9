/** The network counts as lost when healthy targets of several hosts fail and no canary responds. */
import { createLogger } from '@status-page/service'
import t from 'tap'
import { NetworkWatch } from './network.ts'

const logger = createLogger({ service: 'monitor', level: 'silent' })

const watch = (answers: boolean | null) => {
  const state = { now: 0, answers, asked: 0 }
  const probe = async () => {
    state.asked += 1
    return state.answers === true
  }
  const network = new NetworkWatch({
    logger,
    now: () => state.now,
    probe: answers === null ? null : probe,
  })
  const hear = (error: 'timeout' | 'tls_error' | null, hosts: string, wasHealthy = true) => {
    for (const host of hosts) network.hear({ host, wasHealthy, result: { error } })
  }
  return { state, network, hear }
}

t.test(
  'five consecutive failures on two hosts trigger a canary request, fewer do not',
  async (t) => {
    const { state, network, hear } = watch(false)
    hear(null, 'xxxxxxxxxx')
    hear('timeout', 'abab')
    t.equal(await network.judge(), false)
    hear('timeout', 'a')
    t.equal(await network.judge(), true)
    t.equal(state.asked, 1)
  },
)

t.test('failures of a single host do not indicate a lost network', async (t) => {
  const { network, hear } = watch(false)
  hear('timeout', 'aaaaaaaaaa')
  t.equal(await network.judge(), false)
})

t.test('invalid responses and old failures do not indicate a lost network', async (t) => {
  const { network, hear } = watch(false)
  hear('tls_error', 'abcdefgh')
  hear('timeout', 'abcdefgh', false)
  t.equal(await network.judge(), false)
})

t.test('failures count against the targets while a canary responds', async (t) => {
  const { state, network, hear } = watch(true)
  hear('timeout', 'abcde')
  t.equal(await network.judge(), false)
  t.equal(await network.judge(), false)
  t.equal(state.asked, 1, 'the canary is not requested each time')
  state.now += 5000
  await network.judge()
  t.equal(state.asked, 2)
})

t.test(
  'failures of more than half of the checks of a minute are suspicious despite some successes',
  async (t) => {
    const { network, hear } = watch(false)
    hear(null, 'x')
    for (const host of 'abc') {
      hear('timeout', host)
      hear('timeout', host)
      hear(null, 'x')
    }
    t.equal(await network.judge(), true)
  },
)

t.test('a lost network lasts at least a minute, then until a canary responds', async (t) => {
  const { state, network, hear } = watch(false)
  hear('timeout', 'abcde')
  t.equal(await network.judge(), true)
  state.answers = true
  state.now += 30_000
  t.equal(await network.judge(), true, 'not accepted yet')
  state.now += 30_000
  t.equal(await network.judge(), false)
  t.equal(await network.judge(), false, 'earlier results no longer count')
})

t.test('without canaries a lost network is not detected', async (t) => {
  const { network, hear } = watch(null)
  hear('timeout', 'abcdefgh')
  t.equal(await network.judge(), false)
})
