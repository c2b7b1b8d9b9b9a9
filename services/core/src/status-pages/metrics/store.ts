/** Metrics shown on pages, in SQL: copies of metric queries and the means of their last month. */
import {
  type MetricQueryEventData,
  type MetricRange,
  type MetricSummary,
  metricRanges,
} from '@status-page/contracts'
import type { Scope } from '@status-page/postgres'
import { and, asc, eq, inArray, lt, sql } from 'drizzle-orm'
import { pageMetricPoints, pageMetrics } from '../../tables.ts'

export const DAY_MS = 86_400_000
const MAX_PAGE_METRICS = 50

/** Ignores versions older than the stored one. */
export const saveMetric = async (
  { tx, organizationId }: Scope,
  { id, ...fields }: MetricQueryEventData,
  version: number,
): Promise<void> => {
  const set = { version, ...fields }
  await tx
    .insert(pageMetrics)
    .values({ organizationId, id, ...set })
    .onConflictDoUpdate({
      target: [pageMetrics.organizationId, pageMetrics.id],
      set,
      setWhere: sql`${pageMetrics.version} < excluded.version`,
    })
}

/** Hides metrics whose integration was deleted. */
export const hideMetricsOfIntegration = async (
  { tx, organizationId }: Scope,
  integrationId: string,
): Promise<void> => {
  await tx
    .update(pageMetrics)
    .set({ isShown: false })
    .where(
      and(
        eq(pageMetrics.organizationId, organizationId),
        eq(pageMetrics.integrationId, integrationId),
      ),
    )
}

/** Ignores older values; the mean of the current quarter of an hour is replaced until it ends. */
export const saveQuarterHourMeans = async (
  { tx, organizationId, now }: Scope,
  summaries: readonly MetricSummary[],
): Promise<void> => {
  if (summaries.length === 0) return
  const given = sql`jsonb_to_recordset(${JSON.stringify(summaries)}::jsonb) AS given(
    id uuid, "lastValue" double precision, "lastValueAt" timestamptz, means jsonb)`
  await tx.execute(sql`
    UPDATE page_metrics m SET last_value = given."lastValue", last_value_at = given."lastValueAt"
    FROM ${given} WHERE m.organization_id = ${organizationId} AND m.id = given.id
      AND (m.last_value_at IS NULL OR m.last_value_at <= given."lastValueAt")`)
  await tx.execute(sql`
    INSERT INTO page_metric_points (organization_id, metric_id, at, value)
    SELECT m.organization_id, m.id, (mean ->> 'timestamp')::timestamptz, (mean ->> 'value')::float8
    FROM ${given} CROSS JOIN jsonb_array_elements(given.means) mean
    JOIN page_metrics m ON m.organization_id = ${organizationId} AND m.id = given.id
    ON CONFLICT (organization_id, metric_id, at) DO UPDATE SET value = excluded.value`)
  await tx.delete(pageMetricPoints).where(
    and(
      eq(pageMetricPoints.organizationId, organizationId),
      inArray(
        pageMetricPoints.metricId,
        summaries.map(({ id }) => id),
      ),
      lt(pageMetricPoints.at, new Date(now.getTime() - metricRanges.month.days * DAY_MS)),
    ),
  )
}

/** Metrics that pages may show, by name, each with the points of the range, oldest first. */
export const listVisibleMetrics = async (
  { tx, organizationId, now }: Scope,
  range: MetricRange,
) => {
  const rows = await tx
    .select()
    .from(pageMetrics)
    .where(and(eq(pageMetrics.organizationId, organizationId), eq(pageMetrics.isShown, true)))
    .orderBy(asc(pageMetrics.name), asc(pageMetrics.id))
    .limit(MAX_PAGE_METRICS)
  if (rows.length === 0) return []
  const { days, stepMinutes } = metricRanges[range]
  const since = new Date(now.getTime() - days * DAY_MS).toISOString()
  const points = await tx.execute<{ metric_id: string; at: string; value: number }>(sql`
    SELECT metric_id, date_bin(make_interval(mins => ${stepMinutes}), at, 'epoch') AS at,
      avg(value) AS value
    FROM page_metric_points WHERE organization_id = ${organizationId}
      AND metric_id = ANY(${sql.param(rows.map(({ id }) => id))}::uuid[])
      AND at > ${since}::timestamptz
    GROUP BY 1, 2 ORDER BY 2`)
  const byMetric = Map.groupBy(points, (point) => point.metric_id)
  return rows.map((row) => ({
    row,
    points: (byMetric.get(row.id) ?? []).map(({ at, value }) => ({ at: new Date(at), value })),
  }))
}
