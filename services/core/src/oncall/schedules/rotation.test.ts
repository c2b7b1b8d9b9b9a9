/** On-call assignments over time, including changes of the clock. */
import type { OncallLayer } from '@status-page/contracts'
import fc from 'fast-check'
import t from 'tap'
import {
  adjacentPeriods,
  assignmentAtInstant,
  DAY_MS,
  type RotationInput,
  shiftsBetween,
} from './rotation.ts'

const layer = (change: Partial<OncallLayer> = {}): OncallLayer => ({
  id: 'layer',
  name: 'Layer',
  order: 0,
  startsAt: '2026-01-05T00:00:00.000Z',
  endsAt: null,
  rotationInterval: 'daily',
  rotationLength: 1,
  handoffTime: '00:00',
  userIds: ['ana', 'bob'],
  restrictions: [],
  ...change,
})

const rotation = (timezone: string, ...layers: OncallLayer[]): RotationInput => ({
  timezone,
  layers,
  overrides: [],
})

/** Formats shifts as lines like `ana 02:00–03:00`, in UTC and to the minute. */
const shown = (one: RotationInput, from: string, to: string): string[] =>
  shiftsBetween(one, Date.parse(from), Date.parse(to)).map(
    ({ userId, startsAt, endsAt }) => `${userId} ${minute(startsAt)}–${minute(endsAt)}`,
  )
const minute = (instant: number) => new Date(instant).toISOString().slice(0, 16)

t.test('a weekly turn ends on the weekday on which the layer started', async (t) => {
  const weekly = layer({ rotationInterval: 'weekly', handoffTime: '09:00' })
  t.same(shown(rotation('UTC', weekly), '2026-01-05T00:00:00Z', '2026-01-27T00:00:00Z'), [
    'ana 2026-01-05T00:00–2026-01-12T09:00',
    'bob 2026-01-12T09:00–2026-01-19T09:00',
    'ana 2026-01-19T09:00–2026-01-26T09:00',
    'bob 2026-01-26T09:00–2026-01-27T00:00',
  ])
})

t.test('hourly turns are counted from the hand-off time, also backwards', async (t) => {
  const half = layer({
    rotationInterval: 'hourly',
    rotationLength: 12,
    handoffTime: '08:00',
    startsAt: '2026-01-05T03:15:00.000Z',
  })
  t.same(shown(rotation('UTC', half), '2026-01-05T00:00:00Z', '2026-01-06T00:00:00Z'), [
    'ana 2026-01-05T03:15–2026-01-05T08:00',
    'bob 2026-01-05T08:00–2026-01-05T20:00',
    'ana 2026-01-05T20:00–2026-01-06T00:00',
  ])
})

t.test('a hand-off retains its local time when the clocks change', async (t) => {
  const cases = [
    ['Europe/Berlin', '2026-03-27', ['08:00', '08:00', '07:00', '07:00']],
    ['Europe/Berlin', '2026-10-23', ['07:00', '07:00', '08:00', '08:00']],
    ['America/New_York', '2026-03-06', ['14:00', '14:00', '13:00', '13:00']],
    ['Asia/Kolkata', '2026-03-27', ['03:30', '03:30', '03:30', '03:30']],
    ['Australia/Lord_Howe', '2026-10-01', ['22:30', '22:30', '22:00', '22:00']],
  ] as const
  for (const [timezone, day, expected] of cases) {
    const from = Date.parse(`${day}T00:00:00Z`)
    const daily = rotation(timezone, layer({ handoffTime: '09:00' }))
    const handoffs = shiftsBetween(daily, from, from + 4 * DAY_MS).slice(1)
    t.same(
      handoffs.map(({ startsAt }) => minute(startsAt).slice(11)),
      expected,
      `${timezone} ${day}`,
    )
  }
})

