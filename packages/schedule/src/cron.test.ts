/** Times of cron expressions: form, changes to and from daylight-saving time, neighbours. */
import t from 'tap'
import { cronProblem, cronTimeAfter, cronTimeUntil } from './cron.ts'

const NOW = Date.parse('2026-08-01T00:00:00.000Z')

const timesAfter = (cron: string, timezone: string, from: string, count: number): string[] => {
  const times: string[] = []
  let time = Date.parse(from)
  while (times.length < count) {
    time = cronTimeAfter({ cron, timezone }, time) ?? Number.NaN
    times.push(new Date(time).toISOString())
  }
  return times
}

t.test('an expression with five fields or a name is valid, and no other one', async (t) => {
  const problemOf = (cron: string) => cronProblem({ cron, timezone: 'UTC' }, NOW)
  for (const cron of ['* * * * *', '*/5 2-4 * * MON-FRI', '@daily', ' 0  0 L * * ', '0 0 29 2 *']) {
    t.equal(problemOf(cron), null, cron)
  }
  for (const cron of ['0 0 30 2 *', '0 0 31 4,6 *']) t.equal(problemOf(cron), 'never fires', cron)
  const wrong = ['', '*', '* * * * * *', '2026-12-01T00:00:00', '@reboot', '@second', 'a b c d e']
  for (const cron of [...wrong, '60 * * * *', '* * * * *\0', '0-9999999999 * * * *']) {
    t.match(problemOf(cron), /five fields/, JSON.stringify(cron))
  }
})

t.test('a time in the gap of a change to daylight-saving time is the end of the gap', async (t) => {
  t.same(timesAfter('30 2 * * *', 'Europe/Berlin', '2026-03-28T12:00:00.000Z', 2), [
    '2026-03-29T01:00:00.000Z',
    '2026-03-30T00:30:00.000Z',
  ])
  t.same(timesAfter('30 2 * * *', 'America/New_York', '2026-03-07T12:00:00.000Z', 2), [
    '2026-03-08T07:00:00.000Z',
    '2026-03-09T06:30:00.000Z',
  ])
})

t.test('a time that the change back repeats occurs once', async (t) => {
  t.same(timesAfter('30 2 * * *', 'Europe/Berlin', '2026-10-24T12:00:00.000Z', 2), [
    '2026-10-25T00:30:00.000Z',
    '2026-10-26T01:30:00.000Z',
  ])
  t.same(timesAfter('30 1 * * *', 'America/New_York', '2026-10-31T12:00:00.000Z', 2), [
    '2026-11-01T05:30:00.000Z',
    '2026-11-02T06:30:00.000Z',
  ])
})

t.test('an hourly time occurs in both hours that the change back repeats', async (t) => {
  t.same(timesAfter('30 * * * *', 'Europe/Berlin', '2026-10-24T23:45:00.000Z', 3), [
    '2026-10-25T00:30:00.000Z',
    '2026-10-25T01:30:00.000Z',
    '2026-10-25T02:30:00.000Z',
  ])
})

t.test('the time itself is the newest until it, and not the first after it', async (t) => {
  const schedule = { cron: '0 * * * *', timezone: 'UTC' }
  const at = Date.parse('2026-08-01T10:00:00.000Z')
  t.equal(cronTimeUntil(schedule, at), at)
  t.equal(cronTimeUntil(schedule, at - 1), at - 3_600_000)
  t.equal(cronTimeUntil(schedule, at + 1), at)
  t.equal(cronTimeAfter(schedule, at), at + 3_600_000)
  t.equal(cronTimeAfter(schedule, at - 1), at)
})
