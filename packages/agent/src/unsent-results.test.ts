/** Unsent results: their order, what a request confirms, and the limit of their number. */
import type { AgentResult } from '@status-page/contracts'
import { notMeasured } from '@status-page/probes'
import t from 'tap'
import { UnsentResults } from './unsent-results.ts'

const START = Date.parse('2026-08-01T09:00:00.000Z')

const resultOf = (second: number): AgentResult => ({
  componentId: '019a3c5e-7b1f-7c2a-9d4e-0000000000c1',
  slotAt: new Date(START + second * 1000).toISOString(),
  result: { ...notMeasured, status: 'SUCCESS', checkedAtMs: START + second * 1000 },
})

t.test('a result stays until it is confirmed', async (t) => {
  const unsent = new UnsentResults()
  for (const second of [0, 10, 20]) unsent.add(resultOf(second))
  t.equal(unsent.lagSeconds(START + 25_000), 25)
  const sent = unsent.batch()
  unsent.add(resultOf(30))
  t.equal(unsent.size, 4)
  unsent.confirm(sent)
  t.same(unsent.batch(), [resultOf(30)])
  t.equal(new UnsentResults().lagSeconds(START), 0)
})

t.test('beyond the limit the oldest results are dropped, also during a request', async (t) => {
  const unsent = new UnsentResults(2)
  unsent.add(resultOf(0))
  unsent.add(resultOf(10))
  const sent = unsent.batch()
  unsent.add(resultOf(20))
  t.equal(unsent.takeDropped(), 1)
  t.equal(unsent.takeDropped(), 0)
  unsent.confirm(sent)
  t.same(unsent.batch(), [resultOf(20)])
})
