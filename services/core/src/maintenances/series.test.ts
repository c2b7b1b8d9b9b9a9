/**
 * Recurring maintenance: each occurrence is created once, a week ahead, and changes with the first.
 */
import { maintenanceOperations as on } from '@status-page/contracts'
import t from 'tap'
import { coreKit } from '../core.fixture.ts'
import { DAY, HOUR, MINUTE, organizationOn } from './maintenances.fixture.ts'

const kit = await coreKit(t)

const daily = { recurrence: { rrule: 'FREQ=DAILY' }, remindBeforeMinutes: [] }

type Listed = { id: string; scheduledFor: string; recurrenceOf: string | null; status: string }

/** Creates an organization with one series; lists its occurrences soonest first. */
const seriesOn = async (fromMs: number, more: object) => {
  const one = organizationOn(kit)
  const api = await one.component('API')
  const first = await one.schedule(fromMs, fromMs + HOUR, { componentIds: [api], ...more })
  const occurrences = async (query: object = {}): Promise<Listed[]> =>
    (await one.list({ sortOrder: 'asc', pageSize: 100, ...query })).filter(
      ({ id }: Listed) => id !== first.id,
    )
  const days = async (query: object = {}) =>
    (await occurrences(query)).map(({ scheduledFor }) =>
      Math.round((Date.parse(scheduledFor) - Date.parse(first.scheduledFor)) / DAY),
    )
  return { ...one, api, first, occurrences, days }
}

t.test('occurrences are created as separate maintenances seven days ahead', async (t) => {
  const { first, occurrences, days, pass, kinds, api } = await seriesOn(HOUR, {
    recurrence: { rrule: 'FREQ=WEEKLY;COUNT=3' },
    message: 'Weekly patching.',
    remindBeforeMinutes: [],
  })
  await pass(0)
  t.same(await days(), [])
  await kinds()
  await pass(2 * HOUR)
  t.same(await days(), [7])
  t.same((await kinds()).toSorted(), ['completed', 'scheduled', 'started'])
  t.match(await occurrences(), [
    {
      title: 'DB upgrade',
      message: 'Weekly patching.',
      status: 'scheduled',
      recurrenceOf: first.id,
      recurrence: null,
      components: [{ id: api }],
    },
  ])
  await pass(7 * DAY)
  t.same(await days(), [7, 14])
  await pass(30 * DAY)
  t.same(await days({ status: 'completed' }), [7, 14], 'COUNT includes the first')
})

t.test('until is the latest start of an occurrence', async (t) => {
  const { days, pass } = await seriesOn(HOUR, {
    recurrence: {
      rrule: 'FREQ=DAILY',
      until: new Date(Date.now() + kit.clock.offsetMs() + 3 * DAY).toISOString(),
    },
    autoStart: false,
    remindBeforeMinutes: [],
  })
  await pass(0)
  t.same(await days(), [1, 2])
})

t.test('after a pause of the job occurrences that are not over are created, once', async (t) => {
  const { days, pass, kinds } = await seriesOn(HOUR, daily)
  await pass(0)
  t.same(await days(), [1, 2, 3, 4, 5, 6])
  await kinds()
  await pass(20 * DAY + HOUR + MINUTE)
  t.same(await days({ active: true }), [20], 'the one in progress')
  t.same(await days({ upcoming: true }), [21, 22, 23, 24, 25, 26, 27])
})

t.test('a change of the first applies to those that are still scheduled', async (t) => {
  const { first, patch, pass, occurrences, emitted, component, request, reading } = await seriesOn(
    HOUR,
    daily,
  )
  const other = await component('Other')
  await pass(0)
  await pass(DAY + 2 * HOUR + MINUTE)
  const [second, third, fourth] = await occurrences()
  const own = await patch(third?.id ?? '', { title: 'Its own' })
  t.equal(own.status, 200)
  await request(on.remove, { params: { id: fourth?.id ?? '' } })
  await emitted()
  await patch(first.id, { title: 'Renamed', message: 'New.' })
  const { events, audit } = await emitted()
  t.ok(events.every(({ kind }) => kind === 'maintenance.updated'))
  t.equal(new Set(events.map(({ aggregate }) => aggregate)).size, events.length)
  t.equal(audit.length, events.length)
  const titles = async (status: string) =>
    new Set((await occurrences({ status })).map((one) => (one as Listed & { title: string }).title))
  t.same(await titles('scheduled'), new Set(['Renamed']))
  t.same(await titles('completed'), new Set(['DB upgrade']))
  t.same(await titles('cancelled'), new Set(['DB upgrade']))
  t.equal((await reading(second?.id ?? '')).message, '')
  t.equal((await patch(first.id, { componentIds: [other] })).status, 409, 'the first is over')
  const said = { params: { id: first.id }, body: { message: 'That went well.' } }
  t.equal((await request(on.addUpdate, said)).status, 201)
  t.same((await emitted()).events.length, 1, 'an update belongs to one occurrence')
  await pass(DAY)
  const [last] = (await occurrences({ upcoming: true })).slice(-1)
  t.match(await reading(last?.id ?? ''), { title: 'Renamed', message: 'New.' })
})

