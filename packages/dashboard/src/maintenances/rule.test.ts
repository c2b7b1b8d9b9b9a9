/** Rules keep their meaning when the form reads and writes them. */
import t from 'tap'
import { formatRule, monthlyPatterns, parseRule, ruleOn, sortDays } from './rule.ts'

const rules = [
  'FREQ=DAILY',
  'FREQ=DAILY;INTERVAL=3;COUNT=10',
  'FREQ=WEEKLY;BYDAY=TU',
  'FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,TH',
  'FREQ=MONTHLY;BYDAY=2TU',
  'FREQ=MONTHLY;BYDAY=-1FR;COUNT=4',
  'FREQ=MONTHLY;BYMONTHDAY=-1',
  'FREQ=MONTHLY;BYMONTHDAY=1,15',
]

t.test('a rule that is read and written is the same', async (t) => {
  for (const rule of rules) {
    const parsed = parseRule(rule)
    t.equal(parsed && formatRule(parsed), rule)
  }
  t.match(parseRule('BYDAY=2TU,FR;INTERVAL=2;FREQ=MONTHLY'), {
    interval: 2,
    days: [
      { day: 'TU', ordinal: 2 },
      { day: 'FR', ordinal: null },
    ],
    count: null,
  })
})

t.test('a rule of another frequency or with another day is none', async (t) => {
  for (const rule of ['', 'FREQ=YEARLY', 'INTERVAL=2', 'FREQ=WEEKLY;BYDAY=XX']) {
    t.equal(parseRule(rule), null, rule)
  }
})

t.test('a new rule repeats the day of the first maintenance', async (t) => {
  const date = { day: 10, daysInMonth: 30, weekday: 'TU' } as const
  t.equal(formatRule(ruleOn('DAILY', date)), 'FREQ=DAILY')
  t.equal(formatRule(ruleOn('WEEKLY', date)), 'FREQ=WEEKLY;BYDAY=TU')
  t.equal(formatRule(ruleOn('MONTHLY', date)), 'FREQ=MONTHLY;BYMONTHDAY=10')
})

t.test('a date can repeat by its number, its weekday and from the end of the month', async (t) => {
  const texts = (day: number, daysInMonth: number) =>
    monthlyPatterns({ day, daysInMonth, weekday: 'TU' }).map((pattern) =>
      formatRule({ frequency: 'MONTHLY', interval: 1, count: null, ...pattern }).slice(13),
    )
  t.same(texts(10, 30), ['BYMONTHDAY=10', 'BYDAY=2TU'])
  t.same(texts(24, 30), ['BYMONTHDAY=24', 'BYDAY=4TU', 'BYDAY=-1TU'])
  t.same(texts(30, 30), ['BYMONTHDAY=30', 'BYDAY=-1TU', 'BYMONTHDAY=-1'])
})

t.test('days are in the order of the week', async (t) => {
  t.same(sortDays(['SU', 'MO', 'SU', 'WE']), ['MO', 'WE', 'SU'])
})
