/**
 * Schedules over HTTP: every status, current and later assignments, and validation of references.
 */
import {
  componentOperations,
  type OncallShift,
  oncallScheduleOperations as on,
} from '@status-page/contracts'
import { newId } from '@status-page/postgres'
import { testCaller } from '@status-page/testing'
import t from 'tap'
import { coreKit } from '../core.fixture.ts'
import {
  channelAdded,
  channelRemoved,
  memberJoined,
  memberLeft,
  oncallScenario,
  person,
} from './oncall.fixture.ts'

const kit = await coreKit(t)
const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
const hence = (ms: number) => new Date(Date.now() + kit.clock.offsetMs() + ms).toISOString()

t.test('a schedule has the defaults of the contract, and the user on call', async (t) => {
  const { ana, schedule, request, organizationId } = await oncallScenario(kit)
  await kit.outbox(organizationId)
  const created = await schedule()
  t.match(created, {
    name: 'Primary',
    description: null,
    timezone: 'UTC',
    componentIds: [],
    isEnabled: true,
    layers: [
      {
        name: 'Layer 1',
        order: 0,
        startsAt: /Z$/,
        endsAt: null,
        restrictions: [],
        rotationInterval: 'weekly',
        rotationLength: 1,
        handoffTime: '00:00',
        userIds: [ana.userId],
      },
    ],
    overrides: [],
    escalation: [{ delayMinutes: 0, targets: ['schedule'] }],
    version: 1,
    onCallNow: [
      { userId: ana.userId, userName: 'Ana', layerId: created.layers[0]?.id, until: null },
    ],
    onCallNext: [],
  })
  t.same((await kit.outbox(organizationId)).audit, ['oncall_schedule.create'])
  t.same((await request(on.read, { params: { id: created.id } })).body, created)
})

t.test('an invalid body is refused with the name of the field', async (t) => {
  const { ana, request, component } = await oncallScenario(kit)
  const stranger = newId()
  const layer = { userIds: [ana.userId] }
  const layers = [layer]
  const steps = (...delays: number[]) =>
    delays.map((delayMinutes) => ({ delayMinutes, targets: ['schedule'] }))
  const to = (target: string) => [{ delayMinutes: 0, targets: [target] }]
  const daily = { type: 'daily', startTime: '09:00', durationSeconds: 3600 }
  const cases: [field: string, body: object][] = [
    ['name', { layers }],
    ['layers', { name: 'x' }],
    ['layers', { name: 'x', layers: [] }],
    ['layers[0].userIds', { name: 'x', layers: [{}] }],
    ['layers[0].userIds[1]', { name: 'x', layers: [{ userIds: [ana.userId, stranger] }] }],
    ['layers[0].handoffTime', { name: 'x', layers: [{ ...layer, handoffTime: '24:00' }] }],
    ['layers[0].rotationInterval', { name: 'x', layers: [{ ...layer, rotationInterval: 'm' }] }],
    ['layers[0].rotationLength', { name: 'x', layers: [{ ...layer, rotationLength: 53 }] }],
    ['layers[0].endsAt', { name: 'x', layers: [{ ...layer, endsAt: '2020-01-01T00:00:00Z' }] }],
    [
      'layers[0].restrictions[0].type',
      { name: 'x', layers: [{ ...layer, restrictions: [{ ...daily, type: 'x' }] }] },
    ],
    [
      'layers[0].restrictions[0].startDay',
      { name: 'x', layers: [{ ...layer, restrictions: [{ ...daily, type: 'weekly' }] }] },
    ],
    ['timezone', { name: 'x', layers, timezone: 'Mars/Olympus' }],
    ['componentIds[0]', { name: 'x', layers, componentIds: [newId()] }],
    ['escalation[1].delayMinutes', { name: 'x', layers, escalation: steps(5, 5) }],
    ['escalation[0].delayMinutes', { name: 'x', layers, escalation: steps(1441) }],
    ['escalation[0].targets[0]', { name: 'x', layers, escalation: to('everybody') }],
    ['escalation[0].targets[0]', { name: 'x', layers, escalation: to(`user:${stranger}`) }],
    ['escalation[0].targets[0]', { name: 'x', layers, escalation: to(`channel:${newId()}`) }],
  ]
  for (const [field, body] of cases) {
    const response = await request(on.create, { body })
    t.match(
      [response.status, response.body.error?.details?.field],
      [400, field],
      JSON.stringify(body),
    )
  }
  const foreign = await (await oncallScenario(kit)).component('Theirs')
  const body = { name: 'x', layers, componentIds: [foreign] }
  t.equal((await request(on.create, { body })).status, 400)
  const own = { ...body, componentIds: [await component('Ours')] }
  t.equal((await request(on.create, { body: own })).status, 201)
})