t.test('a hand-off at a skipped local time happens at the jump', async (t) => {
  const cases = [
    // 02:00 becomes 03:00.
    ['Europe/Berlin', '02:30', '2026-03-29T01:00'],
    ['America/New_York', '02:30', '2026-03-08T07:00'],
    // 02:00 becomes 02:30.
    ['Australia/Lord_Howe', '02:15', '2026-10-03T15:30'],
  ] as const
  for (const [timezone, handoffTime, expected] of cases) {
    const jump = Date.parse(`${expected}:00Z`)
    const daily = rotation(timezone, layer({ handoffTime }))
    const shifts = shiftsBetween(daily, jump - DAY_MS / 2, jump + DAY_MS / 2)
    t.same(shifts.map(({ startsAt }) => minute(startsAt)).slice(1), [expected], timezone)
    t.not(assignmentAtInstant(daily, jump - 1)?.userId, assignmentAtInstant(daily, jump)?.userId)
  }
})

t.test('a hand-off at a repeated local time happens once, at the first', async (t) => {
  const cases = [
    // 03:00 becomes 02:00 at 01:00Z, so 02:30 comes at 00:30Z and 01:30Z.
    ['Europe/Berlin', '02:30', '2026-10-25T00:30'],
    ['America/New_York', '01:30', '2026-11-01T05:30'],
    // 02:00 becomes 01:30 at 15:00Z.
    ['Australia/Lord_Howe', '01:45', '2026-04-04T14:45'],
  ] as const
  for (const [timezone, handoffTime, expected] of cases) {
    const first = Date.parse(`${expected}:00Z`)
    const daily = rotation(timezone, layer({ handoffTime }))
    const shifts = shiftsBetween(daily, first - DAY_MS / 2, first + DAY_MS / 2)
    t.same(shifts.map(({ startsAt }) => minute(startsAt)).slice(1), [expected], timezone)
  }
})

t.test(
  'an hourly turn lasts two hours over a repeated hour and vanishes over a skipped one',
  async (t) => {
    const hourly = rotation(
      'Europe/Berlin',
      layer({ rotationInterval: 'hourly', userIds: ['a', 'b', 'c', 'd'] }),
    )
    const lengths = (from: string) =>
      shiftsBetween(hourly, Date.parse(from), Date.parse(from) + 5 * 3_600_000).map(
        ({ startsAt, endsAt }) => (endsAt - startsAt) / 3_600_000,
      )
    t.same(lengths('2026-10-24T23:00:00Z'), [1, 2, 1, 1])
    t.same(lengths('2026-03-29T00:00:00Z'), [1, 1, 1, 1, 1])
    const users = shiftsBetween(
      hourly,
      Date.parse('2026-03-29T00:00:00Z'),
      Date.parse('2026-03-29T02:00:00Z'),
    ).map(({ userId }) => userId)
    t.equal(turnsApart(users), 2, 'the turn of the skipped hour has no user')
  },
)

/** Number of turns from one of `a`, `b`, `c`, `d` to another. */
const turnsApart = ([first = '', second = '']: string[]) =>
  (second.charCodeAt(0) - first.charCodeAt(0) + 4) % 4

t.test('a layer applies only in its restrictions, which use local time too', async (t) => {
  const nights = layer({
    userIds: ['ana'],
    restrictions: [{ type: 'daily', startTime: '22:00', durationSeconds: 8 * 3600 }],
  })
  t.same(shown(rotation('Europe/Berlin', nights), '2026-03-28T12:00:00Z', '2026-03-30T12:00:00Z'), [
    'ana 2026-03-28T21:00–2026-03-29T04:00',
    'ana 2026-03-29T20:00–2026-03-30T04:00',
  ])
  const mondays = layer({
    userIds: ['ana'],
    restrictions: [{ type: 'weekly', startDay: 1, startTime: '09:00', durationSeconds: 28_800 }],
  })
  t.same(shown(rotation('UTC', mondays), '2026-01-05T00:00:00Z', '2026-01-13T00:00:00Z'), [
    'ana 2026-01-05T09:00–2026-01-05T17:00',
    'ana 2026-01-12T09:00–2026-01-12T17:00',
  ])
})

