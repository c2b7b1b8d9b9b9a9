import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { type Actor, MAX_EVENT_BYTES, systemActor } from '@status-page/contracts'
import { testDatabase } from '@status-page/testing'
import { sql } from 'drizzle-orm'
import t, { type Test } from 'tap'
import { noteAudit, notesIn, notesSchema, noteWritten, writeNote } from './fixture/notes.ts'
import {
  type Database,
  newId,
  type OutboxRow,
  read,
  transact,
  transactAsLookup,
  transactAsWorker,
} from './index.ts'

const actor: Actor = {
  type: 'user',
  userId: newId(),
  apiKeyId: null,
  ipAddress: '203.0.113.7',
  userAgent: 'tests',
  requestId: 'req_1',
}

const outboxOf = (database: Database) =>
  database.batchSql<OutboxRow[]>`SELECT * FROM outbox ORDER BY seq`

t.test('rows, events and audit entry commit together', async (t) => {
  const { database } = await testDatabase(t, notesSchema)
  const core = await database('core')
  const organizationId = newId()
  const noteId = await transact(core, { organizationId, actor }, (scope) =>
    writeNote(scope, 'hello'),
  )

  const [event, audit] = await outboxOf(core)
  if (event === undefined || audit === undefined) throw new Error('nothing in the outbox')
  t.match(event, {
    event_id: String,
    kind: 'note.written',
    subject: `events.note.written.${organizationId}`,
    organization_id: organizationId,
    aggregate_type: 'note',
    aggregate_id: noteId,
    aggregate_version: 1,
    payload: { text: 'hello' },
  })
  t.match(audit, {
    kind: 'audit.recorded',
    payload: {
      id: audit.event_id,
      organizationId,
      action: 'note.write',
      entityType: 'note',
      entityId: noteId,
      entityName: null,
      actorType: 'user',
      userId: actor.userId,
      apiKeyId: null,
      changes: { text: { to: 'hello' } },
      ipAddress: '203.0.113.7',
      userAgent: 'tests',
      requestId: 'req_1',
      occurredAt: new Date(audit.occurred_at).toISOString(),
    },
  })
})

t.test('a result alone records nothing, and one list requires the other', async (t) => {
  const { database } = await testDatabase(t, notesSchema)
  const core = await database('core')
  const by = { organizationId: newId(), actor }
  t.equal(await transact(core, by, async () => ({ result: 'unchanged' })), 'unchanged')
  t.same(await outboxOf(core), [])
  const { result, events, audit } = await read(core, by.organizationId, (scope) =>
    writeNote(scope, 'hello'),
  )
  // @ts-expect-error: events without audit entries do not compile.
  t.ok(() => transact(core, by, async () => ({ result, events })))
  // @ts-expect-error: audit entries without events do not compile.
  t.ok(() => transact(core, by, async () => ({ result, audit })))
})

t.test('a change that throws leaves neither rows nor events', async (t) => {
  const { database } = await testDatabase(t, notesSchema)
  const core = await database('core')
  const organizationId = newId()
  const failing = transact(core, { organizationId, actor }, async (scope) => {
    await writeNote(scope, 'half')
    throw new Error('the rule says no')
  })
  await t.rejects(failing, { message: 'the rule says no' })
  t.same(await read(core, organizationId, notesIn), [])
  t.equal((await outboxOf(core)).length, 0)
})

t.test('a change notifies the channel of its schema', async (t) => {
  const { database } = await testDatabase(t, notesSchema)
  const core = await database('core')
  const rung = new Promise<string>((resolve) =>
    core.listen('outbox_new', resolve).then(() => begin()),
  )
  const begin = () =>
    transact(core, { organizationId: newId(), actor }, (scope) => writeNote(scope, 'ring'))
  t.equal(await rung, 'core')
})

t.test('an event too large to be published fails its change', async (t) => {
  const { database } = await testDatabase(t, notesSchema)
  const core = await database('core')
  const organizationId = newId()
  const huge = transact(core, { organizationId, actor }, async (scope) => {
    const outcome = await writeNote(scope, 'huge')
    const event = noteWritten(outcome.result, { text: 'x'.repeat(MAX_EVENT_BYTES) })
    return { ...outcome, events: [event] }
  })
  await t.rejects(huge, { code: 'PAYLOAD_TOO_LARGE' })
  t.same(await read(core, organizationId, notesIn), [])
})

