/**
 * Job of maintenances: on time, once, by any replica, and isolated from failures of single
 * maintenances.
 */
import { maintenanceOperations as on, systemActor } from '@status-page/contracts'
import { type Database, ItemFailures, transact } from '@status-page/postgres'
import t from 'tap'
import { BASE_URL, coreKit } from '../core.fixture.ts'
import { runDueTransition } from './changes.ts'
import { maintenanceJobs } from './jobs.ts'
import { DAY, HOUR, MINUTE, organizationOn, runClock } from './maintenances.fixture.ts'
import { leaseDueMaintenances } from './store.ts'

const kit = await coreKit(t)

t.test(
  'a maintenance starts and completes automatically, each with an event, audit entry and update',
  async (t) => {
    const { component, schedule, emitted, pass, reading, status } = organizationOn(kit)
    const api = await component('API')
    const { id } = await schedule(HOUR, 2 * HOUR, { componentIds: [api], remindBeforeMinutes: [] })
    await emitted()
    await pass(HOUR - 1000)
    t.same(await emitted(), { events: [], audit: [] }, 'not before its time')
    await pass(1000)
    t.match(await emitted(), {
      events: [
        {
          kind: 'maintenance.started',
          data: {
            maintenance: { status: 'in_progress', components: [{ status: 'under_maintenance' }] },
          },
        },
      ],
      audit: ['maintenance.update'],
    })
    t.equal(await status(api), 'under_maintenance maintenance')
    await pass(HOUR)
    t.match(await emitted(), { events: [{ kind: 'maintenance.completed' }] })
    t.equal(await status(api), 'operational manual')
    t.match(await reading(id, { include: ['updates'] }), {
      status: 'completed',
      startedAt: String,
      completedAt: String,
      updates: [{ status: 'completed' }, { status: 'in_progress' }, { status: 'scheduled' }],
    })
    await pass(DAY)
    t.same(await emitted(), { events: [], audit: [] })
  },
)

t.test(
  'a maintenance without automatic transitions, or in verification, is left alone',
  async (t) => {
    const { schedule, kinds, pass, patch, reading } = organizationOn(kit)
    const more = { remindBeforeMinutes: [] }
    const waits = await schedule(HOUR, 2 * HOUR, { ...more, autoStart: false })
    const stays = await schedule(HOUR, 2 * HOUR, { ...more, autoComplete: false })
    const verifies = await schedule(-HOUR, HOUR, more)
    await patch(verifies.id, { status: 'verifying' })
    await kinds()
    await pass(3 * HOUR)
    t.same(await kinds(), ['started'])
    t.same(
      [(await reading(waits.id)).status, (await reading(stays.id)).status],
      ['scheduled', 'in_progress'],
    )
    t.equal((await reading(verifies.id)).status, 'verifying')
    await patch(verifies.id, { status: 'in_progress' })
    await pass(0)
    t.equal((await reading(verifies.id)).status, 'completed', 'it is overdue')
  },
)

t.test('after a pause of the job all missed transitions happen, in order', async (t) => {
  const { schedule, kinds, pass } = organizationOn(kit)
  await schedule(HOUR, 2 * HOUR)
  await pass(10 * HOUR)
  t.same(await kinds(), ['scheduled', 'started', 'completed'], 'and no reminder is sent')
})

t.test('each reminder is sent once; those that are too late are skipped', async (t) => {
  const { schedule, kinds, emitted, pass, patch, reading, request } = organizationOn(kit)
  const { id } = await schedule(90 * MINUTE, 3 * HOUR, { remindBeforeMinutes: [120, 60, 10] })
  t.same(await kinds(), ['scheduled'])
  await pass(30 * MINUTE)
  t.match(await emitted(), {
    events: [{ kind: 'maintenance.reminder', version: 2, data: { maintenance: { id } } }],
    audit: [],
  })
  await pass(MINUTE)
  t.same(await kinds(), [])
  await pass(49 * MINUTE)
  t.same(await kinds(), ['reminder'])
  t.equal((await reading(id)).version, 3)

  const later = new Date(Date.parse((await reading(id)).scheduledFor) + DAY)
  const until = new Date(later.getTime() + HOUR)
  const window = { scheduledFor: later.toISOString(), scheduledUntil: until.toISOString() }
  await patch(id, window)
  t.same(await kinds(), ['updated'])
  await pass(DAY)
  t.same(await kinds(), ['reminder'], 'several missed reminders are sent as one')
  await patch(id, { remindBeforeMinutes: [5] })
  await request(on.remove, { params: { id } })
  await kinds()
  await pass(DAY)
  t.same(await kinds(), [], 'a cancelled maintenance has no reminders')
})

