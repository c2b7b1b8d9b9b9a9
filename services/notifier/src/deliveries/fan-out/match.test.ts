/** Recipients of each event. */
import {
  type IncidentEventData,
  type MaintenanceEventData,
  packAncestors,
} from '@status-page/contracts'
import t from 'tap'
import { monitorRecipientMatchOf, priorityOf, recipientMatchOf } from './match.ts'

const component = (id: string, isMuted = false, ancestorIds: string[] = []) => ({
  id,
  name: id,
  status: 'major_outage' as const,
  isMuted,
  ancestorIds,
})

const incident = (change: Partial<IncidentEventData> = {}): IncidentEventData => ({
  id: 'i1',
  title: 'API errors',
  status: 'investigating',
  impact: 'major',
  message: '',
  components: [component('c1', false, ['parent', 'root'])],
  startedAt: '2026-01-02T03:04:05.000Z',
  resolvedAt: null,
  url: null,
  statusPageIds: ['p1'],
  notifySubscribers: true,
  ...change,
})

t.test('a scope that names the component or an ancestor matches', async (t) => {
  t.same(recipientMatchOf('incident.created', incident())?.scopeIds, ['c1', 'parent', 'root'])
})

t.test('packed ancestors match as well', async (t) => {
  const parent = '019a3c5e-7b1f-7c2a-9d4e-0000000000c2'
  const large = incident({ components: [component('c1', false, [parent])] })
  t.same(recipientMatchOf('incident.created', packAncestors(large))?.scopeIds, ['c1', parent])
})

t.test('a reopened incident matches a selection of created or updated', async (t) => {
  const match = recipientMatchOf('incident.reopened', incident())
  t.same(match?.selectors, ['incident.created', 'incident.updated'])
})

t.test('only unmuted components match', async (t) => {
  const match = recipientMatchOf(
    'incident.created',
    incident({ components: [component('c1', true), component('c2')] }),
  )
  t.same(match?.scopeIds, ['c2'])
  t.equal(match?.state, 'pending')
})

t.test('when all components are muted the deliveries are suppressed', async (t) => {
  const match = recipientMatchOf(
    'incident.created',
    incident({ components: [component('c1', true)] }),
  )
  t.equal(match?.state, 'suppressed')
  t.same(match?.scopeIds, ['c1'])
})

t.test(
  'an incident without components reaches recipients without a component filter',
  async (t) => {
    const match = recipientMatchOf('incident.created', incident({ components: [] }))
    t.same(match?.scopeIds, [])
    t.equal(match?.state, 'pending')
  },
)

t.test('subscribers receive neither events for channels only nor deletions', async (t) => {
  const spared = recipientMatchOf('incident.created', incident({ notifySubscribers: false }))
  t.match(spared, { selectors: [], channelSelector: 'incident.created', impact: 'major' })
  t.equal(recipientMatchOf('incident.deleted', incident()), null)
})

t.test('openings and resolutions precede updates', async (t) => {
  t.ok(priorityOf('incident.resolved') < priorityOf('incident.updated'))
  t.ok(priorityOf('incident.updated') < priorityOf('monitor.down'))
})

const maintenance = (change: Partial<MaintenanceEventData> = {}): MaintenanceEventData => ({
  id: 'm1',
  title: 'DB upgrade',
  status: 'scheduled',
  message: '',
  scheduledFor: '2026-01-02T03:00:00.000Z',
  scheduledUntil: '2026-01-02T04:00:00.000Z',
  startedAt: null,
  completedAt: null,
  cancelledAt: null,
  url: null,
  news: null,
  components: [component('c1', false, ['parent'])],
  statusPageIds: ['p1'],
  notifySubscribers: true,
  ...change,
})

t.test('events of maintenances match their selection', async (t) => {
  const cases: [kind: string, change: Partial<MaintenanceEventData>, selectors: string[]][] = [
    ['maintenance.scheduled', {}, ['maintenance.scheduled']],
    ['maintenance.started', {}, ['maintenance.started']],
    ['maintenance.completed', {}, ['maintenance.completed']],
    ['maintenance.updated', {}, []],
    ['maintenance.updated', { news: 'cancelled' }, ['maintenance.scheduled']],
    ['maintenance.updated', { news: 'rescheduled' }, ['maintenance.scheduled']],
    ['maintenance.reminder', {}, ['maintenance.scheduled']],
    ['maintenance.started', { notifySubscribers: false }, []],
  ]
  for (const [kind, change, selectors] of cases) {
    t.same(
      recipientMatchOf(kind, maintenance(change))?.selectors,
      selectors,
      `${kind} ${change.news}`,
    )
  }
  t.same(recipientMatchOf('maintenance.started', maintenance())?.scopeIds, ['c1', 'parent'])
})

t.test('only reminders exclude webhooks', async (t) => {
  t.same(recipientMatchOf('maintenance.reminder', maintenance())?.excludedTypes, ['webhook'])
  t.same(recipientMatchOf('maintenance.scheduled', maintenance())?.excludedTypes, [])
  t.same(recipientMatchOf('incident.created', incident())?.excludedTypes, [])
})

t.test('a channel selects by event kind, and a reminder by the kind of its subject', async (t) => {
  t.equal(recipientMatchOf('incident.reopened', incident())?.channelSelector, 'incident.reopened')
  t.equal(
    recipientMatchOf('maintenance.updated', maintenance())?.channelSelector,
    'maintenance.updated',
  )
  t.equal(
    recipientMatchOf('maintenance.reminder', maintenance())?.channelSelector,
    'maintenance.scheduled',
  )
  t.equal(recipientMatchOf('maintenance.started', maintenance())?.impact, null)
})

t.test('monitor events are for channels only, unless the component is muted', async (t) => {
  const monitor = {
    componentId: 'c1',
    name: 'API',
    derivedStatus: 'major_outage' as const,
    since: '2026-01-02T03:04:05.000Z',
    reason: null,
  }
  const copy = { isMuted: false, ancestorIds: ['parent', 'root'] }
  const match = monitorRecipientMatchOf('monitor.down', monitor, copy, false)
  t.match(match, { selectors: [], channelSelector: 'monitor.down', state: 'pending' })
  t.same(match.scopeIds, ['c1', 'parent', 'root'])
  const muted = monitorRecipientMatchOf('monitor.down', monitor, { ...copy, isMuted: true }, true)
  t.match(muted, { state: 'suppressed', deliveryReason: 'muted' })
  const flapping = monitorRecipientMatchOf('monitor.down', monitor, copy, true)
  t.match(flapping, { state: 'suppressed', deliveryReason: 'flapping' })
  t.same(
    monitorRecipientMatchOf('monitor.down', monitor, null, false).scopeIds,
    ['c1'],
    'before its copy arrived',
  )
})
