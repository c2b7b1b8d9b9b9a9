/** Witnesses of a lost network: hosts of the same network of `--allow` that respond. */
import { notMeasured } from '@status-page/probes'
import t from 'tap'
import { OwnNetwork } from './own-network.ts'
import { hostNameOf, type PolledTarget } from './polled-target.ts'

const targetAt = (host: string): PolledTarget => ({
  componentId: '019a3c5e-7b1f-7c2a-9d4e-0000000000c1',
  version: 1,
  intervalSeconds: 10,
  timeoutMs: 10_000,
  probe: { kind: 'tcp', url: `tcp://${host}:22`, send: null, conditions: [] },
})

const networkWith = (responders: string[], reachable: string[]) => {
  const state = { nowMs: 0, checked: [] as string[], timeoutsMs: [] as number[] }
  const network = new OwnNetwork({
    responders: () => responders.map(targetAt),
    check: async (target) => {
      state.checked.push(hostNameOf(target))
      state.timeoutsMs.push(target.timeoutMs)
      return reachable.includes(hostNameOf(target))
        ? { ...notMeasured, status: 'FAILURE', checkedAtMs: 0 }
        : { ...notMeasured, status: 'ERROR', error: 'connect_error', checkedAtMs: 0 }
    },
    networkOf: async (target) => /^10\.\d+/.exec(hostNameOf(target))?.[0] ?? null,
    now: () => state.nowMs,
  })
  return { network, state }
}

t.test(
  'another host of the network that responds is a witness, whatever it responds',
  async (t) => {
    const { network, state } = networkWith(['10.1.0.2', '10.1.0.3'], ['10.1.0.3'])
    t.equal(await network.hasWitness(targetAt('10.1.0.1')), true)
    t.same(state.checked, ['10.1.0.2', '10.1.0.3'])
    t.ok(state.timeoutsMs.every((timeoutMs) => timeoutMs < 10_000))
  },
)

t.test('a host is no witness of itself, of another network or of a public address', async (t) => {
  const { network } = networkWith(['10.1.0.1', '192.0.2.1'], ['10.1.0.1', '192.0.2.1'])
  t.equal(await network.hasWitness(targetAt('10.1.0.1')), false, 'itself')
  t.equal(await network.hasWitness(targetAt('10.2.0.1')), false, 'another network')
  t.equal(await network.hasWitness(targetAt('192.0.2.2')), false, 'a public address')
})

t.test('without a host that responds the network is lost', async (t) => {
  const { network } = networkWith(['10.1.0.2', '10.1.0.3'], [])
  t.equal(await network.hasWitness(targetAt('10.1.0.1')), false)
  t.equal(await networkWith([], []).network.hasWitness(targetAt('10.1.0.1')), false)
})

t.test('the hosts that responded last are checked, for many failures once', async (t) => {
  const hosts = Array.from({ length: 100 }, (_, index) => `10.1.0.${index + 100}`)
  const { network, state } = networkWith(hosts, ['10.1.0.100'])
  const failed = hosts.slice(50).map(targetAt)
  const found = await Promise.all(failed.map((target) => network.hasWitness(target)))
  t.ok(found.every(Boolean))
  t.same(state.checked, hosts.slice(0, 4))
  state.nowMs += 2_000
  await network.hasWitness(targetAt('10.1.0.1'))
  t.equal(state.checked.length, 8, 'again later')
})
