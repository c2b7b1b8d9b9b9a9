/** The calendar entry of a maintenance has one UID, so that later versions replace earlier ones. */
import type { MaintenanceEventData } from '@status-page/contracts'
import ICAL from 'ical.js'
import t from 'tap'
import { renderContent } from '../channels/render.ts'
import { calendarPart } from './calendar.ts'
import type { MessageContext } from './context.ts'
import { defaultLanguage } from './reader-language.ts'

const context = (sequence: number): MessageContext => ({
  senderName: 'Acme; Inc',
  appearance: null,
  baseUrl: 'https://status.example.com',
  coveredUpdates: 0,
  language: defaultLanguage,
  sequence,
  messageTemplate: null,
  reader: { kind: 'subscriber', manageToken: null },
})

const maintenance = (change: Partial<MaintenanceEventData> = {}): MaintenanceEventData => ({
  id: '01920000-0000-7000-8000-000000000001',
  title: 'DB, upgrade; 100%',
  status: 'scheduled',
  message: '**Line** one\nLine two\u0007',
  components: [],
  news: null,
  url: null,
  scheduledFor: '2026-01-02T03:00:00.000Z',
  scheduledUntil: '2026-01-02T04:00:00.000Z',
  startedAt: null,
  completedAt: null,
  cancelledAt: null,
  statusPageIds: [],
  notifySubscribers: true,
  ...change,
})

const occurredAt = new Date('2026-01-01T00:00:00.000Z')

const parsed = (content: string) => {
  const calendar = new ICAL.Component(ICAL.parse(content))
  const [event] = calendar.getAllSubcomponents('vevent').map((one) => new ICAL.Event(one))
  if (event === undefined) throw new Error('no event')
  const statusOf = event.component.getFirstPropertyValue('status')
  return { method: calendar.getFirstPropertyValue('method'), event, status: statusOf }
}

t.test(
  'an entry has time, title and organizer, and its sequence follows the version',
  async (t) => {
    const { method, content } = calendarPart({ maintenance: maintenance(), occurredAt }, context(3))
    const { event, ...calendar } = parsed(content)
    t.same([method, calendar.method, calendar.status], ['PUBLISH', 'PUBLISH', 'CONFIRMED'])
    t.equal(event.uid, maintenance().id, 'equals the UID of the public calendar')
    t.equal(event.sequence, 3)
    t.equal(event.summary, 'DB, upgrade; 100%')
    t.equal(event.description, 'Line one\nLine two')
    t.equal(event.startDate.toJSDate().toISOString(), maintenance().scheduledFor)
    t.equal(event.endDate.toJSDate().toISOString(), maintenance().scheduledUntil)
    t.equal(event.organizer, 'mailto:status@status.example.com')
  },
)

t.test('a cancelled maintenance is removed from the calendar by the same UID', async (t) => {
  const cancelled = maintenance({ status: 'cancelled', news: 'cancelled' })
  const { method, content } = calendarPart({ maintenance: cancelled, occurredAt }, context(4))
  const { event, ...calendar } = parsed(content)
  t.same([method, calendar.method, calendar.status], ['CANCEL', 'CANCEL', 'CANCELLED'])
  t.equal(event.uid, maintenance().id)
  t.equal(event.sequence, 4)
})

t.test('only a mail about a single maintenance contains an entry', async (t) => {
  const event = { kind: 'maintenance.scheduled', occurredAt, maintenance: maintenance() }
  const given = { event, context: context(1), config: null }
  t.match(renderContent('email', given).mail?.calendar?.method, 'PUBLISH')
  t.equal(renderContent('email', { ...given, others: [event] }).mail?.calendar, null)
  t.equal(renderContent('slack', given).mail, null)
})
