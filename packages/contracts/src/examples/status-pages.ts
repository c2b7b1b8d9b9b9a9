/** Examples of status pages, public data and deliveries. */
import {
  deliveryOperations,
  publicOperations,
  type StatusPage,
  statusPageOperations,
  type Upload,
  uploadOperations,
} from '../index.ts'
import { examplesOf } from './example.ts'
import {
  exampleIds,
  exampleTimes,
  exampleTimestamps,
  listReplyOf,
  successExample,
} from './values.ts'

const EXAMPLE_SHA256 = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'
const PAGE_URL = 'https://status.example.com/status/acme'

const page: StatusPage = {
  id: exampleIds.page,
  name: 'Acme',
  slug: 'acme',
  description: null,
  isPublished: true,
  visibility: 'public',
  hasPassword: false,
  allowedIpRanges: [],
  customDomain: null,
  customDomainStatus: 'none',
  customDomainToken: null,
  components: [],
  theme: {
    mode: 'system',
    primaryColor: '#0b5fff',
    operationalColor: null,
    degradedColor: null,
    partialColor: null,
    majorColor: null,
    maintenanceColor: null,
  },
  logoUrl: null,
  logoDarkUrl: null,
  faviconUrl: null,
  homepageUrl: null,
  supportUrl: null,
  timezone: 'UTC',
  locale: 'en',
  alternateLocales: ['de', 'ja'],
  uptimeDays: 90,
  incidentHistoryDays: 14,
  showUptimePercentage: true,
  allowIndexing: true,
  allowFeeds: true,
  allowEmailSubscribers: true,
  allowSmsSubscribers: false,
  allowWebhookSubscribers: false,
  subscriberDefaults: { componentIds: [], events: [] },
  managedByConfig: false,
  version: 3,
  url: PAGE_URL,
  ...exampleTimestamps,
}

const statusPages = examplesOf(statusPageOperations, {
  list: { reply: listReplyOf(page) },
  create: {
    bodies: {
      'All components, published at once': { name: 'Acme', slug: 'acme', isPublished: true },
      'Selected components in groups': {
        name: 'Acme',
        slug: 'acme',
        theme: { primaryColor: '#0b5fff' },
        components: [
          {
            componentId: exampleIds.component,
            displayName: 'Our API',
            groupName: 'For developers',
          },
        ],
      },
      'With a password and a custom domain': {
        name: 'Acme',
        slug: 'acme',
        isPublished: true,
        visibility: 'password',
        password: 'a-long-enough-password',
        customDomain: 'status.acme.example',
      },
      'For one network': {
        name: 'Acme',
        slug: 'acme',
        isPublished: true,
        visibility: 'ip_allowlist',
        allowedIpRanges: ['203.0.113.0/24', '2001:db8::/48'],
      },
    },
    reply: page,
  },
  read: { reply: page },
  update: { body: { isPublished: true, timezone: 'Europe/Berlin' }, reply: page },
  preview: {
    body: { name: 'Acme', theme: { primaryColor: '#0f766e' } },
    reply: { html: '<!doctype html>…' },
  },
  checkCustomDomain: {
    reply: {
      customDomainStatus: 'pending',
      cname: {
        name: 'status.acme.example',
        expected: 'status.example.com',
        state: 'valid',
      },
      txt: {
        name: '_status-page.status.acme.example',
        expected: EXAMPLE_SHA256,
        state: 'missing',
      },
    },
  },
  remove: successExample,
})

const affected = [{ id: exampleIds.component, name: 'API', status: 'partial_outage' as const }]

const publicIncident = {
  id: exampleIds.incident,
  title: 'API errors',
  status: 'investigating' as const,
  impact: 'major' as const,
  message: 'Elevated error rates.',
  components: affected,
  updates: [
    {
      id: exampleIds.firstUpdate,
      status: 'investigating' as const,
      message: 'Elevated error rates.',
      components: affected,
      createdAt: exampleTimes.announced,
    },
  ],
  postmortem: null,
  url: `${PAGE_URL}/incidents/${exampleIds.incident}`,
  startedAt: exampleTimes.failed,
  createdAt: exampleTimes.announced,
  updatedAt: exampleTimes.announced,
  resolvedAt: null,
  nextUpdateAt: exampleTimes.nextUpdate,
}

