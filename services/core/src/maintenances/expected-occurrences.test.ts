/** Preview of a recurrence, and occurrences that are not yet maintenances. */
import { maintenanceOperations as on } from '@status-page/contracts'
import { DateTime } from 'luxon'
import t from 'tap'
import { coreKit } from '../core.fixture.ts'
import { DAY, HOUR, organizationOn } from './maintenances.fixture.ts'

const kit = await coreKit(t)

t.test('a preview has the windows that the series will have, and skipped times', async (t) => {
  const { request, now } = organizationOn(kit)
  const preview = (from: DateTime, recurrence: object) =>
    request(on.previewRecurrence, {
      body: {
        scheduledFor: from.toUTC().toISO(),
        scheduledUntil: from.plus({ hours: 1 }).toUTC().toISO(),
        recurrence,
      },
    })
  const year = new Date(await now()).getUTCFullYear() + 1
  const march = DateTime.fromObject({ year, month: 3, day: 31 }, { zone: 'Europe/Berlin' })
  // The last Sunday of March, on which the clock skips from 2:00 to 3:00.
  const change = march.minus({ days: march.weekday % 7 })
  const before = change.minus({ days: 7 }).set({ hour: 2, minute: 30 })
  const skipped = await preview(before, {
    rrule: 'FREQ=WEEKLY;COUNT=3',
    timezone: 'Europe/Berlin',
  })
  t.equal(skipped.status, 200)
  t.same(skipped.body.skippedTimes, [change.toFormat("yyyy-MM-dd'T'02:30")])
  const local = skipped.body.occurrences.map(({ scheduledFor }: { scheduledFor: string }) =>
    DateTime.fromISO(scheduledFor, { zone: 'Europe/Berlin' }).toFormat('HH:mm'),
  )
  t.ok(local.length > 1)
  t.ok(local.every((time: string) => time === '02:30'))
  const daily = await preview(before, { rrule: 'FREQ=DAILY' })
  t.equal(daily.body.occurrences.length, 12)
  t.same(daily.body.skippedTimes, [], 'UTC has no clock changes')
  const refused = await preview(before, { rrule: 'FREQ=YEARLY' })
  t.match([refused.status, refused.body.error.details], [400, { field: 'recurrence.rrule' }])
  const passed = await preview(before.minus({ years: 3 }), { rrule: 'FREQ=WEEKLY' })
  t.ok(Date.parse(passed.body.occurrences[0].scheduledUntil) > (await now()))
  const ended = await preview(before.minus({ years: 3 }), { rrule: 'FREQ=DAILY;COUNT=2' })
  t.same(ended.body, { occurrences: [], skippedTimes: [] })
  const empty = await request(on.previewRecurrence, {
    body: {
      scheduledFor: before.toUTC().toISO(),
      scheduledUntil: before.toUTC().toISO(),
      recurrence: { rrule: 'FREQ=DAILY' },
    },
  })
  t.match([empty.status, empty.body.error.details], [400, { field: 'scheduledUntil' }])
})

t.test('an occurrence is expected until it is a maintenance or its series ends', async (t) => {
  const { request, schedule, pass, now } = organizationOn(kit)
  const first = await schedule(DAY, DAY + HOUR, {
    recurrence: { rrule: 'FREQ=DAILY' },
    remindBeforeMinutes: [],
  })
  const start = Date.parse(first.scheduledFor)
  const expected = async (days: number) => {
    const from = await now()
    const query = {
      from: new Date(from).toISOString(),
      to: new Date(from + days * DAY).toISOString(),
      pageSize: 100,
      sortOrder: 'asc',
    }
    const { body } = await request(on.listOccurrences, { query })
    return body.data.map(({ recurrenceOf, title, scheduledFor }: Record<string, string>) => {
      t.same([recurrenceOf, title], [first.id, 'DB upgrade'])
      return Math.round((Date.parse(scheduledFor ?? '') - start) / DAY)
    })
  }
  t.same(await expected(3.5), [1, 2])
  await pass(0)
  t.same(await expected(9.5), [7, 8], 'the next seven days are maintenances')
  const tooLong = await request(on.listOccurrences, {
    query: { to: new Date((await now()) + 63 * DAY).toISOString() },
  })
  t.match([tooLong.status, tooLong.body.error.details], [400, { field: 'to' }])
  const other = kit.as()
  t.same((await other.request(on.listOccurrences)).body.data, [])
  await request(on.remove, { params: { id: first.id } })
  t.same(await expected(30), [])
})