t.test('a new member is accepted at once, a member of another organization never', async (t) => {
  const { request, organizationId } = await oncallScenario(kit)
  const { ana: foreigner } = await oncallScenario(kit)
  const cem = person('Cem')
  await kit.publish('gateway', organizationId, memberJoined(cem))
  const naming = (userId: string) =>
    request(on.create, { body: { name: 'x', layers: [{ userIds: [userId] }] } })
  t.equal((await naming(cem.userId)).status, 201)
  t.equal((await naming(foreigner.userId)).status, 400)
})

t.test('a new channel is accepted at once, a foreign or removed channel never', async (t) => {
  const { ana, request, organizationId } = await oncallScenario(kit)
  const stranger = await oncallScenario(kit)
  const [own, foreign] = [newId(), newId()]
  await kit.publish('notifier', organizationId, channelAdded(own))
  await kit.publish('notifier', stranger.organizationId, channelAdded(foreign))
  const layers = [{ userIds: [ana.userId] }]
  const naming = (id: string) => {
    const escalation = [{ delayMinutes: 0, targets: ['schedule', `channel:${id}`] }]
    return request(on.create, { body: { name: 'x', layers, escalation } })
  }
  const created = await naming(own)
  t.equal(created.status, 201)
  const field = 'escalation[0].targets[1]'
  t.match((await naming(foreign)).body.error, { details: { field } })
  await kit.publishAndHandle('notifier', organizationId, channelRemoved(own))
  t.match((await naming(own)).body.error, { details: { field } })
  const { escalation } = created.body
  const back = { params: { id: created.body.id }, body: { escalation, name: 'Other' } }
  t.equal((await request(on.update, back)).status, 200, 'stored ids may be sent back')
})

t.test(
  'shifts of a former member are omitted, and the schedule may still be sent back',
  async (t) => {
    const { ana, bob, request, schedule, publishMemberEvents } = await oncallScenario(kit)
    const created = await schedule({
      layers: [{ userIds: [ana.userId, bob.userId], rotationInterval: 'daily' }],
    })
    await publishMemberEvents(memberLeft(ana))
    const params = { id: created.id }
    const { body: now } = await request(on.read, { params })
    t.same(now.onCallNow, [])
    const shifts = await request(on.shifts, { params })
    t.same([...new Set(shifts.body.data.map(({ userName }: OncallShift) => userName))], ['Bob'])
    const back = await request(on.update, { params, body: { layers: now.layers, name: 'Other' } })
    t.match(back, { status: 200, body: { name: 'Other', layers: created.layers } })
    const layers = [{ userIds: [ana.userId] }]
    t.equal((await request(on.create, { body: { name: 'x', layers } })).status, 400)
    await publishMemberEvents(memberJoined({ ...ana, membershipId: newId() }))
    t.equal((await request(on.create, { body: { name: 'x', layers } })).status, 201)
  },
)

