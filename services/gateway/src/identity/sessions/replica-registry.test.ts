/** Registry of gateways: heartbeats while credentials are used, between joining and leaving. */
import { eventually, testDatabase } from '@status-page/testing'
import t, { type Test } from 'tap'
import { createReplicaRegistry } from './replica-registry.ts'

const registryOf = async (t: Test) => {
  const databases = await testDatabase(t, { services: ['gateway'] })
  const database = await databases.connect('gateway')
  const seenAt = async () => {
    const rows = await database.batchSql<{ at: string }[]>`SELECT seen_at::text AS at FROM replicas`
    return rows.map(({ at }) => at)
  }
  return { ...createReplicaRegistry(database), seenAt }
}

t.test('a gateway sends heartbeats only while credentials are used', async (t) => {
  const { join, heartbeat, mayCache, seenAt } = await registryOf(t)
  await join()
  const joined = await seenAt()
  t.equal(joined.length, 1)
  const { signal } = new AbortController()
  await heartbeat.run(signal)
  t.same(await seenAt(), joined, 'no credential is used')
  mayCache()
  const [used] = await eventually(async () => {
    const seen = await seenAt()
    return seen[0] === joined[0] ? null : seen
  })
  await heartbeat.run(signal)
  t.not((await seenAt())[0], used)
})

t.test('a gateway caches only between joining and leaving', async (t) => {
  const { join, leave, mayCache, seenAt } = await registryOf(t)
  t.notOk(mayCache())
  await join()
  t.ok(mayCache())
  await leave()
  t.notOk(mayCache())
  t.same(await seenAt(), [])
})
