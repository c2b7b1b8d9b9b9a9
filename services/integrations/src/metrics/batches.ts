/**
 * Statements of jobs across organizations: loading metrics by shard and storing values in batches.
 */
import type {
  AnyIntegrationConfig,
  DerivedStatus,
  IntegrationType,
  MetricAggregation,
} from '@status-page/contracts'
import { asWorkerRaw, type Database, type RawSystemScope } from '@status-page/postgres'
import type { ErasedItems, WantedItems } from '@status-page/schedule'
import type { ValueRow } from '../tables.ts'

/** Metric with its platform and its state, as jobs load it. */
export interface LoadedMetric {
  organizationId: string
  id: string
  kind: 'query' | 'component'
  /** Changes with the metric and with its integration. */
  version: string
  shard: number
  query: string
  aggregation: MetricAggregation
  intervalMs: number
  warningThreshold: number | null
  criticalThreshold: number | null
  derivedStatus: DerivedStatus
  /** Slot of the newest value; null before the first. */
  polledSlotMs: number | null
  /** Platform with encrypted secrets. */
  integration: {
    organizationId: string
    id: string
    type: IntegrationType
    config: AnyIntegrationConfig
  }
}

interface MetricColumns {
  organization_id: string
  id: string
  kind: LoadedMetric['kind']
  version: string
  shard: number
  query: string
  aggregation: MetricAggregation
  interval_seconds: number
  warning_threshold: number | null
  critical_threshold: number | null
  derived_status: DerivedStatus
  polled_slot_at: Date | null
  integration_id: string
  type: IntegrationType
  config: AnyIntegrationConfig
}

/** Enabled metrics of the shards, or by id of a metric or integration. */
export const loadMetrics = (database: Database, wanted: WantedItems): Promise<LoadedMetric[]> =>
  asWorkerRaw(database, async ({ sql }) => {
    const which =
      'shards' in wanted
        ? sql`m.shard = ANY (${[...wanted.shards]}::smallint[])`
        : sql`(m.id = ANY (${[...wanted.ids]}::uuid[])
            OR m.integration_id = ANY (${[...wanted.ids]}::uuid[]))`
    const rows = await sql<MetricColumns[]>`
      SELECT m.organization_id, m.id, m.kind, ${versionOf(sql)} AS version, m.shard, m.query,
        m.aggregation, m.interval_seconds, m.warning_threshold, m.critical_threshold,
        s.derived_status, s.polled_slot_at, i.id AS integration_id, i.type, i.config
      FROM metrics m
      JOIN metric_states s ON s.organization_id = m.organization_id AND s.metric_id = m.id
      JOIN integrations i ON i.organization_id = m.organization_id AND i.id = m.integration_id
      WHERE ${which} AND m.is_enabled AND m.deleted_at IS NULL AND i.is_enabled`
    return rows.map(loadedMetric)
  })

const loadedMetric = (row: MetricColumns): LoadedMetric => ({
  organizationId: row.organization_id,
  id: row.id,
  kind: row.kind,
  version: row.version,
  shard: row.shard,
  query: row.query,
  aggregation: row.aggregation,
  intervalMs: row.interval_seconds * 1000,
  warningThreshold: row.warning_threshold,
  criticalThreshold: row.critical_threshold,
  derivedStatus: row.derived_status,
  polledSlotMs: row.polled_slot_at?.getTime() ?? null,
  integration: {
    organizationId: row.organization_id,
    id: row.integration_id,
    type: row.type,
    config: row.config,
  },
})

/** Versions of the enabled metrics of the shards, to find lost notifications. */
export const loadVersions = (
  database: Database,
  shards: readonly number[],
): Promise<Map<string, string>> =>
  asWorkerRaw(database, async ({ sql }) => {
    const rows = await sql<{ id: string; version: string }[]>`
      SELECT m.id, ${versionOf(sql)} AS version FROM metrics m
      JOIN integrations i ON i.organization_id = m.organization_id AND i.id = m.integration_id
      WHERE m.shard = ANY (${[...shards]}::smallint[]) AND m.is_enabled
        AND m.deleted_at IS NULL AND i.is_enabled`
    return new Map(rows.map(({ id, version }) => [id, version]))
  })

const versionOf = (sql: Sql) => sql`concat(m.version, ':', i.version)`