t.test('a PATCH changes the given fields; without effect it leaves no trace', async (t) => {
  const { ana, bob, request, component, schedule, organizationId } = await oncallScenario(kit)
  const componentId = await component('API')
  const created = await schedule({ componentIds: [componentId], description: 'x' })
  const params = { id: created.id }
  await request(componentOperations.remove, { params: { id: componentId } })
  await kit.outbox(organizationId)
  kit.clock.advance(MINUTE_MS)
  const same = await request(on.update, { params, body: { ...created, escalation: undefined } })
  t.match(same, { status: 200, body: { updatedAt: created.updatedAt, version: 1 } })
  t.same((await kit.outbox(organizationId)).audit, [])
  const layers = [{ userIds: [bob.userId] }, { id: created.layers[0]?.id, userIds: [ana.userId] }]
  const changed = await request(on.update, {
    params,
    body: { layers, description: null, timezone: null, componentIds: [componentId] },
  })
  t.match(changed.body, {
    version: 2,
    description: null,
    timezone: 'UTC',
    componentIds: [componentId],
  })
  const [first, second] = changed.body.layers
  t.not(first?.id, created.layers[0]?.id)
  t.match(second, { id: created.layers[0]?.id, order: 1 })
  t.match(changed.body.onCallNow, [{ userName: 'Ana' }], 'the higher layer takes precedence')
  t.same((await kit.outbox(organizationId)).audit, ['oncall_schedule.update'])
  for (const body of [{ name: null }, { layers: null }, { layers: [] }, { name: '' }]) {
    t.equal((await request(on.update, { params, body })).status, 400, JSON.stringify(body))
  }
})

t.test('a PATCH with an old version changes nothing', async (t) => {
  const { request, schedule } = await oncallScenario(kit)
  const params = { id: (await schedule()).id }
  const rename = (name: string, version: string) =>
    request(on.update, { params, body: { name }, headers: { 'if-match': version } })
  t.match(await rename('First', '"1"'), { status: 200, body: { version: 2 } })
  t.match(await rename('Second', '"1"'), {
    status: 409,
    body: { error: { details: { reason: 'version_mismatch' } } },
  })
  t.equal((await request(on.read, { params })).body.name, 'First')
})

t.test('an override puts a user on call for its duration', async (t) => {
  const { bob, request, schedule, organizationId } = await oncallScenario(kit)
  const { id } = await schedule()
  const params = { id }
  await kit.outbox(organizationId)
  const times = { startsAt: hence(HOUR_MS), endsAt: hence(2 * HOUR_MS) }
  const created = await request(on.addOverride, { params, body: { userId: bob.userId, ...times } })
  t.match(created, { status: 201, body: { userId: bob.userId, ...times } })
  const read = async () => (await request(on.read, { params })).body
  t.match(await read(), {
    overrides: [created.body],
    onCallNow: [{ userName: 'Ana', until: times.startsAt }],
    onCallNext: [{ userName: 'Bob', layerId: null, since: times.startsAt, until: times.endsAt }],
  })
  kit.clock.advance(HOUR_MS)
  t.match(await read(), {
    onCallNow: [{ userName: 'Bob', since: times.startsAt, until: times.endsAt }],
    onCallNext: [{ userName: 'Ana', since: times.endsAt, until: null }],
  })
  const shifts = (await request(on.shifts, { params })).body.data
  t.match(shifts, [
    { userName: 'Bob', isOverride: true },
    { userName: 'Ana', isOverride: false },
  ])
  const one = { id, overrideId: created.body.id }
  t.equal((await request(on.removeOverride, { params: { ...one, id: newId() } })).status, 404)
  t.equal((await request(on.removeOverride, { params: one })).status, 200)
  t.equal((await request(on.removeOverride, { params: one })).status, 404)
  t.match((await read()).onCallNow, [{ userName: 'Ana' }])
  const { audit, events } = await kit.outbox(organizationId)
  t.same(audit, ['oncall_override.create', 'oncall_override.delete'])
  t.same(events, [])
})

t.test('an override outside its limits is refused', async (t) => {
  const { ana, request, schedule } = await oncallScenario(kit)
  const params = { id: (await schedule()).id }
  const asking = (startMs: number, endMs: number, userId: string = ana.userId) =>
    request(on.addOverride, {
      params,
      body: { userId, startsAt: hence(startMs), endsAt: hence(endMs) },
    })
  t.match(await asking(HOUR_MS, HOUR_MS - 1), {
    body: { error: { details: { field: 'endsAt' } } },
  })
  t.equal((await asking(0, 91 * DAY_MS)).status, 400)
  t.equal((await asking(-2 * HOUR_MS, -HOUR_MS)).status, 400)
  t.match(await asking(0, HOUR_MS, newId()), {
    status: 400,
    body: { error: { details: { field: 'userId' } } },
  })
  for (let count = 0; count < 100; count++) {
    t.equal((await asking(0, (count + 1) * HOUR_MS)).status, 201)
  }
  t.match(await asking(0, HOUR_MS), {
    status: 409,
    body: { error: { details: { reason: 'invalid_state' } } },
  })
})

