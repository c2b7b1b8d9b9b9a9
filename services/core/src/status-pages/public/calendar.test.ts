/** A calendar of many maintenances is rendered a few events at a time. */
import { largestStep } from '@status-page/testing'
import t from 'tap'
import { renderCalendar } from './calendar.ts'

const time = new Date('2026-08-01T09:30:00Z')
const EVENTS = 50

t.test('a calendar is rendered event by event', async (t) => {
  let read = 0
  const maintenance = {
    id: '01890000-0000-7000-8000-000000000001',
    version: 1,
    title: 'Upgrade',
    status: 'scheduled' as const,
    scheduledFor: time,
    scheduledUntil: time,
    createdAt: time,
    updatedAt: time,
    get message() {
      read += 1
      return 'A long message. '.repeat(1_500)
    },
  }
  const url = 'https://status.test'
  const maintenances = Array.from({ length: EVENTS }, () => ({ maintenance, url }))
  t.equal(
    largestStep(renderCalendar({ name: 'Acme', url, maintenances }), () => read),
    1,
  )
  t.equal(read, EVENTS)
})
