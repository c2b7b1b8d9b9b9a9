import { eventually, testDatabase } from '@status-page/testing'
import { sql } from 'drizzle-orm'
import t from 'tap'
import { notesSchema } from './fixture/notes.ts'
import { type Database, newId, read } from './index.ts'

const terminate = (database: Database, pid: number) =>
  database.batchSql`SELECT pg_terminate_backend(${pid})`

const down = { code: 'SERVICE_UNAVAILABLE' }

t.test('a connection lost in a transaction is 503, and the pool recovers', async (t) => {
  const { database } = await testDatabase(t, notesSchema)
  const core = await database('core')
  let later: unknown
  const cut = read(core, newId(), async ({ tx }) => {
    const [row] = await tx.execute<{ pid: number }>(sql`SELECT pg_backend_pid() AS pid`)
    await terminate(core, row?.pid ?? 0)
    await eventually(async () => {
      later = await tx.execute(sql`SELECT 1`).then(
        () => null,
        (error) => error,
      )
      return later !== null
    })
  })
  await t.rejects(cut, down)
  await eventually(() => later)
  for (let turn = 0; turn < 20; turn++) await read(core, newId(), async () => {})
})

t.test('a listener reconnects after its connection was lost, and reports it', async (t) => {
  const { database } = await testDatabase(t, notesSchema)
  const core = await database('core')
  const heard: string[] = []
  let listening = 0
  const listener = await core.listen('news', (text) => heard.push(text), {
    onListening: () => listening++,
  })
  t.equal(listening, 1)
  await core.batchSql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND query ILIKE 'listen%'`
  await eventually(() => listening === 2)
  await core.batchSql.notify('news', 'again')
  await eventually(() => heard.includes('again'))
  await listener.close()
})

t.test('a slow statement is cancelled with 503', async (t) => {
  const { database } = await testDatabase(t, notesSchema)
  const core = await database('core')
  const slow = read(core, newId(), async ({ tx }) => {
    await tx.execute(sql`SET LOCAL statement_timeout = '50ms'`)
    await tx.execute(sql`SELECT pg_sleep(30)`)
  })
  await t.rejects(slow, down)
})

t.test('a database that does not respond is 503 without a long wait', async (t) => {
  const { connect } = await testDatabase(t, notesSchema)
  const core = await connect('core', { max: 1 })
  const busy = core.batchSql`SELECT pg_sleep(30)`.catch(() => {})
  await t.rejects(core.ping(), down)
  await core.batchSql.end({ timeout: 0 })
  await busy
})

t.test('the server soon detects a client that vanished or hangs', async (t) => {
  const { database } = await testDatabase(t, notesSchema)
  const core = await database('core')
  const settings = await core.batchSql`SELECT name, setting::int FROM pg_settings WHERE name IN
    ('idle_in_transaction_session_timeout', 'statement_timeout', 'tcp_keepalives_count',
     'tcp_keepalives_idle', 'tcp_keepalives_interval') ORDER BY 1`
  t.same(
    settings.map(({ setting }) => setting),
    [60_000, 15_000, 3, 15, 5],
  )
})
