/** Operations of maintenances: every response, event and audit entry. */
import { maintenanceOperations as on } from '@status-page/contracts'
import { newId } from '@status-page/postgres'
import { testCaller } from '@status-page/testing'
import t from 'tap'
import { coreKit } from '../core.fixture.ts'
import { DAY, HOUR, MINUTE, organizationOn } from './maintenances.fixture.ts'

const kit = await coreKit(t)

t.test('a maintenance is scheduled with the defaults of the contract', async (t) => {
  const { component, schedule, emitted, reading } = organizationOn(kit)
  const id = await component('API')
  await emitted()
  const created = await schedule(HOUR, 2 * HOUR, {
    message: 'Short interruptions.',
    componentIds: [id],
  })
  t.match(created, {
    title: 'DB upgrade',
    message: 'Short interruptions.',
    status: 'scheduled',
    startedAt: null,
    completedAt: null,
    cancelledAt: null,
    components: [{ id, name: 'API', status: 'operational' }],
    autoStart: true,
    autoComplete: true,
    setUnderMaintenance: true,
    restoreOnComplete: true,
    notifySubscribers: true,
    remindBeforeMinutes: [60],
    recurrence: null,
    recurrenceOf: null,
    url: null,
    version: 1,
  })
  const { events, audit } = await emitted()
  t.match(events, [
    {
      kind: 'maintenance.scheduled',
      aggregate: created.id,
      version: 1,
      data: {
        maintenance: {
          id: created.id,
          status: 'scheduled',
          message: 'Short interruptions.',
          components: [{ id, name: 'API', isMuted: false, ancestorIds: [] }],
          statusPageIds: [],
          notifySubscribers: true,
          news: null,
        },
      },
    },
  ])
  t.same(audit, ['maintenance.create'])
  t.match((await reading(created.id, { include: ['updates'] })).updates, [
    { status: 'scheduled', message: 'Short interruptions.' },
  ])
})

t.test(
  'a maintenance whose start has passed starts at once, if it starts automatically',
  async (t) => {
    const { component, schedule, kinds, status } = organizationOn(kit)
    const id = await component('API')
    const begun = await schedule(-MINUTE, HOUR, { componentIds: [id] })
    t.match(begun, { status: 'in_progress', version: 2, startedAt: begun.createdAt })
    t.match(begun.components, [{ status: 'under_maintenance' }])
    t.same(await kinds(), ['scheduled', 'started'])
    t.equal(await status(id), 'under_maintenance maintenance')
    const waiting = await schedule(-MINUTE, HOUR, { autoStart: false })
    t.equal(waiting.status, 'scheduled')
  },
)

t.test('an invalid body is 400 and names the field', async (t) => {
  const { request, planned, schedule, patch } = organizationOn(kit)
  const body = await planned(HOUR, 2 * HOUR)
  const late = (ms: number) => new Date(Date.parse(body.scheduledFor) + ms).toISOString()
  const cases: [name: string, change: object, field: string][] = [
    ['no title', { title: undefined }, 'title'],
    ['a long title', { title: 'x'.repeat(256) }, 'title'],
    ['no beginning', { scheduledFor: undefined }, 'scheduledFor'],
    ['no end', { scheduledUntil: undefined }, 'scheduledUntil'],
    ['an end at the beginning', { scheduledUntil: body.scheduledFor }, 'scheduledUntil'],
    ['over 90 days', { scheduledUntil: late(90 * DAY + 1) }, 'scheduledUntil'],
    [
      'over two years ahead',
      { scheduledFor: late(731 * DAY), scheduledUntil: late(731 * DAY + HOUR) },
      'scheduledUntil',
    ],
    ['an unknown component', { componentIds: [newId()] }, 'componentIds[0]'],
    ['a component twice', { componentIds: ['x', 'x'] }, 'componentIds[0]'],
    ['a flag that is none', { autoStart: 'yes' }, 'autoStart'],
    ['six reminders', { remindBeforeMinutes: [5, 6, 7, 8, 9, 10] }, 'remindBeforeMinutes'],
    ['a late reminder', { remindBeforeMinutes: [4] }, 'remindBeforeMinutes[0]'],
    ['an early reminder', { remindBeforeMinutes: [10_081] }, 'remindBeforeMinutes[0]'],
    ['a rule that is none', { recurrence: { rrule: 'FREQ=YEARLY' } }, 'recurrence.rrule'],
    ['no rule', { recurrence: { timezone: 'UTC' } }, 'recurrence.rrule'],
    [
      'an unknown time zone',
      { recurrence: { rrule: 'FREQ=DAILY', timezone: 'Mars/Base' } },
      'recurrence.timezone',
    ],
    [
      'a series that ends before it begins',
      { recurrence: { rrule: 'FREQ=DAILY', until: body.scheduledFor } },
      'recurrence.until',
    ],
  ]
  for (const [name, change, field] of cases) {
    const response = await request(on.create, { body: { ...body, ...change } })
    t.equal(response.status, 400, name)
    t.equal(response.body.error.details.field, field, name)
  }
  const past = await planned(-2 * HOUR, -HOUR)
  t.equal((await request(on.create, { body: past })).body.error.details.field, 'scheduledUntil')
  const { id } = await schedule(HOUR, 2 * HOUR)
  for (const [field, value] of [
    ['title', null],
    ['scheduledFor', null],
    ['scheduledUntil', body.scheduledFor],
    ['status', 'later'],
    ['componentIds', [newId()]],
  ] as const) {
    const { status, body } = await patch(id, { [field]: value })
    t.equal(status, 400, field)
    t.match(body.error.details.field, field)
  }
  const nothing = await request(on.addUpdate, { params: { id }, body: {} })
  t.equal(nothing.status, 400)
})

