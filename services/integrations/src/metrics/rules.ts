/** Derives a status from a value by its thresholds, and the event of a change. Pure. */
import {
  type Check,
  type CheckStatus,
  type ComponentEventData,
  DEFAULT_LOCATION,
  type DerivedStatus,
  draftEvent,
  type EventDraft,
  type MetricFault,
  type MetricStatus,
  type MonitorEventData,
  monitorDegraded,
  monitorDown,
  monitorRecovered,
} from '@status-page/contracts'
import { checkFaultOf } from '../platforms/platform.ts'
import type { MetricRow, ValueRow } from '../tables.ts'

export type MetricThresholds = Pick<MetricRow, 'warningThreshold' | 'criticalThreshold'>

/**
 * True when critical is at or above warning, or only one of them is set; otherwise lower is worse.
 */
export const isHigherWorse = ({ warningThreshold, criticalThreshold }: MetricThresholds): boolean =>
  warningThreshold === null || criticalThreshold === null || criticalThreshold >= warningThreshold

export const statusOfValue = (value: number, thresholds: MetricThresholds): MetricStatus => {
  const higherIsWorse = isHigherWorse(thresholds)
  const reaches = (threshold: number | null) =>
    threshold !== null && (higherIsWorse ? value >= threshold : value <= threshold)
  if (reaches(thresholds.criticalThreshold)) return 'critical'
  return reaches(thresholds.warningThreshold) ? 'warning' : 'ok'
}

/** Result of one poll. */
export interface PollFinding {
  value: number | null
  fault: MetricFault | null
  /** Start of the query in epoch milliseconds. */
  polledAtMs: number
  durationMs: number
}

export const statusOf = (
  { value, fault }: Pick<PollFinding, 'value' | 'fault'>,
  thresholds: MetricThresholds,
): MetricStatus => {
  if (value !== null) return statusOfValue(value, thresholds)
  return fault === 'no_data' ? 'no_data' : 'error'
}

/** Derived status; null for no data and errors, which change nothing. */
const derived: Record<MetricStatus, DerivedStatus | null> = {
  ok: 'operational',
  warning: 'degraded_performance',
  critical: 'major_outage',
  no_data: null,
  error: null,
}

export const derivedOf = (status: MetricStatus): DerivedStatus | null => derived[status]

/** The three event kinds have the same data, so that one type represents them. */
const eventOf = {
  major_outage: monitorDown,
  degraded_performance: monitorDegraded,
  operational: monitorRecovered,
} as unknown as Record<DerivedStatus, typeof monitorDown>

export interface MetricChange {
  derivedStatus: DerivedStatus
  value: number
  /** ISO 8601. */
  since: string
  version: number
  isFlapping: boolean
}

/** Event of a change of the derived status, in the shape of the monitor's events. */
export const monitorEventOf = (
  metric: Pick<MetricRow, 'id' | 'name'> & MetricThresholds,
  { derivedStatus, value, since, version, isFlapping }: MetricChange,
): EventDraft => {
  const { id: componentId, name } = metric
  const reason = reasonOf(metric, derivedStatus, value)
  const monitor: MonitorEventData = { componentId, name, derivedStatus, since, reason, isFlapping }
  return draftEvent(eventOf[derivedStatus], { id: componentId, version }, { monitor })
}

/** Human-readable reason; contains no threshold or query, because channels may publish it. */
const reasonOf = (
  thresholds: MetricThresholds,
  status: DerivedStatus,
  value: number,
): string | null => {
  if (status === 'operational') return null
  const side = isHigherWorse(thresholds) ? 'high' : 'low'
  return `the value is too ${side}: ${Number(value.toPrecision(6))}`
}

/** Metric without the columns that the store maintains. */
export type MetricDefinition = Omit<
  MetricRow,
  'organizationId' | 'createdAt' | 'updatedAt' | 'deletedAt' | 'erasedAt'
>

/** Null for components without a metric. */
export const settingsOf = (
  component: ComponentEventData,
  { version, shard }: Pick<MetricDefinition, 'version' | 'shard'>,
): MetricDefinition | null => {
  const { id, name, isEnabled, metric } = component
  if (component.type !== 'METRIC' || metric == null) return null
  const { integrationId, query, pollingInterval, warningThreshold, criticalThreshold } = metric
  return {
    id,
    kind: 'component',
    integrationId,
    version,
    shard,
    name,
    query,
    aggregation: 'last',
    intervalSeconds: pollingInterval,
    isEnabled,
    warningThreshold,
    criticalThreshold,
    componentId: null,
    unit: null,
    decimalPlaces: 0,
    showOnStatusPage: false,
  }
}

const checkStatuses: Record<MetricStatus, CheckStatus> = {
  ok: 'SUCCESS',
  warning: 'DEGRADED',
  critical: 'FAILURE',
  no_data: 'ERROR',
  error: 'ERROR',
}

export const checkStatusOf = ({
  status,
  error,
}: Pick<ValueRow, 'status' | 'error'>): CheckStatus =>
  error === 'timeout' ? 'TIMEOUT' : checkStatuses[status]

const noTimings = { dns: null, connect: null, tls: null, firstByte: null }

/** Stored value in the shape of a check of the contract. */
export const checkOf = (row: ValueRow): Check => ({
  id: row.id,
  componentId: row.metricId,
  success: row.status === 'ok',
  status: checkStatusOf(row),
  statusCode: null,
  responseTime: row.durationMs,
  timestamp: row.polledAt.toISOString(),
  error: row.error === null ? null : checkFaultOf(row.error),
  conditionResults: [],
  value: row.value,
  trigger: 'schedule',
  timings: noTimings,
  location: DEFAULT_LOCATION,
})