t.test('adjacent or overlapping windows are merged, also over the end of the week', async (t) => {
  const sundays = layer({
    userIds: ['ana'],
    restrictions: [
      { type: 'weekly', startDay: 7, startTime: '22:00', durationSeconds: 4 * 3600 },
      { type: 'weekly', startDay: 1, startTime: '01:00', durationSeconds: 2 * 3600 },
      { type: 'weekly', startDay: 1, startTime: '03:00', durationSeconds: 3600 },
    ],
  })
  t.same(shown(rotation('UTC', sundays), '2026-01-11T00:00:00Z', '2026-01-13T00:00:00Z'), [
    'ana 2026-01-11T22:00–2026-01-12T04:00',
  ])
})

t.test('a layer that is always hidden never appears, however the layers are cut', async (t) => {
  const halves = layer({
    id: 'top',
    userIds: ['bob'],
    order: 1,
    restrictions: [
      { type: 'daily', startTime: '06:00', durationSeconds: 43_200 },
      { type: 'daily', startTime: '18:00', durationSeconds: 43_200 },
    ],
  })
  const both = rotation('Europe/Berlin', layer({ id: 'base' }), halves)
  t.same(shown(both, '2026-03-28T00:00:00Z', '2026-03-31T00:00:00Z'), [
    'bob 2026-03-28T00:00–2026-03-31T00:00',
  ])
})

t.test('the highest active layer takes precedence, and an override over all layers', async (t) => {
  const base = layer({ id: 'base', userIds: ['ana'], order: 0 })
  const top = layer({
    id: 'top',
    userIds: ['bob'],
    order: 7,
    restrictions: [{ type: 'daily', startTime: '09:00', durationSeconds: 3600 }],
  })
  const at = (text: string) => new Date(`2026-01-06T${text}:00Z`)
  const overrides = [
    { userId: 'eve', startsAt: at('09:45'), endsAt: at('10:15') },
    { userId: 'dan', startsAt: at('09:30'), endsAt: at('10:00') },
  ]
  const one = { ...rotation('UTC', top, base), overrides }
  t.same(shown(one, '2026-01-06T08:00:00Z', '2026-01-06T12:00:00Z'), [
    'ana 2026-01-06T08:00–2026-01-06T09:00',
    'bob 2026-01-06T09:00–2026-01-06T09:30',
    'dan 2026-01-06T09:30–2026-01-06T09:45',
    'eve 2026-01-06T09:45–2026-01-06T10:15',
    'ana 2026-01-06T10:15–2026-01-06T12:00',
  ])
})

t.test('no user is on call before a layer starts and after it ends', async (t) => {
  const short = rotation('UTC', layer({ endsAt: '2026-01-06T00:00:00.000Z' }))
  t.equal(assignmentAtInstant(short, Date.parse('2026-01-04T23:59:59Z')), null)
  t.match(assignmentAtInstant(short, Date.parse('2026-01-05T00:00:00Z')), { userId: 'ana' })
  t.equal(assignmentAtInstant(short, Date.parse('2026-01-06T00:00:00Z')), null)
})

t.test('the current shift has its start and end, or null when they are not near', async (t) => {
  const instant = Date.parse('2026-04-20T12:00:00Z')
  const current = (change: Partial<OncallLayer>) => {
    const period = adjacentPeriods(rotation('UTC', layer(change)), instant).current
    return [period?.since, period?.until].map((at) => (typeof at === 'number' ? minute(at) : at))
  }
  t.same(current({}), ['2026-04-20T00:00', '2026-04-21T00:00'])
  t.same(current({ rotationLength: 40 }), ['2026-03-26T00:00', '2026-05-05T00:00'])
  t.same(current({ userIds: ['ana'] }), [null, null])
  t.same(current({ startsAt: '2026-04-20T11:00:00.000Z', userIds: ['ana'] }), [
    '2026-04-20T11:00',
    null,
  ])
  const ended = rotation('UTC', layer({ endsAt: '2026-01-05T01:00:00.000Z' }))
  t.same(adjacentPeriods(ended, instant), { current: null, next: null })
})

