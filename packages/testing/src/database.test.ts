import t from 'tap'
import { testDatabase } from './database.ts'

t.test('a test gets a migrated database of its own', async (t) => {
  const [one, two] = await Promise.all([
    testDatabase(t, { services: ['core', 'monitor'] }),
    testDatabase(t, { services: ['monitor', 'core'] }),
  ])
  const [core, other] = await Promise.all([one.database('core'), two.database('core')])
  await core.batchSql`INSERT INTO outbox_consumer VALUES ('core-test', '{a.b}')`
  t.equal((await core.batchSql`SELECT FROM outbox_consumer WHERE consumer = 'core-test'`).count, 1)
  t.equal((await other.batchSql`SELECT FROM outbox_consumer WHERE consumer = 'core-test'`).count, 0)
  t.equal(await one.database('core'), core, 'one Database a service')
})
