/** Public data: what anybody may read of a published page. */
import { type Static, Type } from '@sinclair/typebox'
import { listOf, listQuery, TimeRange } from '../listing.ts'
import { operation } from '../operation.ts'
import { Id, Nullable, OneLine, OneOf, Success, Timestamp } from '../scalars.ts'
import { EnteredPassword } from './auth.ts'
import { ComponentStatus } from './components.ts'
import { AffectedComponent, Impact, IncidentStatus } from './incidents.ts'
import { MaintenanceStatus, maintenanceFilters, maintenanceSortKeys } from './maintenances.ts'
import { PublicPostmortem } from './postmortems.ts'
import { locales } from './status-pages.ts'

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
  parentComponentId: Nullable(Id),
  groupName: Nullable(Type.String()),
  order: Type.Integer(),
  icon: Nullable(Type.String()),
  uptimePercentage: Nullable(Type.Number()),
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

/** A figure of a metrics platform, without what is asked and of whom. */
export const PublicMetric = Type.Object({
  id: Id,
  name: Type.String(),
  unit: Nullable(Type.String()),
  decimalPlaces: Type.Integer(),
  lastValue: Nullable(Type.Number()),
  lastValueAt: Nullable(Timestamp),
  points: Type.Array(Type.Object({ timestamp: Timestamp, value: Type.Number() }), {
    description: 'Means of a quarter of an hour each, of 24 hours, oldest first',
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
    upcoming: Type.Array(PublicMaintenance, { description: 'Soonest first' }),
  }),
})
export type PublicStatus = Static<typeof PublicStatus>

export const feedFormats = ['rss', 'atom', 'json'] as const
export type FeedFormat = (typeof feedFormats)[number]

export const badgeMetrics = ['status', 'uptime'] as const
export type BadgeMetric = (typeof badgeMetrics)[number]

export const publicOperations = {
  status: operation({
    id: 'public.status',
    service: 'core',
    method: 'GET',
    path: '/public/status/{slug}',
    status: 200,
    summary: 'Status of a published page',
    description:
      'Parents come first and show the worst of themselves and their children. May be 30 s ' +
      'old. Beyond 4 MiB of updates it has the newest of each incident and maintenance.',
    permission: 'public',
    bucket: 'public read',
    params: SlugParams,
    reply: PublicStatus,
  }),
  incidents: operation({
    id: 'public.incidents',
    service: 'core',
    method: 'GET',
    path: '/public/status/{slug}/incidents',
    status: 200,
    summary: 'Incidents of a published page',
    description:
      'Incidents that concern a component of the page, or none at all. Beyond 4 MiB of updates ' +
      'an answer has the newest of each incident; the incident itself has all.',
    permission: 'public',
    bucket: 'public read',
    params: SlugParams,
    query: listQuery(
      ['createdAt', 'updatedAt', 'startedAt', 'resolvedAt', 'impact', 'status', 'title'],
      { resolved: Type.Optional(Type.Boolean()), ...TimeRange },
    ),
    reply: listOf(PublicIncident),
  }),
  incident: operation({
    id: 'public.incident',
    service: 'core',
    method: 'GET',
    path: '/public/status/{slug}/incidents/{id}',
    status: 200,
    summary: 'One incident of a published page',
    permission: 'public',
    bucket: 'public read',
    params: SlugAndIdParams,
    reply: PublicIncident,
  }),
  maintenances: operation({
    id: 'public.maintenances',
    service: 'core',
    method: 'GET',
    path: '/public/status/{slug}/maintenances',
    status: 200,
    summary: 'Maintenances of a published page',
    description:
      'Maintenances that concern a component of the page, or none at all. `upcoming` are the ' +
      'scheduled ones, `active` those in_progress or verifying. Beyond 4 MiB of updates an ' +
      'answer has the newest of each maintenance.',
    permission: 'public',
    bucket: 'public read',
    params: SlugParams,
    query: listQuery(maintenanceSortKeys, maintenanceFilters),
    reply: listOf(PublicMaintenance),
  }),
  calendar: operation({
    id: 'public.calendar',
    service: 'core',
    method: 'GET',
    path: '/public/status/{slug}/maintenances.ics',
    status: 200,
    summary: 'Calendar of the maintenances of a published page',
    description:
      'iCalendar (RFC 5545) to subscribe to: what is on or to come, soonest first, at most 500. ' +
      'The UID is the id of the maintenance, SEQUENCE its version; a cancelled one stays with ' +
      'STATUS:CANCELLED until it would have been over.',
    permission: 'public',
    bucket: 'public read',
    params: SlugParams,
    reply: Type.String(),
    produces: ['text/calendar'],
  }),
  feed: operation({
    id: 'public.feed',
    service: 'core',
    method: 'GET',
    path: '/public/status/{slug}/feed',
    status: 200,
    summary: 'RSS, Atom or JSON feed of a published page',
    description:
      'Incidents and maintenances of 90 days, newest first, at most 50; with `componentId` those ' +
      'that name the component, one below it or none at all. 404 where the page allows no feeds.',
    permission: 'public',
    bucket: 'feed',
    params: SlugParams,
    query: Type.Object({
      format: OneOf(feedFormats, { default: 'rss' }),
      componentId: Type.Optional(Id),
    }),
    reply: Type.String(),
    produces: ['application/rss+xml', 'application/atom+xml', 'application/feed+json'],
  }),
  badge: operation({
    id: 'public.badge',
    service: 'core',
    method: 'GET',
    path: '/public/status/{slug}/badge.svg',
    status: 200,
    summary: 'A badge of a published page, or of one of its components',
    description:
      "An SVG image to embed elsewhere. `uptime` is that of the page's days: of the component, or " +
      'the mean of the top-level ones; `not shown` where the page hides it.',
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
  }),
  access: operation({
    id: 'public.access',
    service: 'core',
    method: 'POST',
    path: '/public/status/{slug}/access',
    status: 200,
    summary: 'Show the password of a page',
    description:
      'Sets the cookie `page_access`, which opens the page for 24 hours, or until its password is ' +
      'changed. 404 unless the page has `visibility` `password`. After 100 wrong passwords for a ' +
      'page within 15 minutes, from wherever, 429 with bucket `page access`.',
    permission: 'public',
    bucket: 'public',
    params: SlugParams,
    body: Type.Object({ password: EnteredPassword }),
    reply: Success,
  }),
}
