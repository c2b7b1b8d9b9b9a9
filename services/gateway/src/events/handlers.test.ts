/** Event log: events of other services, each once, with the payload of webhooks. */
import { memoryBus } from '@status-page/bus'
import {
  draftEvent,
  type EventDraft,
  incidentCreated,
  incidentResolved,
  oncallTriggered,
  selectableChannelEvents,
  slaResponseBreached,
  streamedKinds,
  systemActor,
} from '@status-page/contracts'
import { newId, read, transact } from '@status-page/postgres'
import { createLogger } from '@status-page/service'
import { testDatabase } from '@status-page/testing'
import { sql } from 'drizzle-orm'
import t from 'tap'
import { logErasure } from '../erasure/redaction.ts'
import { eventLogHandler } from './handlers.ts'

const ADDRESS = 'ann@example.com'
const at = '2026-08-01T09:30:00.000Z'

const incidentData = (id: string, title: string) => ({
  incident: {
    id,
    title,
    status: 'investigating' as const,
    impact: 'major' as const,
    message: 'Text of the update',
    components: [
      {
        id: newId(),
        name: 'API',
        status: 'major_outage' as const,
        isMuted: false,
        ancestorIds: [],
      },
    ],
    startedAt: at,
    resolvedAt: null,
    url: null,
    statusPageIds: [],
    notifySubscribers: true,
  },
})

const stage = async (t: { teardown(work: () => unknown): void }) => {
  const databases = await testDatabase(t, { services: ['core', 'gateway'] })
  const core = await databases.database('core')
  const database = await databases.database('gateway')
  const organizationId = newId()
  const publish = (...events: EventDraft[]) =>
    transact(core, { organizationId, actor: systemActor }, async () => ({
      result: undefined,
      events,
      audit: [],
    }))
  const entries = async () => {
    const rows = await read(database, organizationId, ({ tx }) =>
      tx.execute<{ position: string; payload: string }>(
        sql`SELECT position, payload FROM event_log ORDER BY position`,
      ),
    )
    return rows.map(({ position, payload }) => ({
      position: Number(position),
      ...JSON.parse(payload),
    }))
  }
  const bus = memoryBus(t, [
    { database: core, eventHandlers: [] },
    { database, eventHandlers: [eventLogHandler] },
  ])
  return { core, database, organizationId, publish, entries, drain: () => bus.drain() }
}

t.test('every kind that channels can select is in the event log', async (t) => {
  t.same(
    selectableChannelEvents.filter((kind) => !streamedKinds.includes(kind)),
    [],
  )
})

t.test(
  'events are logged once, with consecutive positions and the payload of webhooks',
  async (t) => {
    const { publish, drain, entries } = await stage(t)
    const id = newId()
    await publish(draftEvent(incidentCreated, { id, version: 1 }, incidentData(id, 'API errors')))
    await publish(draftEvent(incidentResolved, { id, version: 2 }, incidentData(id, 'API errors')))
    const sla = { id: newId(), name: 'Checkout', componentIds: [] }
    const incident = { id, title: 'API errors', impact: 'major' as const, startedAt: at }
    const target = { sla, incident, targetMinutes: 15, dueAt: at }
    await publish(draftEvent(slaResponseBreached, { id: sla.id, version: 1 }, target))
    t.equal(await drain(), 3)
    t.equal(await drain(), 0)
    const payload = { id, title: 'API errors', status: 'investigating', impact: 'major' }
    t.match(await entries(), [
      { position: 1, event: 'incident.created', incident: { ...payload, components: ['API'] } },
      { position: 2, event: 'incident.resolved' },
      {
        position: 3,
        event: 'sla.response-breached',
        target: { id: sla.id, title: 'Checkout', targetMinutes: 15, dueAt: at, incident },
      },
    ])
    const [created] = await entries()
    t.same(Object.keys(created), ['position', 'event', 'timestamp', 'incident'])
    t.notOk(JSON.stringify(created).includes('Text of the update'))
  },
)

t.test('an alert is logged without the members that it names', async (t) => {
  const { publish, drain, entries } = await stage(t)
  const person = { userId: newId(), name: 'Ann Example' }
  const id = newId()
  const alert = {
    id,
    status: 'acknowledged' as const,
    title: 'API errors',
    severity: 'critical' as const,
    source: 'monitor' as const,
    componentId: null,
    incidentId: null,
    schedule: { id: newId(), name: 'Primary' },
    reason: 'HTTP 503',
    details: null,
    since: at,
    url: null,
    escalationLevel: 0,
    escalatesAt: null,
    count: 1,
    noResponder: false,
    triggeredAt: at,
    acknowledgedAt: at,
    acknowledgedBy: person,
    resolvedAt: null,
    assigned: [person],
    recipients: [{ ...person, email: ADDRESS }],
    channelIds: [],
  }
  await publish(draftEvent(oncallTriggered, { id, version: 1 }, { alert }))
  await drain()
  const [entry] = await entries()
  t.match(entry, { event: 'oncall.triggered', alert: { schedule: 'Primary', reason: 'HTTP 503' } })
  t.notOk(JSON.stringify(entry).match(/Ann|example\.com/))
})

t.test('an erased address is removed from logged events', async (t) => {
  const { publish, drain, entries, database, organizationId } = await stage(t)
  for (const title of [`Reported by ${ADDRESS}`, 'Reported by joann@example.com']) {
    const id = newId()
    await publish(draftEvent(incidentCreated, { id, version: 1 }, incidentData(id, title)))
  }
  await drain()
  const logger = createLogger({ service: 'gateway', level: 'silent' })
  await logErasure({ database, logger })(database, {
    organizationId,
    email: ADDRESS,
    entityIds: [],
    subscriberIds: [],
    userId: null,
  })
  const titles = (await entries()).map(({ incident }) => incident.title)
  t.same(titles, ['Reported by [erased]', 'Reported by joann@example.com'])
})
