/** Registry of gateways: registered before it caches, silent while no credential is used. */
import { eventually, testDatabase } from '@status-page/testing'
import t from 'tap'
import { createReplicaRegistry } from './replica-registry.ts'

t.test('a gateway registers with the first use of a credential, not before', async (t) => {
  const databases = await testDatabase(t, { services: ['gateway'] })
  const database = await databases.connect('gateway')
  const { heartbeat, mayCache } = createReplicaRegistry(database)
  const registered = () => database.batchSql`SELECT FROM replicas`
  const { signal } = new AbortController()
  await heartbeat.run(signal)
  t.same(await registered(), [])
  t.notOk(mayCache(), 'the first query is not cached: a revocation would not wait for it')
  await eventually(async () => mayCache())
  t.equal((await registered()).length, 1)
})