t.test('an override is changed within the limits of a new one', async (t) => {
  const { ana, bob, request, schedule, organizationId } = await oncallScenario(kit)
  const { id, version } = await schedule()
  const times = { startsAt: hence(0), endsAt: hence(HOUR_MS) }
  const created = await request(on.addOverride, {
    params: { id },
    body: { userId: bob.userId, ...times },
  })
  await kit.outbox(organizationId)
  const params = { id, overrideId: created.body.id }
  const change = (body: object) => request(on.updateOverride, { params, body })
  t.match(await change({ userId: bob.userId }), { status: 200, body: created.body }, 'no effect')
  const endsAt = hence(2 * HOUR_MS)
  t.match(await change({ userId: ana.userId, endsAt }), {
    status: 200,
    body: { id: created.body.id, userId: ana.userId, startsAt: times.startsAt, endsAt },
  })
  const refused: [field: string, body: object][] = [
    ['userId', { userId: newId() }],
    ['userId', { userId: null }],
    ['endsAt', { endsAt: times.startsAt }],
    ['endsAt', { endsAt: hence(91 * DAY_MS) }],
    ['endsAt', { startsAt: hence(-2 * HOUR_MS), endsAt: hence(-HOUR_MS) }],
    ['startsAt', { startsAt: 'yesterday' }],
  ]
  for (const [field, body] of refused) {
    const reply = await change(body)
    t.match([reply.status, reply.body.error?.details?.field], [400, field], JSON.stringify(body))
  }
  t.match((await request(on.read, { params: { id } })).body, {
    version,
    overrides: [{ userId: ana.userId, endsAt }],
  })
  t.same((await kit.outbox(organizationId)).audit, ['oncall_override.update'])
  const body = { endsAt }
  for (const wrong of [
    { ...params, overrideId: newId() },
    { ...params, id: newId() },
  ]) {
    t.equal((await request(on.updateOverride, { params: wrong, body })).status, 404)
  }
  t.equal((await kit.as().request(on.updateOverride, { params, body })).status, 404)
  const reader = testCaller({ organizationId, permissions: ['oncall:read'] })
  t.equal((await kit.request(on.updateOverride, { caller: reader, params, body })).status, 403)
})

t.test('a timeline has the shifts of each layer, of the schedule, and the overrides', async (t) => {
  const { ana, bob, request, schedule, publishMemberEvents } = await oncallScenario(kit)
  const startsAt = '2026-01-05T00:00:00Z'
  const { id, layers } = await schedule({
    layers: [
      { userIds: [ana.userId, bob.userId], rotationInterval: 'daily', startsAt },
      {
        userIds: [bob.userId],
        startsAt,
        restrictions: [{ type: 'daily', startTime: '22:00', durationSeconds: 7200 }],
      },
    ],
  })
  const params = { id }
  const override = await request(on.addOverride, {
    params,
    body: { userId: ana.userId, startsAt: hence(0), endsAt: hence(DAY_MS) },
  })
  const window = { from: '2026-01-05T12:00:00Z', to: '2026-01-06T12:00:00Z' }
  const read = async (query: Record<string, string>) =>
    (await request(on.timeline, { params, query })).body
  const shown = (shifts: OncallShift[]) =>
    shifts.map(({ userName, startsAt: at }) => `${userName} ${at.slice(5, 13)}`)
  const past = await read(window)
  t.same(shown(past.shifts), ['Ana 01-05T12', 'Bob 01-05T22', 'Bob 01-06T00'])
  t.same(
    past.layers.map(({ layerId, shifts }: { layerId: string; shifts: OncallShift[] }) => [
      layerId,
      ...shown(shifts),
    ]),
    [
      [layers[0]?.id, 'Ana 01-05T12', 'Bob 01-06T00'],
      [layers[1]?.id, 'Bob 01-05T22'],
    ],
  )
  t.same(past.overrides, [])
  const now = await read({})
  t.same(now.overrides, [override.body])
  t.match(now.shifts[0], { userName: 'Ana', isOverride: true })
  t.equal(Date.parse(now.to) - Date.parse(now.from), 14 * DAY_MS)
  await publishMemberEvents(memberLeft(ana))
  t.same(shown((await read(window)).layers[0].shifts), ['Bob 01-06T00'])
  for (const query of [
    { from: window.to, to: window.from },
    { from: window.from, to: '2026-02-09T12:00:01Z' },
  ]) {
    t.equal((await request(on.timeline, { params, query })).status, 400, JSON.stringify(query))
  }
  t.equal((await kit.as().request(on.timeline, { params })).status, 404)
})

