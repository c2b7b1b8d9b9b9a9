/**
 * Projection of private rows to public data. Public fields are listed explicitly here; no other
 * code publishes fields of a component, an incident or a page.
 */
import {
  type ComponentStatus,
  type Indicator,
  type PublicComponent,
  type PublicIncident,
  type PublicMetric,
  type PublicStatus,
  type PublicVendorReport,
  statusByImpact,
  statusesBySeverity,
} from '@status-page/contracts'
import {
  DAY_MS,
  historyStart,
  type StatusInterval,
  startOfMinute,
  type TimeSpan,
  uptimeByDay,
  uptimePercentage,
  worstStatusOverTime,
} from '../../components/uptime/uptime.ts'
import {
  type ComponentNameOnPage,
  messageOnPage,
  titleOnPage,
  updateOnPage,
} from '../../incidents/automatic-texts.ts'
import { toPublicPostmortem } from '../../incidents/postmortems/view.ts'
import type {
  IncidentComponentRow,
  IncidentRow,
  IncidentUpdateRow,
  PostmortemRow,
  StatusPageRow,
} from '../../tables.ts'
import { incidentUrl, pageUrl } from '../settings/links.ts'
import { type ShownComponent, shownStatus } from '../settings/shown-components.ts'

export interface PageHistories {
  of: ReadonlyMap<string, readonly StatusInterval[]>
  /** Days in the page's time zone, oldest first, today last. */
  days: readonly (TimeSpan & { date: string })[]
  now: number
}

export const toPublicComponent = (
  page: StatusPageRow,
  shown: ShownComponent,
  { of, days, now }: PageHistories,
): PublicComponent => {
  const { component, subtree } = shown
  const hasUptime = page.showUptimePercentage && shown.showUptime
  const history = hasUptime ? worstStatusOverTime(subtree.map(({ id }) => of.get(id) ?? [])) : []
  const knownSince = knownSinceOf(shown, of)
  // Counts whole minutes like the daily bars, so that the value changes once a minute during an
  // outage.
  const to = startOfMinute(now) > knownSince ? startOfMinute(now) : now
  const earliest = to - page.uptimeDays * DAY_MS
  const from = Math.max(knownSince, earliest)
  return {
    id: component.id,
    name: shown.name,
    description: component.description,
    status: shownStatus(shown),
    causedBy: shown.cause,
    parentComponentId: shown.parentId,
    groupName: shown.groupName,
    order: shown.order,
    icon: component.showIconOnStatusPage ? component.icon : null,
    vendorReport: toPublicVendorReport(component),
    uptimePercentage: hasUptime ? uptimePercentage(history, { from, to }) : null,
    // The start of the whole span moves every minute and would change the ETag.
    uptimeSince: hasUptime && knownSince > earliest ? new Date(knownSince).toISOString() : null,
    uptimeDays: hasUptime ? uptimeByDay(history, days, now) : null,
  }
}

/** Null in the mode `draft`, in which people decide what is published. */
const toPublicVendorReport = ({
  upstream,
  vendorReport,
}: ShownComponent['component']): PublicVendorReport | null => {
  if (vendorReport === null || upstream?.mode === 'draft') return null
  const { error: _error, ...report } = vendorReport
  return report
}

/** Creation of the component, or the start of an earlier outage that was entered for its subtree. */
const knownSinceOf = ({ component, subtree }: ShownComponent, of: PageHistories['of']): number => {
  const starts = subtree.flatMap(({ id, createdAt }) => {
    const start = historyStart(createdAt, of.get(id) ?? [])
    return start < createdAt.getTime() ? start : []
  })
  return Math.min(component.createdAt.getTime(), ...starts)
}

/** Incident with its components, updates and postmortem. */
export interface IncidentDetails {
  incident: IncidentRow
  components: readonly IncidentComponentRow[]
  /** Newest first. */
  updates: readonly IncidentUpdateRow[]
  postmortem: PostmortemRow | undefined
}

