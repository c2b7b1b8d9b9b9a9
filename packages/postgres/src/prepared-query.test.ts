import { systemActor } from '@status-page/contracts'
import { testDatabase } from '@status-page/testing'
import { sql } from 'drizzle-orm'
import t from 'tap'
import { notes, notesSchema, writeNote } from './fixture/notes.ts'
import { newId, preparedQuery, read, transact } from './index.ts'

const actor = systemActor

t.test('a statement is built once and executed in the transaction of each Scope', async (t) => {
  const { connect } = await testDatabase(t, notesSchema)
  const core = await connect('core', { max: 2 })
  const organizations = [newId(), newId()]
  for (const organizationId of organizations) {
    for (const text of ['one', 'two', 'three']) {
      await transact(core, { organizationId, actor }, (scope) => writeNote(scope, text))
    }
  }
  let builds = 0
  const byText = preparedQuery((tx) => {
    builds++
    return tx
      .select()
      .from(notes)
      .where(sql`${notes.text} = ANY(${sql.placeholder('texts')}::text[])`)
  })
  const found = await Promise.all(
    Array.from({ length: 20 }, (_one, turn) =>
      read(core, organizations[turn % 2] ?? '', (scope) =>
        byText(scope, { texts: turn < 10 ? ['one', 'two'] : ['three'] }),
      ),
    ),
  )
  for (const [turn, rows] of found.entries()) {
    t.equal(rows.length, turn < 10 ? 2 : 1)
    t.ok(rows.every((row) => row.organizationId === organizations[turn % 2]))
    t.match(rows[0]?.createdAt, Date, 'columns are read as drizzle reads them')
  }
  t.equal(builds, 1)
})
