/**
 * After kill -9 of one of two replicas the other polls all metrics, and no slot is polled twice.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { newId } from '@status-page/postgres'
import { fractionOf, slotAt } from '@status-page/schedule'
import { eventually, testDatabase } from '@status-page/testing'
import t, { type Test } from 'tap'
import { fakePrometheus, loopbackTls, metricComponent, stage } from '../integrations.fixture.ts'

// Keeps the test server running for the whole file; releasing the last database stops it.
await testDatabase(t, { services: [] })

const METRICS = 16
const INTERVAL_MS = 6_000
/**
 * All metrics are due within the first second of a round, so that nothing is unstored in the rest
 * of it.
 */
const LATEST_FRACTION = 1 / 6
const LEASES = { ttlMs: 1500, renewMs: 200, marginMs: 300 }
const SOON = { timeoutMs: 30_000 }
const program = fileURLToPath(new URL('./jobs.replica.ts', import.meta.url))

const startProcess = async (t: Test, url: string): Promise<ChildProcess> => {
  const args = [url, loopbackTls.cert, JSON.stringify(LEASES)]
  const child = fork(program, args)
  t.teardown(() => child.kill('SIGKILL'))
  await once(child, 'message')
  return child
}

const earlyId = (): string => {
  for (;;) {
    const id = newId()
    if (fractionOf(id) < LATEST_FRACTION) return id
  }
}

t.test('one of two replicas is killed: the other queries all metrics, no slot twice', async (t) => {
  const { create, publishComponent, sql, url } = await stage(t)
  const platform = await fakePrometheus(t)
  const made = await create({ name: 'P', type: 'prometheus', config: { url: platform.url } })
  const ids = Array.from({ length: METRICS }, earlyId)
  for (const id of ids) {
    const given = { query: id, pollingInterval: INTERVAL_MS / 1000 }
    await publishComponent('created', { ...metricComponent(made.body.id, given), id }, 1)
  }
  const [victim] = [await startProcess(t, url), await startProcess(t, url)]
  await eventually(async () => {
    const owners = await sql`SELECT owner FROM integrations.shard_lease
      GROUP BY owner HAVING count(*) = 128`
    return owners.length === 2
  }, SOON)
  /** Newest round in which all metrics were stored; rounds begin at whole intervals. */
  const lastRound = async (): Promise<number> => {
    const rows = await sql<{ slot: Date | null }[]>`
      SELECT polled_slot_at AS slot FROM integrations.metric_states`
    return Math.min(...rows.map(({ slot }) => Math.floor((slot?.getTime() ?? 0) / INTERVAL_MS)))
  }
  const round = Math.floor(Date.now() / INTERVAL_MS) + 1
  await eventually(async () => (await lastRound()) >= round, SOON)
  victim?.kill('SIGKILL')
  await eventually(async () => (await lastRound()) > round, SOON)

  const slots = platform.requests
    .filter(({ receivedAt }) => receivedAt.getTime() >= round * INTERVAL_MS)
    .map(({ url }) => {
      const parameters = new URL(url, platform.url).searchParams
      const id = parameters.get('query') ?? ''
      // Time of the replica: that of arrival differs by the clocks and the delay of the request.
      const seconds = parameters.get('time') ?? parameters.get('end')
      return `${id} ${slotAt(id, INTERVAL_MS, Math.ceil(Number(seconds) * 1000))}`
    })
  t.equal(slots.length, new Set(slots).size, 'no slot twice')
  t.ok(slots.length >= 2 * METRICS)
})