/** Public incident; components that the page does not show are omitted. */
export const toPublicIncident = (
  page: StatusPageRow,
  details: IncidentDetails,
  shown: ReadonlyMap<string, ShownComponent>,
  baseUrl: string,
): PublicIncident => {
  const { incident, components, updates, postmortem } = details
  const nameOn = namesOn(page, components, shown)
  return {
    id: incident.id,
    title: titleOnPage(details, nameOn),
    status: incident.status,
    impact: incident.impact,
    message: messageOnPage(details, nameOn),
    components: components.flatMap(({ componentId: id }) => {
      const shownComponent = shown.get(id)
      return shownComponent === undefined
        ? []
        : [{ id, name: shownComponent.name, status: shownStatus(shownComponent) }]
    }),
    updates: updates.map((update) => projectUpdate(update, shown, nameOn)),
    postmortem: toPublicPostmortem(postmortem),
    nextUpdateAt: incident.nextUpdateAt?.toISOString() ?? null,
    url: incidentUrl(baseUrl, page.slug, incident.id),
    startedAt: incident.startedAt.toISOString(),
    createdAt: incident.createdAt.toISOString(),
    updatedAt: incident.updatedAt.toISOString(),
    resolvedAt: incident.resolvedAt?.toISOString() ?? null,
  }
}

/**
 * Names of components on the page. A page without entries showed a deleted component under its own
 * name.
 */
const namesOn = (
  page: StatusPageRow,
  components: readonly IncidentComponentRow[],
  shown: ReadonlyMap<string, ShownComponent>,
): ComponentNameOnPage => {
  const retained = components.filter(
    ({ retainedPageIds }) => page.components.length === 0 && retainedPageIds.includes(page.id),
  )
  const deleted = new Map(retained.map(({ componentId, name }) => [componentId, name]))
  return (id) => shown.get(id)?.name ?? deleted.get(id) ?? null
}

const projectUpdate = (
  update: IncidentUpdateRow,
  shown: ReadonlyMap<string, ShownComponent>,
  nameOn: ComponentNameOnPage,
): PublicIncident['updates'][number] => ({
  id: update.id,
  status: update.status,
  message: updateOnPage(update, nameOn),
  components: Object.entries(update.componentStatuses).flatMap(([id, status]) => {
    const shownComponent = shown.get(id)
    return shownComponent === undefined ? [] : [{ id, name: shownComponent.name, status }]
  }),
  createdAt: update.displayAt.toISOString(),
})

const overall: Record<ComponentStatus, { indicator: Indicator; description: string }> = {
  major_outage: { indicator: 'critical', description: 'Major System Outage' },
  partial_outage: { indicator: 'major', description: 'Partial System Outage' },
  degraded_performance: { indicator: 'minor', description: 'Partially Degraded Service' },
  under_maintenance: { indicator: 'maintenance', description: 'Service Under Maintenance' },
  operational: { indicator: 'none', description: 'All Systems Operational' },
}

/**
 * Worst displayed status. An open incident counts by its impact unless one of its components shows
 * an outage, so that a page with an open incident is never fully operational.
 */
export const worstShownStatus = (
  shown: readonly ShownComponent[],
  open: readonly Pick<IncidentDetails, 'incident' | 'components'>[],
): ComponentStatus => {
  const statusOf = new Map(
    shown.map((shownComponent) => [shownComponent.component.id, shownStatus(shownComponent)]),
  )
  const countedByImpact = open.filter(({ components }) =>
    components.every(({ componentId }) => isHealthy(statusOf.get(componentId) ?? 'operational')),
  )
  const statuses = [
    ...statusOf.values(),
    ...countedByImpact.map(({ incident }) => statusByImpact[incident.impact]),
  ]
  return statusesBySeverity.find((status) => statuses.includes(status)) ?? 'operational'
}

const isHealthy = (status: ComponentStatus): boolean =>
  status === 'operational' || status === 'under_maintenance'

export const overallStatus = (
  ...shown: Parameters<typeof worstShownStatus>
): PublicStatus['status'] => overall[worstShownStatus(...shown)]

export const toPublicPage = (
  page: StatusPageRow,
  updatedAt: Date,
  baseUrl: string,
): PublicStatus['page'] => ({
  id: page.id,
  name: page.name,
  slug: page.slug,
  description: page.description,
  url: pageUrl(baseUrl, page.slug),
  homepageUrl: page.homepageUrl,
  supportUrl: page.supportUrl,
  logoUrl: page.logoUrl,
  timezone: page.timezone,
  locale: page.locale,
  updatedAt: updatedAt.toISOString(),
})

export const toPublicMetric = (
  row: {
    id: string
    name: string
    unit: string | null
    decimalPlaces: number
    lastValue: number | null
    lastValueAt: Date | null
  },
  points: readonly { at: Date; value: number }[],
): PublicMetric => ({
  id: row.id,
  name: row.name,
  unit: row.unit,
  decimalPlaces: row.decimalPlaces,
  lastValue: row.lastValue,
  lastValueAt: row.lastValueAt?.toISOString() ?? null,
  points: points.map(({ at, value }) => ({ timestamp: at.toISOString(), value })),
})
