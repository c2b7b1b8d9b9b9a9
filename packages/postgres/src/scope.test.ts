import { setImmediate as nextTurn } from 'node:timers/promises'
import { systemActor } from '@status-page/contracts'
import { assertTenantCatalogue, testDatabase } from '@status-page/testing'
import { sql } from 'drizzle-orm'
import t from 'tap'
import { notes, notesIn, notesSchema, writeNote } from './fixture/notes.ts'
import {
  asWorker,
  databaseErrorOf,
  newId,
  read,
  readDue,
  readOnly,
  readOnlyAtOnce,
  readOnlyPipelined,
  transact,
} from './index.ts'

const actor = systemActor

t.test('an organization sees its own rows and no others', async (t) => {
  const { database } = await testDatabase(t, notesSchema)
  const core = await database('core')
  const [ours, theirs] = [newId(), newId()]
  await transact(core, { organizationId: ours, actor }, (scope) => writeNote(scope, 'ours'))
  await transact(core, { organizationId: theirs, actor }, (scope) => writeNote(scope, 'theirs'))

  const seen = await read(core, ours, (scope) => scope.tx.select().from(notes))
  t.same(
    seen.map(({ text }) => text),
    ['ours'],
    'without any filter by the store',
  )
  t.match(seen[0]?.createdAt, Date)
})

t.test('outside a Scope there are no rows', async (t) => {
  const { database } = await testDatabase(t, notesSchema)
  const core = await database('core')
  const organizationId = newId()
  await transact(core, { organizationId, actor }, (scope) => writeNote(scope, 'ours'))
  t.same(await core.db.select().from(notes), [])
  t.same(await core.batchSql`SELECT * FROM notes`, [])
})

t.test('a row of another organization cannot be written', async (t) => {
  const { database } = await testDatabase(t, notesSchema)
  const core = await database('core')
  const foreign = { id: newId(), organizationId: newId(), text: 'smuggled' }
  const insert = read(core, newId(), (scope) => scope.tx.insert(notes).values(foreign))
  const error = await insert.then(
    () => null,
    (thrown) => databaseErrorOf(thrown),
  )
  t.equal(error?.code, '42501')
})

t.test('a row cannot refer to a parent of another organization', async (t) => {
  const { database } = await testDatabase(t, notesSchema)
  const core = await database('core')
  const [ours, theirs, authorId] = [newId(), newId(), newId()]
  await read(core, theirs, (scope) =>
    scope.tx.execute(sql`INSERT INTO authors VALUES (${authorId}, ${theirs}, 'Ann')`),
  )
  const insert = read(core, ours, (scope) =>
    scope.tx.insert(notes).values({ organizationId: ours, authorId, text: 'by Ann' }),
  )
  const error = await insert.then(
    () => null,
    (thrown) => databaseErrorOf(thrown),
  )
  t.equal(error?.code, '23503')
})

t.test('200 interleaved requests over two connections never mix', async (t) => {
  const { connect } = await testDatabase(t, notesSchema)
  const core = await connect('core', { max: 2 })
  const organizations = Array.from({ length: 10 }, () => newId())
  for (const organizationId of organizations) {
    await transact(core, { organizationId, actor }, (scope) => writeNote(scope, organizationId))
  }
  const requests = Array.from({ length: 200 }, async (_, turn) => {
    const organizationId = organizations[turn % organizations.length] ?? ''
    const texts = await read(core, organizationId, async (scope) => {
      await nextTurn()
      const rows = await scope.tx.select().from(notes)
      return rows.map(({ text }) => text)
    })
    return texts.length === 1 && texts[0] === organizationId
  })
  t.notOk((await Promise.all(requests)).includes(false))
  t.same(await core.db.select().from(notes), [], 'nothing stays on the connections')
})

t.test(
  'statements that are sent with the start of a transaction see its organization',
  async (t) => {
    const { connect } = await testDatabase(t, notesSchema)
    const core = await connect('core', { max: 2 })
    const organizations = Array.from({ length: 10 }, () => newId())
    for (const organizationId of organizations) {
      await transact(core, { organizationId, actor }, (scope) => writeNote(scope, organizationId))
    }
    const requests = Array.from({ length: 200 }, async (_, turn) => {
      const organizationId = organizations[turn % organizations.length] ?? ''
      return readOnlyPipelined(
        core,
        organizationId,
        ({ tx }) => tx.select().from(notes),
        async ({ tx, now }, first) => {
          const second = await tx.select().from(notes)
          const texts = [...first, ...second].map(({ text }) => text)
          return now instanceof Date && texts.join() === `${organizationId},${organizationId}`
        },
      )
    })
    t.notOk((await Promise.all(requests)).includes(false))
    t.same(await core.db.select().from(notes), [], 'nothing stays on the connections')
  },
)

