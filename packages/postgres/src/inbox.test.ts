import { systemActor } from '@status-page/contracts'
import { testDatabase } from '@status-page/testing'
import t from 'tap'
import { notesIn, notesSchema, writeNote } from './fixture/notes.ts'
import {
  missingConsumers,
  newId,
  REGISTERED_CONSUMERS,
  read,
  type Scope,
  transactOnce,
} from './index.ts'

const actor = systemActor
const consumer = 'core-notes'

const writingNote = (eventId: string, text: string) => ({
  eventId,
  work: (scope: Scope) => writeNote(scope, text),
})

t.test('two callers at once have one effect', async (t) => {
  const { database } = await testDatabase(t, notesSchema)
  const core = await database('core')
  const by = { organizationId: newId(), actor, consumer }
  const eventId = newId()
  const take = () => transactOnce(core, by, [writingNote(eventId, 'once')])
  t.same((await Promise.all([take(), take()])).flat().sort(), ['already', 'done'])
  t.same(await take(), ['already'])
  t.equal((await read(core, by.organizationId, notesIn)).length, 1)
  t.equal((await core.batchSql`SELECT FROM outbox`).count, 2)
})

t.test('an event that is in a batch twice has one effect', async (t) => {
  const { database } = await testDatabase(t, notesSchema)
  const core = await database('core')
  const by = { organizationId: newId(), actor, consumer }
  const event = writingNote(newId(), 'once')
  t.same(await transactOnce(core, by, [event, event]), ['done', 'already'])
  t.equal((await read(core, by.organizationId, notesIn)).length, 1)
})

t.test('events whose transaction fails leave no receipt, so that they run again', async (t) => {
  const { database } = await testDatabase(t, notesSchema)
  const core = await database('core')
  const by = { organizationId: newId(), actor, consumer }
  const [first, failing] = [newId(), newId()]
  const fail = { eventId: failing, work: () => Promise.reject(new Error('not yet')) }
  await t.rejects(transactOnce(core, by, [writingNote(first, 'first'), fail]), {
    message: 'not yet',
  })
  const both = [writingNote(first, 'first'), writingNote(failing, 'now')]
  t.same(await transactOnce(core, by, both), ['done', 'done'])
  t.same(await transactOnce(core, by, [...both, writingNote(newId(), 'next')]), [
    'already',
    'already',
    'done',
  ])
  const texts = (await read(core, by.organizationId, notesIn)).map(({ text }) => text)
  t.same(texts.sort(), ['first', 'next', 'now'])
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
    const by = { organizationId: newId(), actor, consumer }
    await transactOnce(core, by, [writingNote(eventId, 'done')])
    t.equal((await core.batchSql`SELECT FROM dead_event WHERE event_id = ${eventId}`).count, left)
  }
})

t.test('a repeat that was counted while the first ran leaves no count', async (t) => {
  const { database } = await testDatabase(t, notesSchema)
  const core = await database('core')
  const by = { organizationId: newId(), actor, consumer }
  const eventId = newId()
  await transactOnce(core, by, [writingNote(eventId, 'first')])
  await core.batchSql`INSERT INTO dead_event (consumer, event_id, subject, raw, tries)
    VALUES (${consumer}, ${eventId}, 'events.a.b', '', 1)`
  t.same(await transactOnce(core, by, [writingNote(eventId, 'again')]), ['already'])
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