t.test('shifts are paginated, earliest first, in the requested window', async (t) => {
  const { ana, bob, request, schedule } = await oncallScenario(kit)
  const { id } = await schedule({
    layers: [
      {
        userIds: [ana.userId, bob.userId],
        rotationInterval: 'daily',
        startsAt: '2026-01-05T00:00:00Z',
      },
    ],
  })
  const params = { id }
  const window = { from: '2026-01-05T12:00:00Z', to: '2026-01-08T12:00:00Z' }
  const shown = ({ body }: { body: { data: OncallShift[] } }) =>
    body.data.map(({ userName, startsAt }) => `${userName} ${startsAt.slice(5, 13)}`)
  const all = await request(on.shifts, { params, query: window })
  t.same(shown(all), ['Ana 01-05T12', 'Bob 01-06T00', 'Ana 01-07T00', 'Bob 01-08T00'])
  t.match(all.body.data.at(-1), { endsAt: '2026-01-08T12:00:00.000Z', isOverride: false })
  const page = await request(on.shifts, { params, query: { ...window, page: 2, pageSize: 3 } })
  t.match([shown(page), page.body.meta], [['Bob 01-08T00'], { total: 4, page: 2, pageSize: 3 }])
  const desc = await request(on.shifts, { params, query: { ...window, sortOrder: 'desc' } })
  t.same(shown(desc), shown(all).toReversed())
  t.equal((await request(on.shifts, { params })).body.meta.total, 8, 'seven days by default')
  const refused: Record<string, string>[] = [
    { from: window.to, to: window.from },
    { from: '2026-01-01T00:00:00Z', to: '2026-04-02T00:00:01Z' },
    { from: 'yesterday' },
  ]
  for (const query of refused) t.equal((await request(on.shifts, { params, query })).status, 400)
})

t.test(
  'schedules are listed by name, found by search, hidden from other organizations',
  async (t) => {
    const { request, schedule, organizationId } = await oncallScenario(kit)
    const off = await schedule({ name: 'Nights', isEnabled: false })
    await schedule({ name: 'Days' })
    const names = async (query: object) =>
      (await request(on.list, { query: { ...query } })).body.data.map(
        (one: { name: string }) => one.name,
      )
    t.same(await names({}), ['Days', 'Nights'])
    t.same(await names({ sortBy: 'createdAt' }), ['Days', 'Nights'])
    t.same(await names({ isEnabled: false }), ['Nights'])
    t.same(await names({ search: 'day' }), ['Days'])
    const params = { id: off.id }
    const other = kit.as()
    t.same((await other.request(on.list)).body.data, [])
    for (const operation of [on.read, on.shifts, on.remove]) {
      t.equal((await other.request(operation, { params })).status, 404, operation.id)
      t.equal((await request(operation, { params: { id: 'nonsense' } })).status, 404, operation.id)
      t.equal((await kit.request(operation, { params })).status, 401, operation.id)
    }
    t.equal((await other.request(on.update, { params, body: { name: 'Mine' } })).status, 404)
    const override = { userId: newId(), startsAt: hence(0), endsAt: hence(HOUR_MS) }
    t.equal((await other.request(on.addOverride, { params, body: override })).status, 404)
    const reader = testCaller({ organizationId, permissions: ['oncall:read'] })
    t.equal((await kit.request(on.read, { caller: reader, params })).status, 200)
    t.equal((await kit.request(on.remove, { caller: reader, params })).status, 403)
    const responder = testCaller({ organizationId, role: 'ONCALL_RESPONDER' })
    t.equal((await kit.request(on.remove, { caller: responder, params })).status, 403)
    t.same((await request(on.remove, { params })).body, { success: true })
    t.equal((await request(on.remove, { params })).status, 404)
  },
)
