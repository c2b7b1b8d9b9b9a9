/** Occurrences of a recurring maintenance, in the local time of its zone. */
import { AppError } from '@status-page/contracts'
import fc from 'fast-check'
import { DateTime } from 'luxon'
import t from 'tap'
import {
  occurrenceAfter,
  occurrencesUntil,
  occurrenceWindowAt,
  type RecurrenceSeries,
  validateRecurrence,
} from './recurrence.ts'

const series = (
  rrule: string,
  timezone: string,
  from: string,
  until: string,
): RecurrenceSeries => ({
  recurrence: { rrule, timezone, until: null },
  scheduledFor: DateTime.fromISO(from, { zone: timezone }).toJSDate(),
  scheduledUntil: DateTime.fromISO(until, { zone: timezone }).toJSDate(),
})

/** Formats the next windows in UTC, to the minute. */
const windows = (one: RecurrenceSeries, count: number): string[] => {
  const found: string[] = []
  let at: Date | null = one.scheduledFor
  while (found.length < count) {
    at = occurrenceAfter(one, at)
    if (at === null) return found
    const { scheduledFor, scheduledUntil } = occurrenceWindowAt(one, at)
    found.push(
      `${scheduledFor.toISOString().slice(0, 16)} ${scheduledUntil.toISOString().slice(0, 16)}`,
    )
  }
  return found
}

const cases: [name: string, series: RecurrenceSeries, expected: string[]][] = [
  [
    'Berlin, over the hour that is skipped: a later end by the sun, the same on the wall',
    series('FREQ=WEEKLY;BYDAY=SU', 'Europe/Berlin', '2026-03-22T01:30', '2026-03-22T03:30'),
    ['2026-03-29T00:30 2026-03-29T01:30', '2026-04-04T23:30 2026-04-05T01:30'],
  ],
  [
    'Berlin, over the hour that comes twice',
    series('FREQ=DAILY', 'Europe/Berlin', '2026-10-24T01:30', '2026-10-24T03:30'),
    ['2026-10-24T23:30 2026-10-25T02:30', '2026-10-26T00:30 2026-10-26T02:30'],
  ],
  [
    'Berlin, at a time that is skipped: that day has none',
    series('FREQ=DAILY', 'Europe/Berlin', '2026-03-28T02:30', '2026-03-28T03:30'),
    ['2026-03-30T00:30 2026-03-30T01:30'],
  ],
  [
    'New York, over the hour that is skipped',
    series('FREQ=DAILY', 'America/New_York', '2026-03-07T01:00', '2026-03-07T04:00'),
    ['2026-03-08T06:00 2026-03-08T08:00', '2026-03-09T05:00 2026-03-09T08:00'],
  ],
  [
    'New York, in the hour that comes twice: the first of the two',
    series('FREQ=DAILY', 'America/New_York', '2026-10-31T01:30', '2026-10-31T03:30'),
    ['2026-11-01T05:30 2026-11-01T08:30', '2026-11-02T06:30 2026-11-02T08:30'],
  ],
  [
    'Lord Howe, whose clock goes back by half an hour',
    series('FREQ=DAILY', 'Australia/Lord_Howe', '2026-04-04T01:00', '2026-04-04T04:00'),
    ['2026-04-04T14:00 2026-04-04T17:30', '2026-04-05T14:30 2026-04-05T17:30'],
  ],
  [
    'Lord Howe, whose clock goes forward by half an hour',
    series('FREQ=DAILY', 'Australia/Lord_Howe', '2026-10-03T01:00', '2026-10-03T04:00'),
    ['2026-10-03T14:30 2026-10-03T17:00', '2026-10-04T14:00 2026-10-04T17:00'],
  ],
  [
    'Kolkata, which never changes its clock, and the month by its days',
    series('FREQ=MONTHLY;BYDAY=-1FR', 'Asia/Kolkata', '2026-01-30T00:00', '2026-01-30T01:00'),
    ['2026-02-26T18:30 2026-02-26T19:30', '2026-03-26T18:30 2026-03-26T19:30'],
  ],
  [
    'the last day of each month',
    series('FREQ=MONTHLY;BYMONTHDAY=-1', 'UTC', '2027-12-31T00:00', '2027-12-31T01:00'),
    ['2028-01-31T00:00 2028-01-31T01:00', '2028-02-29T00:00 2028-02-29T01:00'],
  ],
  [
    'a day that not every month has',
    series('FREQ=MONTHLY;BYMONTHDAY=31', 'UTC', '2026-01-31T00:00', '2026-01-31T01:00'),
    ['2026-03-31T00:00 2026-03-31T01:00', '2026-05-31T00:00 2026-05-31T01:00'],
  ],
  [
    'every other week on two days, counted with the first',
    series(
      'FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,TH;COUNT=4',
      'UTC',
      '2026-06-01T05:00',
      '2026-06-01T06:00',
    ),
    [
      '2026-06-04T05:00 2026-06-04T06:00',
      '2026-06-15T05:00 2026-06-15T06:00',
      '2026-06-18T05:00 2026-06-18T06:00',
    ],
  ],
]

