/** Unsent results: their order, what a request confirms, and the limit of their number. */
import type { AgentResult } from '@status-page/contracts'
import { notMeasured } from '@status-page/probes'
import t from 'tap'
import type { PolledTarget } from './polled-target.ts'
import { UnsentResults } from './unsent-results.ts'

const DAY_MS = 86_400_000
const START = Date.parse('2026-08-01T09:00:00.000Z')

const resultOf = (second: number): AgentResult => ({
  componentId: '019a3c5e-7b1f-7c2a-9d4e-0000000000c1',
  slotAt: new Date(START + second * 1000).toISOString(),
  result: { ...notMeasured, status: 'SUCCESS', checkedAtMs: START + second * 1000 },
})

const target: PolledTarget = {
  componentId: '019a3c5e-7b1f-7c2a-9d4e-0000000000c1',
  version: 1,
  intervalSeconds: 10,
  timeoutMs: 1_000,
  probe: { kind: 'icmp', url: 'icmp://10.0.0.5', conditions: [] },
}

t.test('a result stays until it is confirmed', async (t) => {
  const unsent = new UnsentResults()
  for (const second of [0, 10, 20]) unsent.add(resultOf(second), 0)
  t.equal(unsent.lagSeconds(START + 25_000), 25)
  t.equal(unsent.lagSeconds(START + 30 * DAY_MS), 7 * 86_400, 'at most a week')
  const sent = unsent.batch()
  unsent.add(resultOf(30), 0)
  t.equal(unsent.size, 4)
  unsent.confirm(sent)
  t.same(unsent.batch(), [resultOf(30)])
  t.equal(new UnsentResults().lagSeconds(START), 0)
})

t.test('beyond the limit the oldest results are dropped, also during a request', async (t) => {
  const unsent = new UnsentResults(2)
  unsent.add(resultOf(0), 0)
  unsent.add(resultOf(10), 0)
  const sent = unsent.batch()
  unsent.add(resultOf(20), 0)
  t.equal(unsent.takeDropped(), 1)
  t.equal(unsent.takeDropped(), 0)
  unsent.confirm(sent)
  t.same(unsent.batch(), [resultOf(20)])
})

t.test('failures stay suspect until they are settled, and are not spooled before', async (t) => {
  const unsent = new UnsentResults()
  const [first, second, third] = [resultOf(0), resultOf(10), resultOf(20)]
  unsent.add(first, 0, target)
  unsent.add(second, 0, target)
  unsent.add(third, 0)
  t.same(
    unsent.suspects().map(({ result }) => result),
    [first, second],
  )
  t.same(unsent.unspooled(0), [third])
  unsent.settle(new Set([first]), new Set([second]))
  t.same(unsent.suspects(), [])
  t.same(unsent.batch(), [first, third])
  t.same(unsent.unspooled(0), [first, third])
})

t.test('a result is spooled once it has waited', async (t) => {
  const unsent = new UnsentResults()
  unsent.restore(resultOf(0))
  unsent.add(resultOf(10), 1_000)
  t.same(unsent.unspooled(999), [])
  const waiting = unsent.unspooled(1_000)
  t.same(waiting, [resultOf(10)])
  unsent.markSpooled(waiting)
  t.same(unsent.unspooled(1_000), [])
  t.same(unsent.spooled(), [resultOf(0), resultOf(10)])
})
