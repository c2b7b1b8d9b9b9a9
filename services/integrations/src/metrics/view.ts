/** Metric queries as the API and the audit log show them, and their changes. Pure. */
import {
  auditChanges,
  draftEvent,
  type EventDraft,
  MetricQuery,
  type MetricQueryPatch,
  metricQueryCreated,
  metricQueryDeleted,
  metricQueryUpdated,
  NewMetricQuery,
  viewOf,
} from '@status-page/contracts'
import type { MetricRow } from '../tables.ts'
import type { MetricDefinition } from './rules.ts'
import type { StoredMetric } from './store.ts'

/** Defaults of the contract; a field without a default is null. */
const defaults: Readonly<Record<string, unknown>> = Object.fromEntries(
  Object.entries(NewMetricQuery.properties as Record<string, { default?: unknown }>).map(
    ([name, field]) => [name, field.default ?? null],
  ),
)

type Owner = Pick<MetricDefinition, 'id' | 'integrationId' | 'shard'>

export const makeQuery = (body: NewMetricQuery, owner: Owner): MetricDefinition => ({
  ...settingsFrom({ ...defaults, ...body } as Required<NewMetricQuery>),
  ...owner,
  kind: 'query',
  version: 1,
})

/**
 * Changed definition; null when the change has no effect. A null value clears a field or restores
 * its default.
 */
export const changeQuery = (row: MetricRow, patch: MetricQueryPatch): MetricDefinition | null => {
  const given = Object.entries(patch).filter(([, value]) => value !== undefined)
  const cleared = given.map(([name, value]) => [name, value ?? defaults[name]])
  const before = choicesOf(row)
  const after = { ...before, ...Object.fromEntries(cleared) } as Required<NewMetricQuery>
  if (JSON.stringify(after) === JSON.stringify(before)) return null
  const { id, integrationId, shard, version } = row
  return { ...settingsFrom(after), id, integrationId, shard, kind: 'query', version: version + 1 }
}

const settingsFrom = (
  choices: Required<NewMetricQuery>,
): Omit<MetricDefinition, 'id' | 'kind' | 'integrationId' | 'version' | 'shard'> => {
  const { pollingInterval: intervalSeconds, ...others } = choices
  return { ...others, intervalSeconds }
}

const choicesOf = (row: MetricDefinition | MetricRow) => ({
  name: row.name,
  query: row.query,
  componentId: row.componentId,
  unit: row.unit,
  decimalPlaces: row.decimalPlaces,
  aggregation: row.aggregation,
  pollingInterval: row.intervalSeconds,
  warningThreshold: row.warningThreshold,
  criticalThreshold: row.criticalThreshold,
  showOnStatusPage: row.showOnStatusPage,
  isEnabled: row.isEnabled,
})

export const presentQuery = ({ row, state }: StoredMetric): MetricQuery =>
  viewOf(MetricQuery, {
    ...row,
    pollingInterval: row.intervalSeconds,
    lastValue: state.lastValue,
    lastValueAt: state.lastValueAt,
    lastStatus: state.status,
    lastError: state.error,
  })

/** Event of a metric query for pages. */
export const stateQuery = (
  verb: 'created' | 'updated' | 'deleted',
  settings: Pick<
    MetricDefinition,
    | 'id'
    | 'integrationId'
    | 'componentId'
    | 'name'
    | 'unit'
    | 'decimalPlaces'
    | 'showOnStatusPage'
    | 'isEnabled'
    | 'version'
  >,
): EventDraft => {
  const { id, integrationId, componentId, name, unit, decimalPlaces } = settings
  const isShown = settings.showOnStatusPage && settings.isEnabled && verb !== 'deleted'
  const data = { id, integrationId, componentId, name, unit, decimalPlaces, isShown }
  const version = verb === 'deleted' ? settings.version + 1 : settings.version
  return draftEvent(stated[verb], { id, version }, { metricQuery: data })
}

const stated = {
  created: metricQueryCreated,
  updated: metricQueryUpdated,
  deleted: metricQueryDeleted,
}

export const auditQuery = auditChanges<MetricDefinition | MetricRow>('metric_query', choicesOf)
