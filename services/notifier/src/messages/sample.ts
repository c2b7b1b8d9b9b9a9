/** Sample events for previews and test messages. */
import type { DeliveryEvent, DraftEventData, SelectableChannelEvent } from '@status-page/contracts'
import type { MessageLanguage } from './language.ts'
import type { SubjectEvent, WebhookEvent } from './webhook-body.ts'

/** Kind of test messages, which channels cannot select. */
export const TEST_EVENT = 'channel.test' satisfies DeliveryEvent

const SAMPLE_ID = '01900000-0000-7000-8000-000000000000'
const HOUR_MS = 60 * 60 * 1000

const component = {
  id: SAMPLE_ID,
  name: 'API',
  status: 'major_outage' as const,
  isMuted: false,
  ancestorIds: [],
}
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
  'incident.update-overdue': 'investigating',
  'sla.at-risk': 'at_risk',
  'sla.breached': 'breached',
  'sla.recovered': 'healthy',
  'sla.response-breached': 'investigating',
  'sla.resolution-breached': 'investigating',
  'certificate.expiring': 'operational',
  'incident-draft.created': 'investigating',
  'incident-draft.publishing': 'investigating',
} as const satisfies Record<SelectableChannelEvent, string>

export const sampleEvent = (
  kind: SelectableChannelEvent,
  now: Date,
  baseUrl: string,
): WebhookEvent => {
  const occurredAt = now
  const before = new Date(now.getTime() - HOUR_MS).toISOString()
  const after = new Date(now.getTime() + HOUR_MS).toISOString()
  const status: string = statuses[kind]
  const url = `${baseUrl}/status/example`
  if (kind.startsWith('incident.')) {
    const incident = {
      id: SAMPLE_ID,
      title: 'API errors',
      status,
      impact: 'major',
      components: [component],
      message: 'We are investigating failing requests.',
      startedAt: before,
      url,
      resolvedAt: status === 'resolved' ? now.toISOString() : null,
      ...everywhere,
    }
    return { kind, occurredAt, incident } as SubjectEvent<'incident'>
  }
  if (kind.startsWith('maintenance.')) {
    const maintenance = {
      id: SAMPLE_ID,
      title: 'Database upgrade',
      status,
      components: [component],
      message: 'Short interruptions.',
      scheduledFor: before,
      scheduledUntil: after,
      url,
      startedAt: null,
      completedAt: null,
      cancelledAt: null,
      news: null,
      ...everywhere,
    }
    return { kind, occurredAt, maintenance } as SubjectEvent<'maintenance'>
  }
  const named = namedSampleOf(kind, now)
  if (named !== null) return named
  const monitor = {
    componentId: SAMPLE_ID,
    name: 'API',
    derivedStatus: status,
    since: before,
    reason: status === 'operational' ? null : 'HTTP 503',
  }
  return { kind, occurredAt, monitor } as SubjectEvent<'monitor'>
}

const DAY_MS = 24 * HOUR_MS

/** Samples of the kinds that channels select by name; null for the others. */
const namedSampleOf = (kind: SelectableChannelEvent, now: Date): WebhookEvent | null => {
  const occurredAt = now
  const startedAt = new Date(now.getTime() - HOUR_MS).toISOString()
  const sla = { id: SAMPLE_ID, name: 'API 99.9', componentIds: [SAMPLE_ID] }
  const draft = { id: SAMPLE_ID, title: 'API errors', impact: 'major' as const, startedAt }
  switch (kind) {
    case 'sla.response-breached':
    case 'sla.resolution-breached': {
      return {
        kind,
        occurredAt,
        target: { sla, incident: draft, targetMinutes: 30, dueAt: now.toISOString() },
      }
    }
    case 'sla.at-risk':
    case 'sla.breached':
    case 'sla.recovered': {
      const current = { ...sampleCurrent, status: statuses[kind], evaluatedAt: now.toISOString() }
      const crossed = { targetPercentage: 99.9, previousStatus: 'healthy' as const, current }
      return { kind, occurredAt, sla: { ...sla, ...crossed } }
    }
    case 'certificate.expiring': {
      const expiresAt = new Date(now.getTime() + 7 * DAY_MS).toISOString()
      const certificate = { componentId: SAMPLE_ID, name: 'API', expiresAt, daysLeft: 6 }
      return { kind, occurredAt, certificate }
    }
    case 'incident-draft.created':
    case 'incident-draft.publishing': {
      const publishAt =
        kind === 'incident-draft.created' ? null : new Date(now.getTime() + HOUR_MS).toISOString()
      const message = 'The share of failing requests is above 5 %.'
      const more = { message, components: [draftComponent], publishAt }
      return { kind, occurredAt, draft: { ...draft, ...more } }
    }
    default:
      return null
  }
}

const draftComponent: DraftEventData['components'][number] = {
  ...component,
  status: 'operational',
  ancestorIds: [],
}

const sampleCurrent = {
  since: '2026-01-01T00:00:00.000Z',
  percentage: 99.87,
  budgetTotalSeconds: 2592,
  budgetRemainingSeconds: 0,
  burnRate: 1.3,
}

/** Event that the test operation of a channel sends. */
export const testEvent = (
  { id, channelName }: { id: string; channelName: string },
  now: Date,
  { test }: MessageLanguage,
): SubjectEvent<'incident'> => ({
  kind: TEST_EVENT,
  occurredAt: now,
  incident: {
    id,
    title: test.title(channelName),
    status: 'investigating',
    impact: 'minor',
    message: test.message,
    startedAt: now.toISOString(),
    resolvedAt: null,
    url: null,
    components: [{ ...component, status: 'operational', name: test.component }],
    ...everywhere,
  },
})