t.test('moving the first moves the others according to the rule', async (t) => {
  const { first, patch, pass, days, occurrences, request, emitted } = await seriesOn(DAY, daily)
  await pass(0)
  t.same(await days(), [1, 2, 3, 4, 5, 6])
  const [second] = await occurrences()
  await request(on.remove, { params: { id: second?.id ?? '' } })
  await emitted()
  const shift = (time: string, ms: number) => new Date(Date.parse(time) + ms).toISOString()
  await patch(first.id, {
    scheduledFor: shift(first.scheduledFor, 90 * MINUTE),
    scheduledUntil: shift(first.scheduledUntil, 120 * MINUTE),
  })
  const moved = await occurrences({ upcoming: true })
  t.same(
    moved.map(({ scheduledFor }) => Date.parse(scheduledFor) - Date.parse(first.scheduledFor)),
    [2, 3, 4, 5, 6].map((day) => day * DAY + 90 * MINUTE),
  )
  for (const one of moved as (Listed & { scheduledUntil: string })[]) {
    t.equal(Date.parse(one.scheduledUntil) - Date.parse(one.scheduledFor), 90 * MINUTE)
  }
  const { events } = await emitted()
  t.equal(events.length, 6)
  t.ok(events.every(({ data }) => data.maintenance.news === 'rescheduled'))
  await pass(DAY + 2 * HOUR)
  t.equal(
    (await occurrences()).filter(({ status }) => status === 'cancelled').length,
    1,
    'a cancelled occurrence is not created again',
  )
  t.same(await days({ upcoming: true }), [2, 3, 4, 5, 6, 7])
})

t.test(
  'another rule retains matching occurrences, cancels the others and creates missing ones',
  async (t) => {
    const { first, patch, pass, days, emitted } = await seriesOn(DAY, daily)
    await pass(0)
    await emitted()
    await patch(first.id, { recurrence: { rrule: 'FREQ=DAILY;INTERVAL=2' } })
    t.same(await days({ upcoming: true }), [2, 4, 6])
    t.same(await days({ status: 'cancelled' }), [1, 3, 5])
    t.match(
      (await emitted()).events.filter(({ data }) => data.maintenance.news === 'cancelled').length,
      3,
    )
    await pass(2 * DAY)
    t.same(await days({ upcoming: true }), [2, 4, 6, 8])
    await patch(first.id, { recurrence: null })
    t.same(await days({ upcoming: true }), [])
    await pass(10 * DAY)
    t.same(await days({ upcoming: true }), [])
  },
)

t.test(
  'cancelling the first ends the series; cancelling a later one cancels only that one',
  async (t) => {
    const { first, pass, days, request, occurrences, patch } = await seriesOn(DAY, daily)
    await pass(0)
    const [second] = await occurrences()
    await request(on.remove, { params: { id: second?.id ?? '' } })
    t.same(await days({ upcoming: true }), [2, 3, 4, 5, 6])
    const refused = await patch(second?.id ?? '', { recurrence: { rrule: 'FREQ=DAILY' } })
    t.equal(refused.status, 409)
    const [third] = await occurrences({ upcoming: true })
    const child = await patch(third?.id ?? '', { recurrence: { rrule: 'FREQ=DAILY' } })
    t.match([child.status, child.body.error.details.reason], [409, 'invalid_state'])
    await request(on.remove, { params: { id: first.id } })
    t.same(await days({ upcoming: true }), [])
    await pass(10 * DAY)
    t.same(await days({ upcoming: true }), [])
  },
)

t.test('deleted components do not change the scope of an occurrence', async (t) => {
  const { first, pass, occurrences, api, request } = await seriesOn(8 * DAY, daily)
  const { componentOperations } = await import('@status-page/contracts')
  await request(componentOperations.remove, { params: { id: api } })
  await pass(2 * DAY)
  t.match(await occurrences(), [{ recurrenceOf: first.id, components: [{ id: api, name: 'API' }] }])
})