t.test('occurrences retain their local time of day', async (t) => {
  for (const [name, one, expected] of cases) {
    t.same(
      windows(one, Math.max(expected.length, one.recurrence.rrule.includes('COUNT') ? 9 : 0)),
      expected,
      name,
    )
  }
})

t.test('an end in a skipped hour preserves the duration', async (t) => {
  const one = series('FREQ=WEEKLY', 'Europe/Berlin', '2026-03-22T01:50', '2026-03-22T02:10')
  t.same(windows(one, 1), ['2026-03-29T00:50 2026-03-29T01:10'])
  const skipped = series('FREQ=DAILY', 'Europe/Berlin', '2026-03-27T02:50', '2026-03-27T03:10')
  const gap = occurrenceWindowAt(skipped, new Date('2026-03-29T01:50:00Z'))
  t.equal(gap.scheduledUntil.getTime() - gap.scheduledFor.getTime(), 20 * 60_000)
})

t.test('no occurrence begins after until', async (t) => {
  const one = series('FREQ=DAILY', 'UTC', '2026-06-01T05:00', '2026-06-01T06:00')
  one.recurrence.until = '2026-06-03T05:00:00.000Z'
  t.same(windows(one, 9), [
    '2026-06-02T05:00 2026-06-02T06:00',
    '2026-06-03T05:00 2026-06-03T06:00',
  ])
})

const refused: [rrule: string, message: RegExp][] = [
  ['', /DAILY, WEEKLY or MONTHLY/],
  ['FREQ=YEARLY', /DAILY, WEEKLY or MONTHLY/],
  ['FREQ=HOURLY', /DAILY, WEEKLY or MONTHLY/],
  ['INTERVAL=2', /DAILY, WEEKLY or MONTHLY/],
  ['RRULE:FREQ=DAILY', /DAILY, WEEKLY or MONTHLY/],
  ['FREQ=daily', /DAILY, WEEKLY or MONTHLY/],
  ['FREQ=DAILY;BYHOUR=3', /BYHOUR/],
  ['FREQ=DAILY;BYSETPOS=1', /BYSETPOS/],
  ['FREQ=DAILY;UNTIL=20270101T000000Z', /UNTIL/],
  ['FREQ=DAILY;WKST=MO', /WKST/],
  ['FREQ=DAILY;constructor=1', /constructor/],
  ['FREQ=DAILY;', /""/],
  ['FREQ=DAILY;COUNT=2;COUNT=3', /twice/],
  ['FREQ=DAILY;COUNT=0', /COUNT/],
  ['FREQ=DAILY;COUNT=1001', /COUNT/],
  ['FREQ=DAILY;COUNT=-1', /COUNT/],
  ['FREQ=DAILY;INTERVAL=0', /INTERVAL/],
  ['FREQ=DAILY;INTERVAL=367', /INTERVAL/],
  ['FREQ=DAILY;INTERVAL=1.5', /INTERVAL/],
  ['FREQ=DAILY;INTERVAL', /INTERVAL/],
  ['FREQ=DAILY;INTERVAL=1=1', /INTERVAL/],
  ['FREQ=WEEKLY;BYDAY=XX', /BYDAY/],
  ['FREQ=WEEKLY;BYDAY=MO,', /BYDAY/],
  ['FREQ=WEEKLY;BYDAY=1MO', /BYDAY/],
  ['FREQ=MONTHLY;BYDAY=6MO', /BYDAY/],
  ['FREQ=WEEKLY;BYMONTHDAY=1', /BYMONTHDAY/],
  ['FREQ=MONTHLY;BYMONTHDAY=32', /BYMONTHDAY/],
  ['FREQ=MONTHLY;BYMONTHDAY=0', /BYMONTHDAY/],
  ['FREQ=MONTHLY;BYMONTHDAY=30;INTERVAL=12', /no further occurrence/],
  ['FREQ=DAILY;INTERVAL=7;BYDAY=TU', /no further occurrence/],
  ['FREQ=DAILY;INTERVAL=364;BYDAY=TU;BYMONTHDAY=31', /no further occurrence/],
]

