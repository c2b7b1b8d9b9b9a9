/** Spool of unsent results: what is read after a kill, and its limits in size and age. */
import { appendFile, mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AgentResult } from '@status-page/contracts'
import { notMeasured } from '@status-page/probes'
import t, { type Test } from 'tap'
import { Spool } from './spool.ts'

const START = Date.parse('2026-08-01T09:00:00.000Z')
const DAY_MS = 86_400_000

const resultAt = (second: number): AgentResult => ({
  componentId: '019a3c5e-7b1f-7c2a-9d4e-0000000000c1',
  slotAt: new Date(START + second * 1000).toISOString(),
  result: { ...notMeasured, status: 'SUCCESS', checkedAtMs: START + second * 1000 },
})

const spoolFile = async (t: Test) => {
  const folder = await mkdtemp(join(tmpdir(), 'spool-'))
  t.teardown(() => rm(folder, { recursive: true, force: true }))
  return join(folder, 'agent.ndjson')
}

const opened = async (t: Test, file: string, nowMs = START, maxBytes?: number) => {
  const one = await Spool.open(file, nowMs, maxBytes)
  t.teardown(() => one.spool.close())
  return one
}

t.test('appended results are read again, each once, by their owner only', async (t) => {
  const file = await spoolFile(t)
  const { spool, results } = await opened(t, file)
  t.same(results, [])
  await spool.append([resultAt(0), resultAt(10)], () => [])
  await spool.append([resultAt(10), resultAt(20)], () => [])
  t.equal((await stat(file)).mode & 0o777, 0o600)
  t.same((await opened(t, file)).results, [0, 10, 20].map(resultAt))
  await spool.clear()
  t.same((await opened(t, file)).results, [])
})

t.test('an incomplete end and a broken line are ignored, and later lines are not', async (t) => {
  const file = await spoolFile(t)
  const first = await opened(t, file)
  await first.spool.append([resultAt(0)], () => [])
  await appendFile(file, `{"componentId":1}\nnull\n${JSON.stringify(resultAt(10)).slice(0, 90)}`)
  const second = await opened(t, file)
  t.same(second.results, [resultAt(0)])
  await second.spool.append([resultAt(20)], () => [])
  t.same((await opened(t, file)).results, [resultAt(0), resultAt(20)])
})

t.test('results that the service would ignore are not read', async (t) => {
  const file = await spoolFile(t)
  const { spool } = await opened(t, file)
  await spool.append([resultAt(0), resultAt(10)], () => [])
  t.same((await opened(t, file, START + DAY_MS + 5_000)).results, [resultAt(10)])
})

t.test('beyond the limit the newest results remain', async (t) => {
  const file = await spoolFile(t)
  const line = JSON.stringify(resultAt(0)).length + 1
  const maxBytes = 4 * line
  const { spool } = await opened(t, file, START, maxBytes)
  const all: AgentResult[] = []
  for (const second of [0, 1, 2, 3, 4]) {
    all.push(resultAt(second))
    await spool.append([resultAt(second)], () => all)
    t.ok((await readFile(file)).length <= maxBytes)
  }
  t.same((await opened(t, file)).results, [resultAt(3), resultAt(4)])
})
