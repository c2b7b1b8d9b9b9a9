/** Requirements of the server: version, sessions behind a pooler, state of the schema. */
import { systemActor } from '@status-page/contracts'
import { eventually, testDatabase } from '@status-page/testing'
import t from 'tap'
import { notesSchema, writeNote } from './fixture/notes.ts'
import {
  asWorkerRaw,
  connect,
  connectionProblemOf,
  newId,
  readDue,
  readSchemaState,
  requireUsableServer,
  transact,
} from './index.ts'
import { hasPooler, startPooler } from './pooler.fixture.ts'

const skip = hasPooler() ? false : 'pgbouncer is not installed'
const byUrl = { sessionSetting: 'DATABASE_URL' } as const

t.test('Postgres without a pooler has sessions', async (t) => {
  const { database } = await testDatabase(t, notesSchema)
  await requireUsableServer(await database('core'), byUrl)
  t.pass()
})

t.test(
  'a pooler in transaction mode is refused, one in session mode is not',
  { skip },
  async (t) => {
    const databases = await testDatabase(t, notesSchema)
    const url = databases.url('core')
    for (const mode of ['session', 'transaction'] as const) {
      const pooled = await startPooler(t, { url, mode })
      const database = await connect({ url: pooled, service: 'core' })
      t.teardown(() => database.close())
      // Other clients use the pooler at the same time.
      const load = Array.from({ length: 8 }, () => database.batchSql`SELECT pg_sleep(0.2)`)
      const check = requireUsableServer(database, byUrl)
      if (mode === 'session') await check
      else
        await t.rejects(check, { name: 'DatabaseUnusable', message: /^DATABASE_URL leads to a / })
      await Promise.all(load)
    }
  },
)

t.test(
  'with a direct URL everything works through a pooler in transaction mode',
  { skip },
  async (t) => {
    const databases = await testDatabase(t, notesSchema)
    const url = databases.url('core')
    const pooled = await startPooler(t, { url, mode: 'transaction', poolSize: 3 })
    const database = await connect({ url: pooled, directUrl: url, service: 'core' })
    t.teardown(() => database.close())
    await requireUsableServer(database, { sessionSetting: 'DATABASE_DIRECT_URL' })
    const received: string[] = []
    await database.listen('news', (text) => received.push(text))
    const organizations = Array.from({ length: 4 }, newId)
    const writes = organizations.flatMap((organizationId) =>
      Array.from({ length: 25 }, (_, index) =>
        transact(database, { organizationId, actor: systemActor }, (scope) =>
          writeNote(scope, `note ${index}`),
        ),
      ),
    )
    await Promise.all(writes)
    await Promise.all(
      Array.from({ length: 20 }, (_, n) => database.batchSql`SELECT ${n}::int + 1, ${'x'}::text`),
    )
    // The pooler passes a server connection on while the driver waits for a description on it.
    const afterOthers = Array.from({ length: 40 }, (_, n) =>
      n % 4 === 0 ? database.batchSql`SELECT pg_sleep(0.02)` : database.batchSql`SELECT ${n}::int`,
    )
    await Promise.all(afterOthers)
    // Statements of workers are sent with the start of their transaction.
    const byWorkers = Array.from({ length: 20 }, () => [
      readDue(database, ['EXISTS (SELECT FROM notes)']),
      asWorkerRaw(database, async ({ sql }) => {
        const notes = await sql`SELECT FROM notes WHERE text <> ${'other'}`
        return [notes.count === writes.length]
      }),
    ]).flat()
    for (const seen of await Promise.all(byWorkers)) t.same(seen, [true])
    t.equal(await countNotes(databases.adminUrl), writes.length)
    await database.batchSql.notify('news', 'one')
    await eventually(() => received.length === 1)
    const [holder, other] = await Promise.all([database.dedicated(), database.dedicated()])
    const locked = async (connection: typeof holder) =>
      (await connection`SELECT pg_try_advisory_lock(7) AS held`)[0]?.held
    t.same([await locked(holder), await locked(other)], [true, false])
  },
)

t.test('a schema lacks migrations, is current, or is newer than the code', async (t) => {
  const databases = await testDatabase(t, notesSchema)
  const database = await databases.database('core')
  const rows = await database.batchSql<{ name: string }[]>`SELECT name FROM schema_migration`
  const applied = new Set(rows.map(({ name }) => name))
  t.same(await readSchemaState(database, applied), { kind: 'current' })
  const further = new Set([...applied, '0099_later'])
  t.same(await readSchemaState(database, further), { kind: 'missing', migrations: ['0099_later'] })
  const empty = { batchSql: database.batchSql, schema: 'absent' }
  t.same(await readSchemaState(empty, applied), { kind: 'missing', migrations: [...applied] })

  const insert = async (name: string, requires: string | null) => {
    const admin = await connect({ url: databases.adminUrl, service: 'core', max: 1 })
    await admin.batchSql`INSERT INTO core.schema_migration (name, checksum, requires)
      VALUES (${name}, '', ${requires})`
    await admin.close()
  }
  await insert('0097_compatible', null)
  await insert('0098_removal', [...applied][0] ?? '')
  t.same(await readSchemaState(database, applied), { kind: 'current' })
  await insert('0099_breaking', '0099_breaking')
  t.same(await readSchemaState(database, applied), {
    kind: 'newer',
    migrations: ['0099_breaking'],
  })
})

t.test('an error of the first connection that no retry resolves is one sentence', async (t) => {
  const { url } = await testDatabase(t, notesSchema)
  const problemOf = (wrong: string) =>
    connect({ url: wrong, service: 'core', max: 1 }).then(() => null, connectionProblemOf)
  const right = url('core')
  const withPassword = (text: string) => right.replace(/:[^:@/]+@/, `:${text}@`)
  t.match(await problemOf(withPassword('s3cret')), /^Postgres refused the user or the password: /)
  t.match(await problemOf(right.replace(/\/[^/]+$/, '/absent')), /^The database does not exist: /)
  t.equal(await problemOf('postgres://core:x@127.0.0.1:1/db'), null, 'may start later')
  t.equal(connectionProblemOf(new Error('unknown')), null)
})

/** Number of notes of all organizations. */
const countNotes = async (adminUrl: string): Promise<number> => {
  const admin = await connect({ url: adminUrl, service: 'core', max: 1 })
  try {
    const [row] = await admin.batchSql`SELECT count(*)::int AS n FROM core.notes`
    return row?.n
  } finally {
    await admin.close()
  }
}
