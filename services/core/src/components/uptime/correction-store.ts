/** Rewrites the status history of components after a change of their corrections, in SQL. */
import { isDeepStrictEqual } from 'node:util'
import { invalid } from '@status-page/contracts'
import type { Scope } from '@status-page/postgres'
import { runCooperatively } from '@status-page/service'
import { sql } from 'drizzle-orm'
import type { ComponentRow } from '../../tables.ts'
import { type CorrectedInterval, correctIntervals, type StatusSpan } from './corrections.ts'
import type { TimeSpan } from './uptime.ts'

/** Maximum number of intervals that one correction reads and writes. */
const MAX_INTERVALS = 50_000
const INSERT_ROWS = 5_000

type CorrectedComponent = Pick<ComponentRow, 'id' | 'createdAt'>

/** Applies the stored corrections to the histories in the span. The components must be locked. */
export const correctStatusHistory = async (
  scope: Scope,
  components: readonly CorrectedComponent[],
  span: TimeSpan,
): Promise<void> => {
  if (components.length === 0) return
  const histories = await intervalsInSpan(scope, components, span)
  const corrections = await correctionsOf(scope, [...histories.keys()])
  const rewritten: RewrittenHistory[] = []
  for (const { id, createdAt } of components) {
    const before = histories.get(id) ?? []
    const after = await runCooperatively(
      correctIntervals(before, corrections.get(id) ?? [], earlierThan(createdAt, span)),
    )
    if (!areEqual(before, after)) rewritten.push({ id, before, after })
  }
  await replaceIntervals(scope, rewritten)
}

const areEqual = (
  before: readonly CorrectedInterval[],
  after: readonly CorrectedInterval[],
): boolean =>
  before.length === after.length &&
  before.every((interval, index) => isDeepStrictEqual(interval, after[index]))

/** Time of creation when the span begins before it. */
const earlierThan = (createdAt: Date, { from }: TimeSpan): number | null =>
  createdAt.getTime() >= from ? createdAt.getTime() : null

type IntervalRow = {
  component_id: string
  status: CorrectedInterval['status']
  source: CorrectedInterval['source']
  started_at: string
  ended_at: string | null
  recorded_status: CorrectedInterval['recordedStatus']
  recorded_source: CorrectedInterval['recordedSource']
}

/**
 * Intervals that overlap or adjoin the span; all earlier ones too when the span begins before the
 * creation of the component.
 */
const intervalsInSpan = async (
  { tx, organizationId }: Scope,
  components: readonly CorrectedComponent[],
  span: TimeSpan,
): Promise<Map<string, CorrectedInterval[]>> => {
  const wanted = components.map(({ id, createdAt }) => ({
    id,
    since: earlierThan(createdAt, span) === null ? toIsoTime(span.from) : '-infinity',
  }))
  const rows = await tx.execute<IntervalRow>(sql`
    SELECT i.* FROM jsonb_to_recordset(${JSON.stringify(wanted)}::jsonb)
      AS wanted(id uuid, since timestamptz)
    CROSS JOIN LATERAL (SELECT coalesce(max(f.started_at), '-infinity') AS at
      FROM component_status_intervals f WHERE f.organization_id = ${organizationId}
        AND f.component_id = wanted.id AND f.started_at < wanted.since) AS first
    CROSS JOIN LATERAL (
      SELECT component_id, status, source, started_at, ended_at, recorded_status, recorded_source
      FROM component_status_intervals
      WHERE organization_id = ${organizationId} AND component_id = wanted.id
        AND started_at >= first.at AND started_at <= ${toIsoTime(span.to)}::timestamptz
      ORDER BY started_at OFFSET 0) AS i
    LIMIT ${MAX_INTERVALS + 1}`)
  if (rows.length > MAX_INTERVALS) {
    const message = `startedAt to resolvedAt covers more than ${MAX_INTERVALS} status changes`
    throw invalid({ field: 'startedAt', message })
  }
  const histories = new Map<string, CorrectedInterval[]>(components.map(({ id }) => [id, []]))
  for (const row of rows) histories.get(row.component_id)?.push(intervalOf(row))
  return histories
}

const intervalOf = (row: IntervalRow): CorrectedInterval => ({
  status: row.status,
  source: row.source,
  startedAt: Date.parse(row.started_at),
  endedAt: row.ended_at === null ? null : Date.parse(row.ended_at),
  recordedStatus: row.recorded_status,
  recordedSource: row.recorded_source,
})

type SpanRow = {
  component_id: string
  status: StatusSpan['status']
  started_at: string
  ended_at: string
}

const correctionsOf = async (
  { tx, organizationId }: Scope,
  ids: readonly string[],
): Promise<Map<string, StatusSpan[]>> => {
  const rows = await tx.execute<SpanRow>(sql`
    SELECT component_id, status, started_at, ended_at FROM incident_status_spans
    WHERE organization_id = ${organizationId}
      AND component_id = ANY (${sql.param([...ids])}::uuid[])`)
  const spans = new Map<string, StatusSpan[]>(ids.map((id) => [id, []]))
  for (const { component_id: id, status, started_at: from, ended_at: to } of rows) {
    spans.get(id)?.push({ status, from: Date.parse(from), to: Date.parse(to) })
  }
  return spans
}

interface RewrittenHistory {
  id: string
  before: readonly CorrectedInterval[]
  after: readonly CorrectedInterval[]
}

const replaceIntervals = async (
  { tx, organizationId }: Scope,
  rewritten: readonly RewrittenHistory[],
): Promise<void> => {
  if (rewritten.length === 0) return
  const old = rewritten.flatMap(({ id, before }) => {
    const [first, last] = [before.at(0), before.at(-1)]
    if (first === undefined || last === undefined) return []
    return { id, from: toIsoTime(first.startedAt), to: toIsoTime(last.startedAt) }
  })
  await tx.execute(sql`
    DELETE FROM component_status_intervals i
    USING jsonb_to_recordset(${JSON.stringify(old)}::jsonb)
      AS old(id uuid, "from" timestamptz, "to" timestamptz)
    WHERE i.organization_id = ${organizationId} AND i.component_id = old.id
      AND i.started_at BETWEEN old."from" AND old."to"`)
  const rows = rewritten.flatMap(({ id, after }) => after.map((interval) => rowOf(id, interval)))
  for (let start = 0; start < rows.length; start += INSERT_ROWS) {
    const chunk = rows.slice(start, start + INSERT_ROWS)
    await tx.execute(sql`
      INSERT INTO component_status_intervals (organization_id, component_id, started_at, ended_at,
        status, source, recorded_status, recorded_source)
      SELECT ${organizationId}, r.* FROM jsonb_to_recordset(${JSON.stringify(chunk)}::jsonb)
        AS r(component_id uuid, started_at timestamptz, ended_at timestamptz, status text,
          source text, recorded_status text, recorded_source text)`)
  }
}

const rowOf = (id: string, interval: CorrectedInterval): IntervalRow => ({
  component_id: id,
  started_at: toIsoTime(interval.startedAt),
  ended_at: interval.endedAt === null ? null : toIsoTime(interval.endedAt),
  status: interval.status,
  source: interval.source,
  recorded_status: interval.recordedStatus,
  recorded_source: interval.recordedSource,
})

const toIsoTime = (milliseconds: number): string => new Date(milliseconds).toISOString()
