/** Public data of published pages. */
import { type Static, Type } from '@sinclair/typebox'
import { listOf, listQuery, TimeRange } from '../listing.ts'
import { operationsOf } from '../operation.ts'
import { Id, Nullable, OneLine, OneOf, Success, Timestamp } from '../scalars.ts'
import { EnteredPassword } from './auth.ts'
import { ComponentStatus } from './component-status.ts'
import { AffectedComponent, Impact, IncidentStatus } from './incidents.ts'
import { MaintenanceStatus, maintenanceFilters, maintenanceSortKeys } from './maintenances.ts'
import { PublicPostmortem } from './postmortems.ts'
import { locales } from './status-pages.ts'
import { PublicVendorReport } from './vendor-status.ts'

const SlugParams = Type.Object({ slug: Type.String({ maxLength: 63 }) })
const SlugAndIdParams = Type.Object({ slug: Type.String({ maxLength: 63 }), id: Id })

export const indicators = ['none', 'minor', 'major', 'critical', 'maintenance'] as const
export type Indicator = (typeof indicators)[number]

export const PublicUpdate = Type.Object({
  id: Id,
  status: IncidentStatus,
  message: Type.String(),
  components: Type.Array(AffectedComponent),
  createdAt: Timestamp,
})

export const PublicIncident = Type.Object({
  id: Id,
  title: Type.String(),
  status: IncidentStatus,
  impact: Impact,
  message: Type.String(),
  components: Type.Array(AffectedComponent),
  updates: Type.Array(PublicUpdate),
  postmortem: Nullable(PublicPostmortem),
  nextUpdateAt: Nullable(Timestamp),
  url: Type.String(),
  startedAt: Timestamp,
  createdAt: Timestamp,
  updatedAt: Timestamp,
  resolvedAt: Nullable(Timestamp),
})
export type PublicIncident = Static<typeof PublicIncident>

