/** Erasure of a mail address from outbox, stored answers and quarantined events. */
import { testDatabase } from '@status-page/testing'
import t from 'tap'
import { notesSchema } from './fixture/notes.ts'
import { type Database, newId, redactSharedTables } from './index.ts'

const email = 'ann@example.com'
const USER_ID = newId()

const appendEvents = async ({ batchSql }: Database, organizationId: string, payloads: object[]) => {
  const rows = payloads.map((payload) => ({ id: newId(), payload }))
  await batchSql`
    INSERT INTO outbox (event_id, organization_id, aggregate_type, aggregate_id,
      aggregate_version, kind, subject, payload)
    SELECT (r ->> 'id')::uuid, ${organizationId}, 'audit', (r ->> 'id')::uuid, 1, 'audit.recorded',
      'events.audit.recorded.' || ${organizationId}, r -> 'payload'
    FROM jsonb_array_elements(${JSON.stringify(rows)}::text::jsonb) r`
}

const payloadsOf = async ({ batchSql }: Database, organizationId: string) => {
  const rows = await batchSql<{ payload: unknown }[]>`
    SELECT payload FROM outbox WHERE organization_id = ${organizationId} ORDER BY seq`
  return rows.map(({ payload }) => payload)
}

const erase = (database: Database, organizationId: string, userId: string | null = null) =>
  redactSharedTables(database, organizationId, { email, entityIds: [], userId })

t.test(
  'an address is removed from the events of its organization on every page of rows',
  async (t) => {
    const { database } = await testDatabase(t, notesSchema)
    const core = await database('core')
    const [own, other] = [newId(), newId()]
    const payloads = Array.from({ length: 1_200 }, () => ({ to: email }))
    await appendEvents(core, own, payloads)
    await appendEvents(core, other, [{ to: email }])
    await erase(core, own)
    const left = await payloadsOf(core, own)
    t.equal(left.length, payloads.length)
    t.same(new Set(left.map((payload) => JSON.stringify(payload))), new Set(['{"to":"[erased]"}']))
    t.same(await payloadsOf(core, other), [{ to: email }], 'another organization is untouched')
  },
)

t.test('another address that contains the erased one stays', async (t) => {
  const { database } = await testDatabase(t, notesSchema)
  const core = await database('core')
  const organizationId = newId()
  const others = ['joann@example.com', 'x.ann@example.com', 'ann@example.com.au', 'xann@example.co']
  const mentions = ['Ann@Example.com', `to:\n${email}`, `<${email}>`, `Write to ${email}.`]
  await appendEvents(core, organizationId, [{ others }, { mentions }])
  await erase(core, organizationId)
  t.same(await payloadsOf(core, organizationId), [
    { others },
    { mentions: ['[erased]', 'to:\n[erased]', '<[erased]>', 'Write to [erased].'] },
  ])
})

t.test('entries of an erased account lose IP address and user agent', async (t) => {
  const { database } = await testDatabase(t, notesSchema)
  const core = await database('core')
  const organizationId = newId()
  const [own, other] = [USER_ID, newId()].map((userId) => ({
    userId,
    ipAddress: '192.0.2.1',
    userAgent: 'curl',
  }))
  await appendEvents(
    core,
    organizationId,
    [own, other].filter((one) => one !== undefined),
  )
  await erase(core, organizationId, USER_ID)
  t.same(await payloadsOf(core, organizationId), [
    { userId: USER_ID, ipAddress: null, userAgent: null },
    other,
  ])
})

t.test('an address is removed from stored storedResponses and quarantined events', async (t) => {
  const { database } = await testDatabase(t, notesSchema)
  const core = await database('core')
  const [own, other] = [newId(), newId()]
  for (const organizationId of [own, other]) {
    for (const key of ['first', 'second', 'third']) {
      await core.batchSql`
        INSERT INTO idempotency (organization_id, caller_id, route, key, body_hash, owner,
          locked_until, expires_at, body)
        VALUES (${organizationId}, 'caller', 'POST /subscribers', ${key}, 'hash', ${newId()}, now(),
          now() + interval '1 day', ${JSON.stringify({ email })})`
    }
    await core.batchSql`
      INSERT INTO dead_event (consumer, event_id, subject, raw, tries)
      VALUES ('core-notes', ${newId()}, ${`events.subscriber.created.${organizationId}`},
        ${Buffer.from(JSON.stringify({ email }))}, 6)`
  }
  await erase(core, own)
  const storedResponses = (organizationId: string) =>
    core.batchSql`SELECT key, body FROM idempotency WHERE organization_id = ${organizationId}`
  t.notMatch(JSON.stringify((await storedResponses(own)).map(({ body }) => body)), email)
  t.equal((await storedResponses(own)).length, 3)
  t.equal((await storedResponses(other)).filter(({ body }) => body.includes(email)).length, 3)
  const dead = await core.batchSql<{ subject: string }[]>`SELECT subject FROM dead_event`
  t.same(
    dead.map(({ subject }) => subject),
    [`events.subscriber.created.${other}`],
  )
})