t.test('the next shift follows at once or after a gap, and is that of a member', async (t) => {
  const instant = Date.parse('2026-01-06T12:00:00Z')
  const next = (change: Partial<OncallLayer>, isMember?: (userId: string) => boolean) => {
    const period = adjacentPeriods(rotation('UTC', layer(change)), instant, isMember).next
    if (period === null) return null
    return [period.userId, minute(period.since), period.until && minute(period.until)]
  }
  t.same(next({}), ['ana', '2026-01-07T00:00', '2026-01-08T00:00'])
  t.same(
    next({}, (userId) => userId === 'bob'),
    ['bob', '2026-01-08T00:00', '2026-01-09T00:00'],
  )
  const mornings = [{ type: 'daily' as const, startTime: '08:00', durationSeconds: 3600 }]
  t.same(next({ restrictions: mornings }), ['ana', '2026-01-07T08:00', '2026-01-07T09:00'])
  t.same(next({ userIds: ['ana'] }), null)
  t.same(next({ startsAt: '2026-02-01T00:00:00.000Z', userIds: ['ana'] }), [
    'ana',
    '2026-02-01T00:00',
    null,
  ])
})

const YEAR_START = Date.parse('2026-01-01T00:00:00Z')
const instants = fc.integer({ min: 0, max: 365 * 24 * 60 }).map((at) => YEAR_START + at * 60_000)
const times = fc
  .tuple(fc.integer({ min: 0, max: 23 }), fc.integer({ min: 0, max: 59 }))
  .map((parts) => parts.map((part) => String(part).padStart(2, '0')).join(':'))
const users = fc.array(fc.constantFrom('ana', 'bob', 'cem'), { minLength: 1, maxLength: 4 })

const restrictions = fc.oneof(
  fc.record({
    type: fc.constant('daily' as const),
    startTime: times,
    durationSeconds: fc.integer({ min: 60, max: 86_400 }),
  }),
  fc.record({
    type: fc.constant('weekly' as const),
    startDay: fc.integer({ min: 1, max: 7 }),
    startTime: times,
    durationSeconds: fc.integer({ min: 60, max: 604_800 }),
  }),
)

const layers = fc.record({
  id: fc.constantFrom('one', 'two', 'three'),
  order: fc.integer({ min: 0, max: 3 }),
  startsAt: instants.map((at) => new Date(at - 60 * DAY_MS).toISOString()),
  endsAt: fc.option(instants.map((at) => new Date(at).toISOString())),
  rotationInterval: fc.constantFrom('hourly' as const, 'daily' as const, 'weekly' as const),
  rotationLength: fc.integer({ min: 1, max: 52 }),
  handoffTime: times,
  userIds: users,
  restrictions: fc.array(restrictions, { maxLength: 3 }),
})

const rotas = fc.record({
  timezone: fc.constantFrom(
    ...['Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Australia/Lord_Howe', 'UTC'],
  ),
  layers: fc.array(layers.map(layer), { minLength: 1, maxLength: 3 }),
  overrides: fc.array(
    fc
      .tuple(fc.constantFrom('dan', 'eve'), instants, fc.integer({ min: 1, max: 5000 }))
      .map(([userId, at, minutes]) => ({
        userId,
        startsAt: new Date(at),
        endsAt: new Date(at + minutes * 60_000),
      })),
    { maxLength: 3 },
  ),
})

t.test(
  'shifts are ordered, never overlap, and agree with the assignment at every instant',
  async () => {
    const property = fc.property(
      rotas,
      instants,
      fc.integer({ min: 1, max: 90 * 24 * 60 }),
      fc.array(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), { maxLength: 20 }),
      (one, from, minutes, parts) => {
        const to = from + minutes * 60_000
        const shifts = shiftsBetween(one, from, to)
        let end = from
        for (const { startsAt, endsAt } of shifts) {
          if (startsAt < end || endsAt <= startsAt || endsAt > to) return false
          end = endsAt
        }
        const edges = shifts.flatMap(({ startsAt, endsAt }) => [startsAt, endsAt - 1, endsAt])
        const probes = [...parts.map((part) => Math.floor(from + part * (to - from))), ...edges]
        return probes
          .filter((instant) => instant < to)
          .slice(0, 60)
          .every((instant) => {
            const covering = shifts.find((s) => s.startsAt <= instant && instant < s.endsAt)
            const assignment = assignmentAtInstant(one, instant)
            return (
              covering?.userId === assignment?.userId && covering?.layerId === assignment?.layerId
            )
          })
      },
    )
    fc.assert(property, { numRuns: 150 })
  },
)
