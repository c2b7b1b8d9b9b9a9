import { systemActor } from '@status-page/contracts'
import { testDatabase } from '@status-page/testing'
import t from 'tap'
import { notesIn, notesSchema, writeNote } from './fixture/notes.ts'
import { missingConsumers, newId, REGISTERED_CONSUMERS, read, transactOnce } from './index.ts'

const actor = systemActor
const consumer = 'core-notes'

t.test('two callers at once have one effect', async (t) => {
  const { database } = await testDatabase(t, notesSchema)
  const core = await database('core')
  const [organizationId, eventId] = [newId(), newId()]
  const take = () =>
    transactOnce(core, { organizationId, actor, consumer, eventId }, (scope) =>
      writeNote(scope, 'once'),
    )
  t.same((await Promise.all([take(), take()])).sort(), ['already', 'done'])
  t.equal(await take(), 'already')
  t.equal((await read(core, organizationId, notesIn)).length, 1)
  t.equal((await core.batchSql`SELECT FROM outbox`).count, 2)
})

t.test('a failed event handler leaves no receipt, so that it runs again', async (t) => {
  const { database } = await testDatabase(t, notesSchema)
  const core = await database('core')
  const by = { organizationId: newId(), actor, consumer, eventId: newId() }
  const failing = transactOnce(core, by, async () => {
    throw new Error('not yet')
  })
  await t.rejects(failing, { message: 'not yet' })
  t.equal(await transactOnce(core, by, (scope) => writeNote(scope, 'now')), 'done')
})

t.test('success resets the attempts, quarantine stays', async (t) => {
  const { database } = await testDatabase(t, notesSchema)
  const core = await database('core')
  for (const [tries, left] of [
    [5, 0],
    [6, 1],
  ] as const) {
    const eventId = newId()
    await core.batchSql`INSERT INTO dead_event (consumer, event_id, subject, raw, tries)
      VALUES (${consumer}, ${eventId}, 'events.a.b', '', ${tries})`
    const by = { organizationId: newId(), actor, consumer, eventId }
    await transactOnce(core, by, (scope) => writeNote(scope, 'done'))
    t.equal((await core.batchSql`SELECT FROM dead_event WHERE event_id = ${eventId}`).count, left)
  }
})

t.test('a repeat that was counted while the first ran leaves no count', async (t) => {
  const { database } = await testDatabase(t, notesSchema)
  const core = await database('core')
  const by = { organizationId: newId(), actor, consumer, eventId: newId() }
  await transactOnce(core, by, (scope) => writeNote(scope, 'first'))
  await core.batchSql`INSERT INTO dead_event (consumer, event_id, subject, raw, tries)
    VALUES (${consumer}, ${by.eventId}, 'events.a.b', '', 1)`
  t.equal(await transactOnce(core, by, (scope) => writeNote(scope, 'again')), 'already')
  t.equal((await core.batchSql`SELECT FROM dead_event`).count, 0)
})

t.test('an event handler without a registered consumer is reported', async (t) => {
  const { database } = await testDatabase(t, notesSchema)
  const core = await database('core')
  const [row] = await core.batchSql.unsafe(`SELECT ${REGISTERED_CONSUMERS} AS registered`)
  const found = missingConsumers(row?.registered, [
    { consumer, on: [{ kind: 'note.written' }, { kind: 'note.burnt' }] },
    { consumer: 'core-readers', on: [{ kind: 'note.written' }] },
  ])
  t.same(found, ['core-notes note.burnt', 'core-readers note.written'])
})
