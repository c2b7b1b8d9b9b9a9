/** Deletion of an organization in bounded batches. */
import { systemActor } from '@status-page/contracts'
import { testDatabase } from '@status-page/testing'
import t from 'tap'
import { notesIn, notesSchema, noteWritten, writeNote } from './fixture/notes.ts'
import { type ErasurePart, erasureJob, newId, read, requestErasure, transact } from './index.ts'

t.test('a part that waits for other work does not delay the parts after it', async (t) => {
  const { database } = await testDatabase(t, notesSchema)
  const core = await database('core')
  const organizationId = newId()
  await transact(core, { organizationId, actor: systemActor }, async (scope) => {
    await requestErasure(scope)
    return writeNote(scope, 'a note')
  })
  let isWaiting = true
  const waiting: ErasurePart = { name: 'files', run: async () => (isWaiting ? 'pending' : 0) }
  const work = erasureJob({
    database: core,
    parts: [waiting, 'notes'],
    settleSeconds: 0,
    receipt: (id) => noteWritten(id, {}),
    logger: { info() {}, error() {} },
  })
  const isCompleted = async () =>
    (await core.batchSql`SELECT FROM erasure WHERE completed_at IS NOT NULL`).count === 1
  const runAll = async () => {
    for (let runs = 0; runs < 8; runs++) {
      await core.batchSql`UPDATE erasure SET next_at = now()`
      await work.run(new AbortController().signal)
    }
  }
  await runAll()
  t.same(await read(core, organizationId, notesIn), [])
  t.notOk(await isCompleted(), 'no receipt while a part waits')
  isWaiting = false
  await runAll()
  t.ok(await isCompleted())
})