export const PublicMaintenance = Type.Object({
  id: Id,
  title: Type.String(),
  message: Type.String(),
  status: MaintenanceStatus,
  scheduledFor: Timestamp,
  scheduledUntil: Timestamp,
  startedAt: Nullable(Timestamp),
  completedAt: Nullable(Timestamp),
  components: Type.Array(AffectedComponent),
  updates: Type.Array(
    Type.Object({
      id: Id,
      status: MaintenanceStatus,
      message: Type.String(),
      createdAt: Timestamp,
    }),
  ),
  url: Type.String(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
})
export type PublicMaintenance = Static<typeof PublicMaintenance>

export const PublicComponent = Type.Object({
  id: Id,
  name: Type.String(),
  description: Nullable(Type.String()),
  status: ComponentStatus,
  causedBy: {
    ...Nullable(Type.Object({ id: Id, name: Type.String() })),
    description:
      'Component of the page whose outage explains this one, by `dependsOn`; null without an ' +
      'outage, and when the page does not show the cause',
  },
  parentComponentId: Nullable(Id),
  groupName: Nullable(Type.String()),
  order: Type.Integer(),
  icon: Nullable(Type.String()),
  vendorReport: Nullable(PublicVendorReport),
  uptimePercentage: Nullable(Type.Number()),
  uptimeSince: Nullable(
    Type.String({
      format: 'timestamp',
      description:
        'Creation of a component that is younger than the days of `uptimeDays`: its uptime counts ' +
        'from then on. Null when all of these days count, and where the uptime is hidden.',
    }),
  ),
  uptimeDays: Nullable(
    Type.Array(
      Type.Object({
        date: Type.String(),
        status: Type.Union([ComponentStatus, Type.Literal('no_data')]),
        downtimeSeconds: Type.Number(),
      }),
    ),
  ),
})
export type PublicComponent = Static<typeof PublicComponent>

/** Ranges of the points of a metric, with the minutes of which each point is the mean. */
export const metricRanges = {
  day: { days: 1, stepMinutes: 15 },
  week: { days: 7, stepMinutes: 120 },
  month: { days: 31, stepMinutes: 480 },
} as const
export type MetricRange = keyof typeof metricRanges

export const MetricRangeQuery = Type.Object({
  metricRange: OneOf(Object.keys(metricRanges) as [MetricRange, ...MetricRange[]], {
    default: 'day',
    description: 'Range of the points of the metrics: 24 hours, 7 days or 31 days',
  }),
})

/** Metric on a public page, without its query and platform. */
export const PublicMetric = Type.Object({
  id: Id,
  name: Type.String(),
  unit: Nullable(Type.String()),
  decimalPlaces: Type.Integer(),
  lastValue: Nullable(Type.Number()),
  lastValueAt: Nullable(Timestamp),
  points: Type.Array(Type.Object({ timestamp: Timestamp, value: Type.Number() }), {
    description:
      'Mean values, oldest first: of each quarter of an hour in the last 24 hours, of 2 hours in ' +
      'the last week, or of 8 hours in the last month',
  }),
})
export type PublicMetric = Static<typeof PublicMetric>

export const PublicStatus = Type.Object({
  page: Type.Object({
    id: Id,
    name: Type.String(),
    slug: Type.String(),
    description: Nullable(Type.String()),
    url: Type.String(),
    homepageUrl: Nullable(Type.String()),
    supportUrl: Nullable(Type.String()),
    logoUrl: Nullable(Type.String()),
    timezone: Type.String(),
    locale: OneOf(locales),
    updatedAt: Timestamp,
  }),
  status: Type.Object({ indicator: OneOf(indicators), description: Type.String() }),
  components: Type.Array(PublicComponent),
  metrics: Type.Array(PublicMetric),
  activeIncidents: Type.Array(PublicIncident),
  maintenances: Type.Object({
    active: Type.Array(PublicMaintenance),
    upcoming: Type.Array(PublicMaintenance, { description: 'Sorted by start time' }),
  }),
})
export type PublicStatus = Static<typeof PublicStatus>

export const feedFormats = ['rss', 'atom', 'json'] as const
export type FeedFormat = (typeof feedFormats)[number]

export const badgeMetrics = ['status', 'uptime'] as const
export type BadgeMetric = (typeof badgeMetrics)[number]

export const publicOperations = operationsOf('core', 'public', {
  status: {
    route: 'GET /public/status/{slug}',
    summary: 'Read the status of a published page',
    description:
      'Parents come before their children and show the worst status of both. The data may be ' +
      'up to 30 seconds old. When the updates exceed 4 MiB, the oldest of each incident and ' +
      'maintenance are left out; when the postmortems exceed 4 MiB, `postmortem` of the oldest ' +
      'incidents is null.',
    permission: 'public',
    bucket: 'public read',
    params: SlugParams,
    query: MetricRangeQuery,
    reply: PublicStatus,
  },
  incidents: {
    route: 'GET /public/status/{slug}/incidents',
    summary: 'List the incidents of a published page',
    description:
      'Incidents that affect a component of the page or no component at all. When the updates ' +
      'exceed 4 MiB, the oldest of each incident are left out; when the postmortems exceed ' +
      '4 MiB, `postmortem` of the oldest incidents is null. Read the incident for more of them.',
    permission: 'public',
    bucket: 'public read',
    params: SlugParams,
    query: listQuery(
      ['createdAt', 'updatedAt', 'startedAt', 'resolvedAt', 'impact', 'status', 'title'],
      { resolved: Type.Optional(Type.Boolean()), ...TimeRange },
    ),
    reply: listOf(PublicIncident),
  },
  incident: {
    route: 'GET /public/status/{slug}/incidents/{id}',
    summary: 'Read an incident of a published page',
    description:
      'Includes its postmortem when that is published, and its updates; when they exceed 4 MiB, ' +
      'the oldest are left out.',
    permission: 'public',
    bucket: 'public read',
    params: SlugAndIdParams,
    reply: PublicIncident,
  },
  maintenances: {
    route: 'GET /public/status/{slug}/maintenances',
    summary: 'List the maintenances of a published page',
    description:
      'Maintenances that affect a component of the page or no component at all. `upcoming` ' +
      'selects scheduled maintenances, `active` those in_progress or verifying. When the ' +
      'updates exceed 4 MiB, only the latest of each maintenance is included.',
    permission: 'public',
    bucket: 'public read',
    params: SlugParams,
    query: listQuery(maintenanceSortKeys, maintenanceFilters),
    reply: listOf(PublicMaintenance),
  },
  calendar: {
    route: 'GET /public/status/{slug}/maintenances.ics',
    summary: 'Read the maintenance calendar of a published page',
    description:
      'iCalendar (RFC 5545) of active and upcoming maintenances, sorted by start time, at most ' +
      '500. UID is the id of the maintenance, SEQUENCE its version; a cancelled maintenance is ' +
      'included with STATUS:CANCELLED until its scheduled end.',
    permission: 'public',
    bucket: 'public read',
    params: SlugParams,
    reply: Type.String(),
    produces: ['text/calendar'],
  },
  feed: {
    route: 'GET /public/status/{slug}/feed',
    summary: 'Read the RSS, Atom or JSON feed of a published page',
    description:
      'Incidents and maintenances of the last 90 days, newest first, at most 50. `componentId` ' +
      'selects those that affect the component, a component below it, or no component at all. ' +
      '404 when the page has no feeds.',
    permission: 'public',
    bucket: 'feed',
    params: SlugParams,
    query: Type.Object({
      format: OneOf(feedFormats, { default: 'rss' }),
      componentId: Type.Optional(Id),
    }),
    reply: Type.String(),
    produces: ['application/rss+xml', 'application/atom+xml', 'application/feed+json'],
  },
  badge: {
    route: 'GET /public/status/{slug}/badge.svg',
    summary: 'Read the badge of a published page or component',
    description:
      'SVG image for other sites, in the language of the page. With `metric=uptime` it shows ' +
      'the uptime over the days that the page shows: of the component, or the mean of the ' +
      'top-level components; no data when the page hides it.',
    permission: 'public',
    bucket: 'public read',
    params: SlugParams,
    query: Type.Object({
      componentId: Type.Optional(Id),
      metric: OneOf(badgeMetrics, { default: 'status' }),
      label: Type.Optional(OneLine(40)),
    }),
    reply: Type.String(),
    produces: ['image/svg+xml'],
  },
  access: {
    route: 'POST /public/status/{slug}/access',
    summary: 'Submit the password of a page',
    description:
      'Sets the cookie `page_access`, which gives access to the page for 24 hours, or until ' +
      'its password changes. 404 unless the page has `visibility` `password`. After 100 wrong ' +
      'passwords for a page within 15 minutes, from all clients together, 429 with bucket ' +
      '`page access`.',
    permission: 'public',
    bucket: 'public',
    params: SlugParams,
    body: Type.Object({ password: EnteredPassword }),
    reply: Success,
  },
})