const publicMaintenance = {
  id: exampleIds.maintenance,
  title: 'DB upgrade',
  message: 'Short interruptions.',
  status: 'scheduled' as const,
  scheduledFor: '2026-08-02T02:00:00.000Z',
  scheduledUntil: '2026-08-02T04:00:00.000Z',
  startedAt: null,
  completedAt: null,
  components: [{ id: exampleIds.component, name: 'API', status: 'partial_outage' as const }],
  updates: [
    {
      id: exampleIds.maintenanceUpdate,
      status: 'scheduled' as const,
      message: 'Short interruptions.',
      createdAt: exampleTimes.announced,
    },
  ],
  url: `${PAGE_URL}/maintenances/${exampleIds.maintenance}`,
  createdAt: exampleTimes.announced,
  updatedAt: exampleTimes.announced,
}

const publicData = examplesOf(publicOperations, {
  status: {
    reply: {
      page: {
        id: exampleIds.page,
        name: 'Acme',
        slug: 'acme',
        description: null,
        url: PAGE_URL,
        homepageUrl: null,
        supportUrl: null,
        logoUrl: null,
        timezone: 'UTC',
        locale: 'en',
        updatedAt: exampleTimes.announced,
      },
      status: { indicator: 'major', description: 'Partial System Outage' },
      components: [
        {
          id: exampleIds.component,
          name: 'API',
          description: null,
          status: 'partial_outage',
          causedBy: null,
          parentComponentId: null,
          groupName: null,
          order: 0,
          icon: null,
          vendorReport: null,
          uptimePercentage: 99.95,
          uptimeSince: null,
          uptimeDays: [{ date: '2026-08-01', status: 'partial_outage', downtimeSeconds: 540 }],
        },
      ],
      metrics: [],
      activeIncidents: [publicIncident],
      maintenances: { active: [], upcoming: [publicMaintenance] },
    },
  },
  incidents: { reply: listReplyOf(publicIncident) },
  incident: { reply: publicIncident },
  maintenances: { reply: listReplyOf(publicMaintenance) },
  calendar: { reply: 'BEGIN:VCALENDAR\r\nVERSION:2.0\r\n…\r\nEND:VCALENDAR\r\n' },
  feed: { reply: '<?xml version="1.0" encoding="utf-8"?><rss version="2.0">…</rss>' },
  badge: { reply: '<svg xmlns="http://www.w3.org/2000/svg">…</svg>' },
  access: { body: { password: 'a-long-enough-password' }, ...successExample },
})

const delivery = {
  id: exampleIds.delivery,
  eventId: exampleIds.event,
  event: 'incident.created',
  state: 'pending' as const,
  reason: 'retry' as const,
  destination: {
    kind: 'subscriber' as const,
    id: exampleIds.subscriber,
    type: 'webhook',
    label: 'hooks.example.com',
  },
  attemptCount: 1,
  deferrals: 0,
  nextAttemptAt: exampleTimes.updated,
  supersededBy: null,
  estimatedWaitSeconds: 30,
  finishedAt: null,
  expiresAt: '2026-08-04T09:31:04.000Z',
  createdAt: exampleTimes.announced,
  updatedAt: exampleTimes.announced,
}

const deliveries = examplesOf(deliveryOperations, {
  list: { reply: listReplyOf(delivery) },
  read: {
    reply: {
      ...delivery,
      attempts: [
        {
          number: 1,
          startedAt: exampleTimes.announced,
          durationMs: 90,
          outcome: 'rejected',
          statusCode: 500,
          error: null,
        },
      ],
    },
  },
  replay: { reply: { ...delivery, reason: null, estimatedWaitSeconds: 0 } },
  replayAll: { body: { since: exampleTimes.announced }, reply: { replayed: 3 } },
})

const upload: Upload = {
  id: exampleIds.upload,
  url: `https://status.example.com/uploads/${exampleIds.upload}/${EXAMPLE_SHA256}.png`,
  contentType: 'image/png',
  width: 480,
  height: 100,
  bytes: 5_120,
  sha256: EXAMPLE_SHA256,
  createdAt: exampleTimestamps.createdAt,
}

const uploads = examplesOf(uploadOperations, {
  list: { reply: listReplyOf(upload) },
  create: { reply: upload },
  read: { reply: upload },
  remove: successExample,
  image: { reply: '…' },
})

export const statusPageExamples = [statusPages, publicData, uploads, deliveries].flat()
