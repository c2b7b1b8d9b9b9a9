/** States of a maintenance: allowed transitions by users and by the job, and refusals. */
import { maintenanceOperations as on } from '@status-page/contracts'
import t from 'tap'
import { coreKit } from '../core.fixture.ts'
import { HOUR, MINUTE, organizationOn } from './maintenances.fixture.ts'

const kit = await coreKit(t)

t.test('transitions follow the table', async (t) => {
  const { schedule, patch, kinds, request, reading } = organizationOn(kit)
  const statuses = ['scheduled', 'in_progress', 'verifying', 'completed', 'cancelled'] as const
  const reach: Record<(typeof statuses)[number], object[]> = {
    scheduled: [],
    in_progress: [{ status: 'in_progress' }],
    verifying: [{ status: 'in_progress' }, { status: 'verifying' }],
    completed: [{ status: 'in_progress' }, { status: 'completed' }],
    cancelled: [],
  }
  const events: Record<string, string> = {
    'scheduled in_progress': 'started',
    'in_progress verifying': 'updated',
    'in_progress completed': 'completed',
    'verifying in_progress': 'updated',
    'verifying completed': 'completed',
  }
  for (const from of statuses) {
    for (const to of statuses.filter((other) => other !== from)) {
      for (const way of ['patch', 'update'] as const) {
        const { id } = await schedule(HOUR, 2 * HOUR)
        for (const step of reach[from]) await patch(id, step)
        if (from === 'cancelled') await request(on.remove, { params: { id } })
        await kinds()
        const body = { status: to }
        const response =
          way === 'patch'
            ? await patch(id, body)
            : await request(on.addUpdate, { params: { id }, body })
        const event = events[`${from} ${to}`]
        const name = `${from} to ${to} by ${way}`
        if (event === undefined) {
          t.equal(response.status, 409, name)
          t.equal(response.body.error.details.reason, 'invalid_state', name)
        } else {
          t.equal(response.status, way === 'patch' ? 200 : 201, name)
          t.equal((await reading(id)).status, to, name)
          t.same(await kinds(), [event], name)
        }
      }
    }
  }
})

t.test('an update may be posted after the end, and is the newest message', async (t) => {
  const { schedule, request, reading, patch, emitted } = organizationOn(kit)
  const { id } = await schedule(-MINUTE, HOUR, { message: 'The plan.' })
  await emitted()
  const posted = await request(on.addUpdate, {
    params: { id },
    body: { status: 'completed', message: 'All done.' },
  })
  t.equal(posted.status, 201)
  t.match(posted.body, {
    status: 'completed',
    message: 'All done.',
    maintenance: { id, status: 'completed', message: 'All done.', completedAt: String },
  })
  t.match(await emitted(), {
    events: [{ kind: 'maintenance.completed', data: { maintenance: { message: 'All done.' } } }],
    audit: ['maintenance.update'],
  })
  const after = await request(on.addUpdate, { params: { id }, body: { message: 'Thanks.' } })
  t.equal(after.status, 201)
  t.match(await reading(id, { include: ['updates'] }), {
    message: 'Thanks.',
    updates: [
      { status: 'completed', message: 'Thanks.' },
      { status: 'completed', message: 'All done.' },
      { status: 'in_progress', message: '' },
      { status: 'scheduled', message: 'The plan.' },
    ],
  })
  t.equal((await patch(id, { title: 'Renamed', message: 'Really.' })).body.message, 'Really.')
})

t.test(
  'after the end only title and message can change; in progress the start is fixed',
  async (t) => {
    const { schedule, patch, request, now, component } = organizationOn(kit)
    const over = await schedule(-MINUTE, HOUR)
    await patch(over.id, { status: 'completed' })
    const gone = await schedule(HOUR, 2 * HOUR)
    await request(on.remove, { params: { id: gone.id } })
    const at = new Date((await now()) + 3 * HOUR).toISOString()
    const changes = [
      { scheduledUntil: at },
      { autoComplete: false },
      { componentIds: [await component('API')] },
      { remindBeforeMinutes: [] },
      { recurrence: { rrule: 'FREQ=DAILY' } },
    ]
    for (const { id } of [over, gone]) {
      for (const change of changes) t.equal((await patch(id, change)).status, 409)
      t.equal((await patch(id, { title: 'New', autoComplete: true })).status, 200)
    }
    const on_ = await schedule(-MINUTE, HOUR)
    const { status, body } = await patch(on_.id, { scheduledFor: at, scheduledUntil: at })
    t.equal(status, 409)
    t.match(body.error.message, 'scheduledFor')
    t.equal((await patch(on_.id, { scheduledUntil: at })).status, 200)
  },
)

t.test('DELETE cancels once, and never a completed maintenance', async (t) => {
  const { component, schedule, request, emitted, reading, status, patch } = organizationOn(kit)
  const api = await component('API')
  const { id } = await schedule(-MINUTE, HOUR, { componentIds: [api] })
  await emitted()
  const remove = () => request(on.remove, { params: { id } })
  t.same((await remove()).body, { success: true })
  t.match(await emitted(), {
    events: [
      {
        kind: 'maintenance.updated',
        data: { maintenance: { status: 'cancelled', news: 'cancelled' } },
      },
    ],
    audit: ['maintenance.delete'],
  })
  t.match(await reading(id), { status: 'cancelled', cancelledAt: String })
  t.equal(await status(api), 'operational manual')
  t.equal((await remove()).status, 200)
  t.same(await emitted(), { events: [], audit: [] })
  const other = await schedule(-MINUTE, HOUR)
  await patch(other.id, { status: 'completed' })
  const refused = await request(on.remove, { params: { id: other.id } })
  t.match([refused.status, refused.body.error.details.reason], [409, 'invalid_state'])
})

t.test(
  'If-Match of another version is 409; concurrent updates are all stored, in order',
  async (t) => {
    const { schedule, patch, request, reading } = organizationOn(kit)
    const { id } = await schedule(HOUR, 2 * HOUR)
    const old = await patch(id, { title: 'x' }, { 'if-match': '"7"' })
    t.match([old.status, old.body.error.details.reason], [409, 'version_mismatch'])
    t.equal((await patch(id, { title: 'x' }, { 'if-match': '"1"' })).body.version, 2)
    const messages = Array.from({ length: 12 }, (_none, index) => `m${index}`)
    await Promise.all(
      messages.map((message) => request(on.addUpdate, { params: { id }, body: { message } })),
    )
    const { updates, version, message } = await reading(id, { include: ['updates'] })
    t.equal(version, 14)
    t.same(
      new Set(updates.slice(0, 12).map((one: { message: string }) => one.message)),
      new Set(messages),
    )
    t.equal(message, updates[0].message)
  },
)

t.test('the 501st update is 409; automatic updates are still added', async (t) => {
  const { organizationId, schedule, request, pass, reading } = organizationOn(kit)
  const { id } = await schedule(HOUR, 2 * HOUR)
  await kit.database.batchSql.begin(async (sql) => {
    await sql`SELECT set_config('app.org', ${organizationId}, true)`
    await sql`INSERT INTO maintenance_updates SELECT gen_random_uuid(), organization_id, id,
      1000 + n, 'scheduled', 'm', now(), now(), now()
      FROM maintenances, generate_series(1, 499) n WHERE id = ${id}`
  })
  const refused = await request(on.addUpdate, { params: { id }, body: { message: 'one more' } })
  t.match([refused.status, refused.body.error.details.reason], [409, 'invalid_state'])
  await pass(HOUR + MINUTE)
  t.equal((await reading(id)).status, 'in_progress')
})
