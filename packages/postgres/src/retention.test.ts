import { systemActor } from '@status-page/contracts'
import { testDatabase } from '@status-page/testing'
import t from 'tap'
import { notesSchema, writeNote } from './fixture/notes.ts'
import { type Database, newId, sharedTableRetention, transact } from './index.ts'

const actor = systemActor

const sweepOnce = async (database: Database) => {
  const counts: Record<string, number> = {}
  for (const work of sharedTableRetention(database)) {
    counts[work.name] = await work.run(AbortSignal.timeout(10_000))
  }
  return counts
}

t.test('settled events are deleted after 14 days, open ones never', async (t) => {
  const core = await (await testDatabase(t, notesSchema)).database('core')
  await transact(core, { organizationId: newId(), actor }, (scope) => writeNote(scope, 'old'))
  await core.batchSql`UPDATE outbox SET occurred_at = now() - interval '90 days'`
  t.match(await sweepOnce(core), { 'retention-outbox': 0 })
  await core.batchSql`UPDATE outbox SET settled_at = now() - interval '13 days'`
  t.match(await sweepOnce(core), { 'retention-outbox': 0 })
  await core.batchSql`UPDATE outbox SET settled_at = now() - interval '15 days'`
  t.match(await sweepOnce(core), { 'retention-outbox': 2 })
})

t.test('a receipt outlives its event of any producer', async (t) => {
  const { database, connect } = await testDatabase(t, {
    services: ['core', 'notifier'],
    folders: { ...notesSchema.folders, notifier: notesSchema.folders.core.concat('none') },
  })
  const [core, notifier] = [await database('core'), await connect('notifier')]
  await transact(core, { organizationId: newId(), actor }, (scope) => writeNote(scope, 'news'))
  await notifier.batchSql`INSERT INTO inbox (consumer, event_id, processed_at)
    SELECT 'notifier-a', event_id, now() - interval '30 days' FROM core.outbox_feed`
  t.match(await sweepOnce(notifier), { 'retention-inbox': 0 })
  await core.batchSql`DELETE FROM outbox`
  t.match(await sweepOnce(notifier), { 'retention-inbox': 2 })
})

t.test('stored responses and resolved dead events are deleted', async (t) => {
  const core = await (await testDatabase(t, notesSchema)).database('core')
  await core.batchSql`INSERT INTO idempotency VALUES
    (${newId()}, 'a', 'r', 'k', 'h', ${newId()}, now(), now() - interval '1 s'),
    (${newId()}, 'b', 'r', 'k', 'h', ${newId()}, now(), now() + interval '1 h')`
  await core.batchSql`INSERT INTO dead_event (consumer, event_id, subject, raw, tries, resolved_at) VALUES
    ('c', ${newId()}, 's', '', 6, now() - interval '91 days'), ('c', ${newId()}, 's', '', 6, NULL)`
  t.match(await sweepOnce(core), { 'retention-idempotency': 1, 'retention-dead_event': 1 })
})

t.test('tombstones of deleted organizations are deleted after 90 days', async (t) => {
  const core = await (await testDatabase(t, notesSchema)).database('core')
  await core.batchSql`INSERT INTO erasure (organization_id, completed_at) VALUES
    (${newId()}, now() - interval '91 days'), (${newId()}, now() - interval '89 days'),
    (${newId()}, NULL)`
  t.match(await sweepOnce(core), { 'retention-erasure': 1 })
})