t.test(
  'unsupported rules, and rules without occurrences, are refused with the reason',
  async (t) => {
    for (const [rrule, message] of refused) {
      const one = series(rrule, 'UTC', '2026-02-09T05:00', '2026-02-09T06:00')
      t.throws(
        () => validateRecurrence(one),
        { details: { field: 'recurrence.rrule' }, message },
        rrule,
      )
    }
  },
)

t.test('an accepted rule has increasing next occurrences without end', async () => {
  const part = <T>(values: fc.Arbitrary<T>, write: (value: T) => string) =>
    fc.option(values).map((value) => (value === null ? '' : write(value)))
  const days = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU']
  const rule = fc
    .tuple(
      fc.constantFrom('DAILY', 'WEEKLY', 'MONTHLY'),
      part(fc.integer({ min: 1, max: 60 }), (value) => `;INTERVAL=${value}`),
      part(fc.subarray(days, { minLength: 1 }), (value) => `;BYDAY=${value}`),
      part(fc.integer({ min: 1, max: 31 }), (value) => `;BYMONTHDAY=${value}`),
    )
    .map(([frequency, ...parts]) => `FREQ=${frequency}${parts.join('')}`)
  const zone = fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata')
  fc.assert(
    fc.property(rule, zone, fc.integer({ min: 0, max: 8760 }), (rrule, timezone, hour) => {
      const scheduledFor = new Date(Date.UTC(2026, 0, 1, hour))
      const scheduledUntil = new Date(scheduledFor.getTime() + 3_600_000)
      const one = { recurrence: { rrule, timezone, until: null }, scheduledFor, scheduledUntil }
      try {
        validateRecurrence(one)
      } catch (error) {
        if (error instanceof AppError) return
        throw error
      }
      const next = occurrenceAfter(one, scheduledFor)
      const further = next === null ? null : occurrenceAfter(one, next)
      if (next === null || further === null || further <= next)
        throw new Error(`${next} ${further}`)
      const window = occurrenceWindowAt(one, next)
      if (window.scheduledUntil <= window.scheduledFor) throw new Error('an empty window')
    }),
    { numRuns: 60 },
  )
})

t.test('at most a thousand occurrences are counted', async (t) => {
  const one = series(
    'FREQ=DAILY;COUNT=1000',
    'Europe/Berlin',
    '2026-01-01T12:00',
    '2026-01-01T13:00',
  )
  const near = new Date('2028-09-25T12:00:00Z')
  t.ok(occurrenceAfter(one, near))
  t.equal(occurrenceAfter(one, new Date('2028-09-27T12:00:00Z')), null)
  t.equal(occurrencesUntil(one, new Date('2026-01-08T12:00:00Z')).length, 7)
})