t.test('an audit entry cuts long texts by code point and never fails its change', async (t) => {
  const { database } = await testDatabase(t, notesSchema)
  const core = await database('core')
  const long = '😀'.repeat(1_500)
  const many = Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`f${n}`, long]))
  const changes = { short: { to: [{ text: long }] }, many: { to: many } }
  await transact(core, { organizationId: newId(), actor }, async () => ({
    result: null,
    events: [],
    audit: [noteAudit(newId(), changes)],
  }))
  const [row] = await outboxOf(core)
  t.match(row?.payload, {
    changes: { short: { to: [{ text: '😀'.repeat(1_000) }] }, many: { to: '…' } },
  })
})

t.test('a deadlock runs the change once more', async (t) => {
  const { database } = await testDatabase(t, notesSchema)
  const core = await database('core')
  const organizationId = newId()
  const lock = (key: number) => sql`SELECT pg_advisory_xact_lock(${key}::int)`
  const { promise: bothHold, resolve: tellBoth } = Promise.withResolvers<void>()
  let holding = 0
  let runs = 0
  const take = (first: number, second: number) =>
    transact(core, { organizationId, actor }, async (scope) => {
      runs++
      await scope.tx.execute(lock(first))
      if (++holding === 2) tellBoth()
      await bothHold
      await scope.tx.execute(lock(second))
      return writeNote(scope, `${first} then ${second}`)
    })
  await Promise.all([take(1, 2), take(2, 1)])
  t.equal(runs, 3)
  t.equal((await read(core, organizationId, notesIn)).length, 2)
})

t.test('a second conflict in a row is 503', async (t) => {
  const { database } = await testDatabase(t, notesSchema)
  const core = await database('core')
  let runs = 0
  const conflicting = transact(core, { organizationId: newId(), actor }, async (scope) => {
    runs++
    await scope.tx.execute(sql`DO $$ BEGIN RAISE SQLSTATE '40001'; END $$`)
    return writeNote(scope, 'never')
  })
  await t.rejects(conflicting, { code: 'SERVICE_UNAVAILABLE' })
  t.equal(runs, 2)
})

t.test('a change of several organizations commits with the events of each', async (t) => {
  for (const changeAcross of [transactAsWorker, transactAsLookup])
    await validateCrossing(t, changeAcross)
})

const validateCrossing = async (t: Test, changeAcross: typeof transactAsWorker) => {
  const { database } = await testDatabase(t, notesSchema)
  const core = await database('core')
  const organizations = [newId(), newId()]
  for (const organizationId of organizations) {
    await transact(core, { organizationId, actor }, (scope) => writeNote(scope, 'old'))
  }
  await changeAcross(core, async ({ tx }) => {
    const rows = await tx.execute<{ id: string; organization_id: string }>(
      sql`UPDATE notes SET text = 'new' RETURNING id, organization_id`,
    )
    return {
      result: rows.length,
      organizations: rows.map((row) => ({
        organizationId: row.organization_id,
        actor: systemActor,
        events: [noteWritten(row.id, { text: 'new' }, 2)],
        audit: [],
      })),
    }
  })
  const committed = (await outboxOf(core)).filter((row) => row.aggregate_version === 2)
  t.same(committed.map((row) => row.organization_id).sort(), [...organizations].sort())
}

t.test('a crash around COMMIT leaves all or nothing', async (t) => {
  const { url, database } = await testDatabase(t, notesSchema)
  const core = await database('core')
  const program = fileURLToPath(new URL('fixture/one-change.ts', import.meta.url))
  const organizationId = newId()
  const crashAt = async (point: string) => {
    const parameters = [...process.execArgv, program, url('core'), organizationId]
    const child = spawn(process.execPath, parameters, {
      env: { ...process.env, FAULT_POINT: point },
      stdio: 'ignore',
    })
    const [, signal] = await once(child, 'exit')
    t.equal(signal, 'SIGKILL', point)
    return {
      notes: (await read(core, organizationId, notesIn)).length,
      events: (await outboxOf(core)).length,
    }
  }
  t.same(await crashAt('change.before_commit'), { notes: 0, events: 0 })
  t.same(await crashAt('change.after_commit'), { notes: 1, events: 2 })
})
