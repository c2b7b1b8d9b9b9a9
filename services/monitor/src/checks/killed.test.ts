/** After kill -9 of one of two replicas the other takes over, and no slot is checked twice. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { newId } from '@status-page/postgres'
import { eventually, httpTarget, testDatabase } from '@status-page/testing'
import t, { type Test } from 'tap'
import { adminOf, component, endpoint, setup } from '../monitor.fixture.ts'

// Keeps the test server running for the whole file; releasing the last database stops it.
await testDatabase(t, { services: [] })

const TARGETS = 24
const INTERVAL_MS = 5000
const LEASES = { ttlMs: 1500, renewMs: 200, marginMs: 300 }
const program = fileURLToPath(new URL('./jobs.replica.ts', import.meta.url))

const startProcess = async (t: Test, url: string): Promise<ChildProcess> => {
  const child = fork(program, [url, JSON.stringify(LEASES)])
  t.teardown(() => child.kill('SIGKILL'))
  await once(child, 'message')
  return child
}

t.test('one of two replicas is killed: the other checks all targets, no slot twice', async (t) => {
  const { publishComponent, url, adminUrl } = await setup(t)
  const sql = await adminOf(t, adminUrl)
  const organizationId = newId()
  const target = await httpTarget(t)
  const ids = Array.from({ length: TARGETS }, newId)
  const given = { checkInterval: INTERVAL_MS / 1000 }
  for (const id of ids) {
    const checked = endpoint(`${target.url}/${id}`, given)
    await publishComponent(organizationId, 'created', component({ id, endpoint: checked }), 1)
  }
  const processes = [await startProcess(t, url), await startProcess(t, url)]
  const owners = async () => {
    const rows = await sql`SELECT owner FROM monitor.shard_lease
      GROUP BY owner HAVING count(*) = 128`
    return rows.length
  }
  await eventually(async () => (await owners()) === 2)
  const checkedSince = async (since: Date) => {
    const [row] = await sql`SELECT count(DISTINCT component_id)::int AS targets
      FROM monitor.checks WHERE slot_at > ${since}`
    return row?.targets
  }
  const begun = new Date()
  await eventually(async () => (await checkedSince(begun)) === TARGETS, { timeoutMs: 30_000 })

  processes[0]?.kill('SIGKILL')
  const killed = new Date(Date.now() + LEASES.ttlMs)
  await eventually(async () => (await checkedSince(killed)) === TARGETS, { timeoutMs: 30_000 })
  const slots = target.requests.map(({ url }) => url)
  t.equal(slots.length, new Set(slots).size, 'no slot twice')
})