/** Stores values, their summaries by five minutes and by the hour, and the changed states. */
export const storeBatch = (database: Database, rows: readonly ValueRow[]): Promise<void> =>
  asWorkerRaw(database, async ({ sql }) => {
    await sql`
      WITH given AS (
        SELECT * FROM unnest(${columnsOf(sql, rows)}) AS g(organization_id, metric_id, slot_at, id,
          polled_at, status, error, value, duration_ms)),
      stored AS (
        INSERT INTO metric_values (organization_id, metric_id, slot_at, id, polled_at, status,
          error, value, duration_ms)
        SELECT organization_id, metric_id, slot_at, id, polled_at, status, error, value, duration_ms
        FROM given ON CONFLICT DO NOTHING
        RETURNING organization_id, metric_id, slot_at, value),
      rolled AS (
        INSERT INTO metric_rollups AS r (organization_id, metric_id, seconds, at, polls, "values",
          sum, min, max)
        SELECT organization_id, metric_id, width.seconds,
          date_bin(make_interval(secs => width.seconds), slot_at, 'epoch'::timestamptz),
          count(*), count(value), coalesce(sum(value), 0), min(value), max(value)
        FROM stored CROSS JOIN (VALUES (300::smallint), (3600::smallint)) AS width(seconds)
        GROUP BY 1, 2, 3, 4
        ON CONFLICT (organization_id, metric_id, seconds, at) DO UPDATE SET
          polls = r.polls + EXCLUDED.polls, "values" = r."values" + EXCLUDED."values",
          sum = r.sum + EXCLUDED.sum, min = least(r.min, EXCLUDED.min),
          max = greatest(r.max, EXCLUDED.max))
      UPDATE metric_states s SET polled_slot_at = n.slot_at, polled_at = n.polled_at,
        status = n.status, error = n.error,
        last_value = coalesce(n.value, s.last_value),
        last_value_at = CASE WHEN n.value IS NULL THEN s.last_value_at ELSE n.polled_at END
      FROM (SELECT DISTINCT ON (metric_id) g.* FROM given g
        JOIN stored USING (organization_id, metric_id, slot_at)
        ORDER BY metric_id, slot_at DESC) n
      WHERE s.organization_id = n.organization_id AND s.metric_id = n.metric_id
        AND (s.polled_slot_at IS NULL OR s.polled_slot_at < n.slot_at)`
  })

type Sql = RawSystemScope['sql']

const columnsOf = (sql: Sql, rows: readonly ValueRow[]) => {
  const column = <T>(read: (row: ValueRow) => T) => rows.map(read) as never
  return sql`
    ${column((row) => row.organizationId)}::uuid[],
    ${column((row) => row.metricId)}::uuid[],
    ${column((row) => row.slotAt.toISOString())}::timestamptz[],
    ${column((row) => row.id)}::uuid[],
    ${column((row) => row.polledAt.toISOString())}::timestamptz[],
    ${column((row) => row.status)}::text[],
    ${column((row) => row.error)}::text[],
    ${column((row) => row.value)}::float8[],
    ${column((row) => row.durationMs)}::int[]`
}

export const deletedMetrics: ErasedItems = {
  table: 'metrics',
  key: 'id',
  async eraseResults(sql, { organizationId, id }, limit) {
    const { count } = await sql`
      DELETE FROM metric_values WHERE (organization_id, metric_id, slot_at) IN (
        SELECT organization_id, metric_id, slot_at FROM metric_values
        WHERE organization_id = ${organizationId} AND metric_id = ${id} LIMIT ${limit})`
    return count
  },
  async eraseSummaries(sql, { organizationId, id }) {
    await sql`DELETE FROM metric_rollups
      WHERE organization_id = ${organizationId} AND metric_id = ${id}`
  },
}

/** Retention of hourly summaries: one year and a leap day. */
const HOURS_KEPT_DAYS = 367

/** Creates the partitions of the coming days and drops expired ones. */
export const keepPartitions = async (database: Database, keptDays: number): Promise<void> => {
  await database.batchSql`SELECT create_value_partitions(3) + drop_value_partitions(${keptDays}::int)`
  await asWorkerRaw(
    database,
    ({ sql }) => sql`DELETE FROM metric_rollups
      WHERE (seconds = 300 AND at < now() - ${keptDays} * interval '1 day')
        OR (seconds = 3600 AND at < now() - ${HOURS_KEPT_DAYS} * interval '1 day')`,
  )
}