t.test('a PATCH changes the given fields, and emits one event', async (t) => {
  const { component, schedule, patch, emitted } = organizationOn(kit)
  const [a, b] = [await component('A'), await component('B')]
  const { id, scheduledUntil, updatedAt } = await schedule(HOUR, 2 * HOUR, { componentIds: [a] })
  await emitted()
  kit.clock.advance(1000)
  const same = await patch(id, { title: 'DB upgrade', scheduledUntil, componentIds: [a] })
  t.match([same.status, same.body.updatedAt, same.body.version], [200, updatedAt, 1])
  t.same(await emitted(), { events: [], audit: [] })
  const { body } = await patch(id, {
    title: 'Other',
    message: 'Longer.',
    componentIds: [b, a],
    autoStart: false,
    remindBeforeMinutes: null,
  })
  t.match(body, {
    title: 'Other',
    message: 'Longer.',
    autoStart: false,
    remindBeforeMinutes: [60],
    version: 2,
    components: [{ id: b }, { id: a }],
  })
  const { events, audit } = await emitted()
  t.match(events, [
    { kind: 'maintenance.updated', version: 2, data: { maintenance: { news: null } } },
  ])
  t.same(audit, ['maintenance.update'])
  const later = new Date(Date.parse(scheduledUntil) + HOUR).toISOString()
  await patch(id, { scheduledUntil: later })
  t.match((await emitted()).events, [
    { kind: 'maintenance.updated', data: { maintenance: { news: 'rescheduled' } } },
  ])
})

t.test(
  'unknown, malformed and foreign ids are one 404; without the right 403, without a token 401',
  async (t) => {
    const mine = organizationOn(kit)
    const { id } = await mine.schedule(HOUR, 2 * HOUR)
    const stranger = organizationOn(kit)
    const reader = kit.as(testCaller({ permissions: ['maintenances:read'] }))
    const other = kit.as(testCaller({ permissions: ['incidents:write'] }))
    const operations = [on.read, on.update, on.remove, on.addUpdate]
    const bodyOf = (operation: (typeof operations)[number]) =>
      operation === on.update || operation === on.addUpdate ? { body: { message: 'm' } } : {}
    for (const operation of operations) {
      for (const wrong of [newId(), 'nonsense']) {
        const options = { params: { id: wrong }, ...bodyOf(operation) }
        t.equal((await mine.request(operation, options)).status, 404, operation.id)
      }
      const options = { params: { id }, ...bodyOf(operation) }
      t.equal((await stranger.request(operation, options)).status, 404, operation.id)
      t.equal((await other.request(operation, options)).status, 403, operation.id)
      t.equal(
        (await kit.request(operation, { ...options, caller: null })).status,
        401,
        operation.id,
      )
      if (operation !== on.read) t.equal((await reader.request(operation, options)).status, 403)
    }
    for (const operation of [on.list, on.create]) {
      const options = operation === on.create ? { body: await mine.planned(HOUR, 2 * HOUR) } : {}
      t.equal((await other.request(operation, options)).status, 403, operation.id)
      t.equal(
        (await kit.request(operation, { ...options, caller: null })).status,
        401,
        operation.id,
      )
    }
  },
)

t.test('lists are filtered, sorted and paged', async (t) => {
  const { component, schedule, patch, request, list } = organizationOn(kit)
  const api = await component('API')
  const active = await schedule(-HOUR, HOUR, { title: 'Active', componentIds: [api] })
  const soon = await schedule(2 * HOUR, 3 * HOUR, { title: 'Soon' })
  const late = await schedule(DAY, DAY + HOUR, { title: 'Late%' })
  const over = await schedule(-3 * HOUR, HOUR, { title: 'Over' })
  await patch(over.id, { status: 'completed' })
  const cases: [query: Record<string, unknown>, expected: { id: string }[]][] = [
    [{}, [late, soon, active, over]],
    [{ sortOrder: 'asc' }, [over, active, soon, late]],
    [{ sortBy: 'createdAt' }, [over, late, soon, active]],
    [{ sortBy: 'updatedAt', sortOrder: 'asc', status: 'scheduled' }, [soon, late]],
    [{ sortBy: 'status' }, [soon, late, active, over]],
    [{ status: 'completed' }, [over]],
    [{ upcoming: true }, [late, soon]],
    [{ upcoming: false }, [active, over]],
    [{ active: true }, [active]],
    [{ active: false }, [late, soon, over]],
    [{ componentId: api }, [active]],
    [{ componentId: newId() }, []],
    [{ search: 'late%' }, [late]],
    [{ search: '_' }, []],
    [{ from: soon.scheduledUntil }, [late]],
    [{ to: soon.scheduledFor }, [active, over]],
    [{ from: soon.scheduledFor, to: late.scheduledFor }, [soon]],
    [{ page: 2, pageSize: 3 }, [over]],
  ]
  for (const [query, expected] of cases) {
    const found = await list(query)
    t.same(
      found.map(({ title }: { title: string }) => title),
      expected.map((one) => (one as unknown as { title: string }).title),
      JSON.stringify(query),
    )
  }
  for (const query of [
    { status: 'late' },
    { upcoming: 'maybe' },
    { componentId: 'x' },
    { sortBy: 'title' },
    { include: ['components'] },
    { from: late.scheduledFor, to: soon.scheduledFor },
  ]) {
    t.equal((await request(on.list, { query })).status, 400, JSON.stringify(query))
  }
})
