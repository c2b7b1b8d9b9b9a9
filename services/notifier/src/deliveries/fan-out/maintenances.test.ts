/** Maintenance messages to subscribers, by webhook and by mail. */
import {
  draftEvent,
  type MaintenanceEventData,
  maintenanceCompleted,
  maintenanceReminder,
  maintenanceScheduled,
  maintenanceStarted,
  maintenanceUpdated,
} from '@status-page/contracts'
import { newId } from '@status-page/postgres'
import { httpTarget } from '@status-page/testing'
import t from 'tap'
import { created, hook, stage, subscriber } from '../stage.fixture.ts'

const events = ['maintenance.scheduled', 'maintenance.started', 'maintenance.completed'] as const

const maintenance = (change: Partial<MaintenanceEventData> = {}): MaintenanceEventData => ({
  id: newId(),
  title: 'DB <upgrade>',
  status: 'scheduled',
  message: 'Short interruptions.',
  scheduledFor: '2026-01-02T03:00:00.000Z',
  scheduledUntil: '2026-01-02T04:00:00.000Z',
  startedAt: null,
  completedAt: null,
  cancelledAt: null,
  news: null,
  components: [
    { id: newId(), name: 'API', status: 'operational', isMuted: false, ancestorIds: [] },
  ],
  url: 'https://status.example.com/status/acme/maintenances/1',
  statusPageIds: [],
  notifySubscribers: true,
  ...change,
})

const reader = (more: object = {}) =>
  subscriber({ type: 'email', email: 'reader@example.com', events: [...events], ...more })

const kinds = {
  scheduled: maintenanceScheduled,
  started: maintenanceStarted,
  updated: maintenanceUpdated,
  completed: maintenanceCompleted,
  reminder: maintenanceReminder,
} as unknown as Record<string, typeof maintenanceScheduled>

const maintenanceEvent = (verb: string, fact: MaintenanceEventData, version: number) =>
  draftEvent(
    kinds[verb] as typeof maintenanceScheduled,
    { id: fact.id, version },
    { maintenance: fact },
  )

t.test('a webhook gets exactly the fields of the contract, and no reminder', async (t) => {
  const { publish, deliver } = await stage(t)
  const target = await httpTarget(t)
  const fact = maintenance()
  const begun = { ...fact, status: 'in_progress' as const, startedAt: '2026-01-02T03:00:01.000Z' }
  const ended = { ...fact, status: 'cancelled' as const, news: 'cancelled' as const }
  await publish(
    created(hook(target, { events: [...events] })),
    maintenanceEvent('scheduled', fact, 1),
    maintenanceEvent('updated', { ...fact, title: 'Only for channels' }, 2),
    maintenanceEvent('reminder', fact, 3),
    maintenanceEvent('started', begun, 4),
    maintenanceEvent('updated', ended, 5),
  )
  await deliver()
  const bodies = target.requests.map(({ body }) => JSON.parse(body))
  t.same(
    bodies.map(({ event }) => event),
    ['maintenance.scheduled', 'maintenance.started', 'maintenance.updated'],
  )
  t.same(
    target.requests.map(({ headers }) => headers['x-event-sequence']),
    ['1', '4', '5'],
  )
  t.same(bodies[1], {
    event: 'maintenance.started',
    timestamp: bodies[1].timestamp,
    maintenance: {
      id: fact.id,
      title: 'DB <upgrade>',
      status: 'in_progress',
      scheduledFor: fact.scheduledFor,
      scheduledUntil: fact.scheduledUntil,
      components: ['API'],
    },
  })
})

t.test('a mail states the maintenance and its window, once per event', async (t) => {
  const { publish, deliver, smtp } = await stage(t)
  const fact = maintenance()
  const over = {
    ...fact,
    status: 'completed' as const,
    message: '',
    startedAt: '2026-01-02T03:00:01.000Z',
    completedAt: '2026-01-02T03:30:00.000Z',
  }
  const steps: [verb: string, fact: MaintenanceEventData, subject: RegExp][] = [
    ['scheduled', fact, /Subject: \[Maintenance scheduled\] DB <upgrade> - /],
    ['updated', { ...fact, news: 'rescheduled' }, /Subject: .*Maintenance rescheduled/],
    ['reminder', fact, /Subject: .*Maintenance starts soon/],
    ['started', fact, /Subject: .*Maintenance started/],
    ['completed', over, /Subject: .*Maintenance completed/],
  ]
  await publish(created(reader()))
  for (const [index, [verb, state, subject]] of steps.entries()) {
    await publish(maintenanceEvent(verb, state, index + 1))
    await deliver()
    await deliver()
    t.equal(smtp.mails.length, index + 1, verb)
    t.match(smtp.mails[index]?.raw, subject)
  }
  const [first] = smtp.mails
  t.match(first?.raw, /From: Jan 2, 2026, 03:00 AM UTC/)
  t.match(first?.raw, /Until: Jan 2, 2026, 04:00 AM UTC/)
  t.match(first?.raw, /Affected: API/)
  t.match(first?.raw, /DB =?\s*&lt;upgrade&gt;/)
  t.match(first?.raw, /References:\s+<maintenance-/)
  t.match(smtp.mails[4]?.raw, /Completed: Jan 2, 2026, 03:30 AM UTC/)
})

t.test(
  'subscribers of other events receive nothing, and muted components send nothing',
  async (t) => {
    const { publish, deliver, smtp, rows } = await stage(t)
    const muted = [
      { id: newId(), name: 'API', status: 'operational' as const, isMuted: true, ancestorIds: [] },
    ]
    await publish(
      created(reader({ events: ['maintenance.started'] })),
      maintenanceEvent('scheduled', maintenance(), 1),
      maintenanceEvent('reminder', maintenance(), 2),
      maintenanceEvent('started', maintenance({ components: muted }), 3),
      maintenanceEvent('started', maintenance({ notifySubscribers: false }), 1),
    )
    await deliver()
    t.equal(smtp.mails.length, 0)
    t.match(await rows(), [{ state: 'suppressed', reason: 'muted' }])
  },
)