t.test('statements that are sent with their commit see only their organization', async (t) => {
  const { connect } = await testDatabase(t, notesSchema)
  const core = await connect('core', { max: 2 })
  const organizations = Array.from({ length: 10 }, () => newId())
  for (const organizationId of organizations) {
    await transact(core, { organizationId, actor }, (scope) => writeNote(scope, organizationId))
  }
  const requests = Array.from({ length: 200 }, async (_, turn) => {
    const organizationId = organizations[turn % organizations.length] ?? ''
    const [{ now, loaded }] = await Promise.all([
      readOnlyAtOnce(core, organizationId, ({ tx }) => tx.select().from(notes)),
      t.rejects(readOnlyAtOnce(core, newId(), ({ tx }) => tx.execute(sql`SELECT 1 / 0`))),
    ])
    return now instanceof Date && loaded.map(({ text }) => text).join() === organizationId
  })
  t.notOk((await Promise.all(requests)).includes(false))
  t.same(await core.db.select().from(notes), [], 'nothing stays on the connections')
})

t.test('a read-only transaction writes nothing', async (t) => {
  const { database } = await testDatabase(t, notesSchema)
  const core = await database('core')
  const organizationId = newId()
  const note = { id: newId(), organizationId, text: 'one' }
  for (const open of [readOnly, readOnlyAtOnce]) {
    const error = await open(core, organizationId, async ({ tx }) =>
      tx.insert(notes).values(note),
    ).catch((thrown: unknown) => thrown)
    t.match(error, { code: 'INTERNAL_ERROR' })
    t.equal(databaseErrorOf((error as Error).cause)?.code, '25006')
    t.same(await read(core, organizationId, notesIn), [])
  }
})

t.test('a failed first statement fails the read', async (t) => {
  const { connect } = await testDatabase(t, notesSchema)
  const core = await connect('core', { max: 1 })
  const failed = readOnlyPipelined(
    core,
    newId(),
    ({ tx }) => tx.execute(sql`SELECT 1 / 0`),
    async () => t.fail('the work runs'),
  )
  await t.rejects(failed)
  t.equal(await readOnly(core, newId(), async () => 'next'), 'next')
})

t.test(
  'a system scope reads all organizations, and its role ends with the transaction',
  async (t) => {
    const { connect } = await testDatabase(t, notesSchema)
    const core = await connect('core', { max: 1 })
    const organizationId = newId()
    await transact(core, { organizationId, actor }, (scope) => writeNote(scope, 'ours'))
    const columns = { id: notes.id, text: notes.text }

    for (const round of ['first', 'prepared']) {
      const crossed = await asWorker(core, ({ tx }) => tx.select(columns).from(notes))
      t.equal(crossed.length, 1, `${round}: the system scope reads it`)
      const scoped = await read(core, newId(), ({ tx }) => tx.select(columns).from(notes))
      t.equal(scoped.length, 0, `${round}: another organization does not`)
    }
    const whole = asWorker(core, ({ tx }) => tx.select().from(notes))
    await t.rejects(whole, 'columns without a grant are refused')
  },
)

t.test('conditions of jobs see the rows of all organizations', async (t) => {
  const { connect } = await testDatabase(t, notesSchema)
  const core = await connect('core', { max: 1 })
  const conditions = ['EXISTS (SELECT FROM notes)', `(SELECT text = 'ours' FROM notes LIMIT 1)`]
  for (const round of ['first', 'prepared']) {
    t.same(await readDue(core, conditions), [false, null], `${round}: without rows`)
  }
  await transact(core, { organizationId: newId(), actor }, (scope) => writeNote(scope, 'ours'))
  t.same(await readDue(core, conditions), [true, true])
  await t.rejects(readDue(core, ['EXISTS (SELECT created_at FROM notes)']), 'without a grant')
  t.same(await core.batchSql`SELECT FROM notes`, [], 'the role ends with the transaction')
})

t.test('a Scope has the time of the database', async (t) => {
  const { connect } = await testDatabase(t, notesSchema)
  const hourMs = 3_600_000
  const core = await connect('core', { clock: { offsetMs: () => hourMs } })
  const [row] = await core.batchSql<{ now: Date }[]>`SELECT now() AS now`
  const now = await read(core, newId(), async (scope) => scope.now)
  const aheadMs = now.getTime() - (row?.now.getTime() ?? 0)
  t.ok(aheadMs >= hourMs && aheadMs < hourMs + 60_000, 'moved by the test clock')
})

t.test('every tenant table has its row-level security', async (t) => {
  const { adminUrl } = await testDatabase(t, notesSchema)
  await assertTenantCatalogue(t, adminUrl, 'core')
})

t.test('a list reads back what a Scope wrote', async (t) => {
  const { database } = await testDatabase(t, notesSchema)
  const core = await database('core')
  const organizationId = newId()
  await transact(core, { organizationId, actor }, (scope) => writeNote(scope, 'one'))
  t.equal((await read(core, organizationId, notesIn)).length, 1)
})
