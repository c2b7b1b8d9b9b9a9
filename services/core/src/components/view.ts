/** Representation of a component in the API: its row, and values computed from its history. */
import {
  Component,
  type Monitor,
  probeKindOf,
  type StatusPeriod,
  viewOf,
} from '@status-page/contracts'
import type { Scope } from '@status-page/postgres'
import type { ComponentRow } from '../tables.ts'
import { readableCheck } from './request-headers.ts'
import { type StatusPeriodRow, statusHistorySince } from './uptime/history.ts'
import {
  DAY_MS,
  historyStart,
  type StatusInterval,
  UPTIME_DAYS,
  uptimePercentage,
} from './uptime/uptime.ts'

const SECOND_MS = 1_000

/** Components in the order of the rows; one query reads the history of all. */
export const presentComponents = async (
  scope: Scope,
  rows: readonly ComponentRow[],
): Promise<Component[]> => {
  const from = new Date(scope.now.getTime() - UPTIME_DAYS * DAY_MS)
  const histories = await statusHistorySince(
    scope,
    rows.map(({ id }) => id),
    from,
  )
  return componentsOf(rows, histories, scope.now)
}

/** Components in the order of the rows; the histories begin no later than the days of uptime. */
export const componentsOf = (
  rows: readonly ComponentRow[],
  histories: ReadonlyMap<string, readonly StatusInterval[]>,
  now: Date,
): Component[] => rows.map((row) => componentOf(row, histories.get(row.id) ?? [], now))

const componentOf = (
  row: ComponentRow,
  history: readonly StatusInterval[],
  now: Date,
): Component => {
  const window = {
    from: Math.max(historyStart(row.createdAt, history), now.getTime() - UPTIME_DAYS * DAY_MS),
    to: now.getTime(),
  }
  const isService = row.type === 'SERVICE'
  const isMetric = row.metric !== null
  return viewOf(Component, {
    ...row,
    ...readableCheck(row.endpoint),
    ...row.metric,
    lastValue: isMetric ? row.lastValue : undefined,
    lastValueAt: isMetric ? row.lastValueAt : undefined,
    upstream: isService ? row.upstream : undefined,
    vendorReport: isService ? row.vendorReport : undefined,
    uptimePercentage: uptimePercentage(history, window),
  })
}

export const presentStatusPeriod = (row: StatusPeriodRow, now: Date): StatusPeriod => ({
  status: row.status,
  source: row.source,
  startedAt: row.startedAt.toISOString(),
  endedAt: row.endedAt?.toISOString() ?? null,
  seconds: ((row.endedAt ?? now).getTime() - row.startedAt.getTime()) / SECOND_MS,
})

/**
 * Monitors of a component: one for an ENDPOINT or a METRIC, even before its first check; none for a
 * SERVICE.
 */
export const monitorsOf = (component: Component, known: Monitor | undefined): Monitor[] => {
  const { checkInterval, pollingInterval, periodSeconds, isEnabled } = component
  if (component.type === 'SERVICE') return []
  const unchecked: Monitor = {
    kind: probeKindOf(component) ?? 'metric',
    isEnabled,
    interval: checkInterval ?? pollingInterval ?? periodSeconds ?? null,
    derivedStatus: 'operational',
    consecutiveFailures: 0,
    consecutiveSuccesses: 0,
    lastCheckAt: null,
    nextCheckAt: null,
    certificateExpiresAt: null,
    certificateSubject: null,
    certificateIssuer: null,
    isFlapping: false,
    unservedLocations: [],
  }
  return [known ?? unchecked]
}
