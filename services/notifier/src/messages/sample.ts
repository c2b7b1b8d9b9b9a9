/** Made-up news, for who wants to see what a message looks like. */
import type { ChannelEvent } from '@status-page/contracts'
import type { Language } from './language.ts'
import type { Told, ToldOf } from './webhook-body.ts'

/** Not one of the eleven kinds: nobody selects it. */
export const TEST_EVENT = 'channel.test'

const SAMPLE_ID = '01900000-0000-7000-8000-000000000000'
const HOUR_MS = 60 * 60 * 1000

const component = {
  ...{ id: SAMPLE_ID, name: 'API', status: 'major_outage' },
  ...{ isMuted: false, ancestorIds: [] },
} as const
const everywhere = { statusPageIds: [], notifySubscribers: true }

const statuses = {
  'incident.created': 'investigating',
  'incident.updated': 'identified',
  'incident.resolved': 'resolved',
  'incident.reopened': 'investigating',
  'maintenance.scheduled': 'scheduled',
  'maintenance.started': 'in_progress',
  'maintenance.updated': 'scheduled',
  'maintenance.completed': 'completed',
  'monitor.down': 'major_outage',
  'monitor.recovered': 'operational',
  'monitor.degraded': 'degraded_performance',
} as const satisfies Record<ChannelEvent, string>

export const sampleOf = (kind: ChannelEvent, now: Date, baseUrl: string): Told => {
  const occurredAt = now
  const before = new Date(now.getTime() - HOUR_MS).toISOString()
  const after = new Date(now.getTime() + HOUR_MS).toISOString()
  const status: string = statuses[kind]
  const url = `${baseUrl}/status/example`
  if (kind.startsWith('incident.')) {
    const incident = {
      ...{ id: SAMPLE_ID, title: 'API errors', status, impact: 'major', components: [component] },
      ...{ message: 'We are looking into failing requests.', startedAt: before, url },
      ...{ resolvedAt: status === 'resolved' ? now.toISOString() : null, ...everywhere },
    }
    return { kind, occurredAt, incident } as ToldOf<'incident'>
  }
  if (kind.startsWith('maintenance.')) {
    const maintenance = {
      ...{ id: SAMPLE_ID, title: 'Database upgrade', status, components: [component] },
      ...{ message: 'Short interruptions.', scheduledFor: before, scheduledUntil: after, url },
      ...{ startedAt: null, completedAt: null, cancelledAt: null, news: null, ...everywhere },
    }
    return { kind, occurredAt, maintenance } as ToldOf<'maintenance'>
  }
  const monitor = {
    ...{ componentId: SAMPLE_ID, name: 'API', derivedStatus: status, since: before },
    reason: status === 'operational' ? null : 'HTTP 503',
  }
  return { kind, occurredAt, monitor } as ToldOf<'monitor'>
}

/** What `POST …/test` says. */
export const testOf = (
  { id, channelName }: { id: string; channelName: string },
  now: Date,
  { test }: Language,
): ToldOf<'incident'> => ({
  kind: TEST_EVENT,
  occurredAt: now,
  incident: {
    ...{ id, title: test.title(channelName), status: 'investigating', impact: 'minor' },
    ...{ message: test.message, startedAt: now.toISOString(), resolvedAt: null, url: null },
    components: [{ ...component, status: 'operational', name: test.component }],
    ...everywhere,
  },
})