t.test('two concurrent replicas perform each transition once', async (t) => {
  const { component, schedule, emitted } = organizationOn(kit)
  const replica = await kit.replica()
  const created = []
  for (let index = 0; index < 30; index += 1) {
    const componentIds = [await component(`C${index}`)]
    created.push(await schedule(HOUR, 2 * HOUR, { componentIds, remindBeforeMinutes: [] }))
  }
  await emitted()
  kit.clock.advance(HOUR + MINUTE)
  await Promise.all([runClock(kit.jobs), runClock(replica.jobs)])
  const { events, audit } = await emitted()
  t.same(
    events.map(({ kind, aggregate, version }) => `${kind} ${aggregate} ${version}`).toSorted(),
    created.map(({ id }) => `maintenance.started ${id} 2`).toSorted(),
  )
  t.equal(audit.length, created.length)
})

t.test(
  'two holders of the same lease perform a transition once: the row is checked again',
  async (t) => {
    const { organizationId, schedule, kinds, reading } = organizationOn(kit)
    const { id } = await schedule(HOUR, 2 * HOUR, { remindBeforeMinutes: [] })
    await kinds()
    kit.clock.advance(HOUR)
    const by = { organizationId, actor: systemActor }
    const step = (database: Database) =>
      transact(database, by, async (scope) => ({
        result: undefined,
        ...(await runDueTransition(scope, id, BASE_URL)),
      }))
    await Promise.all([step(kit.database), step(kit.database), step(kit.database)])
    t.same(await kinds(), ['started'])
    t.equal((await reading(id)).version, 2)
  },
)

t.test(
  'a transition leased and not performed by a replica is performed by another within a minute',
  async (t) => {
    const { schedule, kinds, pass } = organizationOn(kit)
    const { id } = await schedule(HOUR, 2 * HOUR, { remindBeforeMinutes: [] })
    await kinds()
    kit.clock.advance(HOUR)
    t.ok((await leaseDueMaintenances(kit.database, 100)).some((due) => due.id === id))
    await pass(0)
    t.same(await kinds(), [], 'leased by the other replica')
    await pass(20_000)
    t.same(await kinds(), ['started'])
  },
)

t.test('a failing maintenance delays no other and is retried', async (t) => {
  const { organizationId, schedule, kinds } = organizationOn(kit)
  const broken = await schedule(-2 * HOUR, 8 * DAY, { recurrence: { rrule: 'FREQ=WEEKLY' } })
  await kit.database.batchSql.begin(async (sql) => {
    await sql`SELECT set_config('app.org', ${organizationId}, true)`
    await sql`UPDATE maintenances SET due_at = '2026-01-01', next_occurrence_at = '2026-01-01',
      recurrence = '{"rrule": "BROKEN", "timezone": "UTC", "until": null}' WHERE id = ${broken.id}`
  })
  for (let index = 0; index < 3; index += 1) {
    await schedule(HOUR, 2 * HOUR, { remindBeforeMinutes: [] })
  }
  await kinds()
  kit.clock.advance(HOUR)
  const failed: unknown[] = []
  const [work] = maintenanceJobs({ database: kit.database, baseUrl: BASE_URL })
  const run = async () => {
    const runOnce = async () => {
      try {
        return (await work?.run(new AbortController().signal)) ?? 0
      } catch (error) {
        failed.push(error)
        return 0
      }
    }
    while ((await runOnce()) > 0);
  }
  await run()
  t.same(await kinds(), ['started', 'started', 'started'])
  t.match(failed, [ItemFailures])
  await run()
  t.equal(failed.length, 1, 'not immediately')
  await kit.database.batchSql.begin(async (sql) => {
    await sql`SELECT set_config('app.org', ${organizationId}, true)`
    await sql`UPDATE maintenances SET due_at = NULL WHERE id = ${broken.id}`
  })
})
