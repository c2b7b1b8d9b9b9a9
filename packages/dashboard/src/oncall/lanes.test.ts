/** Geometry of the calendar. */
import t from 'tap'
import { entriesOf, fractionsOf, type OnCallShift, tonesOf } from './lanes.ts'

const shift = (userId: string, startsAt: number, endsAt: number): OnCallShift => ({
  userId,
  userName: userId,
  layerId: 'layer',
  isOverride: false,
  startsAt: new Date(startsAt).toISOString(),
  endsAt: new Date(endsAt).toISOString(),
})
const period = { startsAt: 0, endsAt: 1_000 }

t.test('a span is cut at the ends of the period', async (t) => {
  t.same(fractionsOf({ startsAt: 250, endsAt: 500 }, period), { start: 0.25, length: 0.25 })
  t.same(fractionsOf({ startsAt: -500, endsAt: 2_000 }, period), { start: 0, length: 1 })
  t.equal(fractionsOf({ startsAt: 1_000, endsAt: 2_000 }, period), null)
  t.equal(fractionsOf({ startsAt: -10, endsAt: 0 }, period), null)
})

t.test('gaps are between shifts and at the ends', async (t) => {
  const shown = (shifts: OnCallShift[]) =>
    entriesOf(shifts, period).map(
      ({ startsAt, endsAt, shift: one }) => `${one?.userId ?? 'gap'} ${startsAt}-${endsAt}`,
    )
  t.same(shown([shift('ana', 0, 400), shift('bob', 400, 1_000)]), ['ana 0-400', 'bob 400-1000'])
  t.same(shown([shift('ana', 100, 400), shift('bob', 500, 900)]), [
    'gap 0-100',
    'ana 100-400',
    'gap 400-500',
    'bob 500-900',
    'gap 900-1000',
  ])
  t.same(shown([]), ['gap 0-1000'])
})

t.test('a member has one colour in all lanes', async (t) => {
  const tones = tonesOf({
    from: '',
    to: '',
    shifts: [shift('bob', 0, 1)],
    layers: [{ layerId: 'layer', shifts: [shift('ana', 0, 1), shift('bob', 0, 1)] }],
    overrides: [],
  })
  t.same(
    [...tones],
    [
      ['ana', 0],
      ['bob', 1],
    ],
  )
})
