/** Gives Northwind a past, in SQL: no request can say that something happened ninety days ago. */
import { newId } from '@status-page/postgres'
import type postgres from 'postgres'
import { type Ids, type Made, outages } from './northwind.ts'

const DAY_MS = 86_400_000
const QUARTER_MS = DAY_MS / 96
const AGE_MS = 120 * DAY_MS

const ago = (ms: number): Date => new Date(Date.now() - ms)

/** Components are old, and were as the outages say. */
export const ageComponents = async (sql: postgres.Sql, ids: Ids): Promise<void> => {
  await sql`UPDATE core.components SET created_at = ${ago(AGE_MS)},
    status_changed_at = ${ago(AGE_MS)}`
  await sql`UPDATE core.status_pages SET created_at = ${ago(AGE_MS)},
    updated_at = ${ago(AGE_MS)}`
  await sql`DELETE FROM core.component_status_intervals`
  for (const [name, id] of Object.entries(ids)) {
    const own = outages
      .filter(({ component }) => component === name)
      .toSorted((left, right) => right.startedMs - left.startedMs)
    let free = ago(AGE_MS)
    for (const { status, startedMs, lastedMs } of own) {
      const [start, end] = [ago(startedMs), ago(startedMs - lastedMs)]
      await addInterval(sql, id, { status: 'operational', from: free, to: start })
      await addInterval(sql, id, { status, from: start, to: end })
      free = end
    }
    await addInterval(sql, id, { status: 'operational', from: free, to: null })
  }
}

const addInterval = (
  sql: postgres.Sql,
  componentId: string,
  { status, from, to }: { status: string; from: Date; to: Date | null },
) => sql`
  INSERT INTO core.component_status_intervals
  SELECT organization_id, id, ${from}, ${to}, ${status}, 'incident' FROM core.components
  WHERE id = ${componentId}`

/** Told when its story says so, not a moment ago. */
export const ageIncident = async (sql: postgres.Sql, { id, told }: Made): Promise<void> => {
  const updates = await sql<{ id: string }[]>`
    SELECT id FROM core.incident_updates WHERE incident_id = ${id} ORDER BY incident_version`
  for (const [index, update] of updates.entries()) {
    const at = ago(told[index]?.agoMs ?? 0)
    await sql`UPDATE core.incident_updates SET display_at = ${at}, created_at = ${at},
      updated_at = ${at} WHERE id = ${update.id}`
  }
  const [start, end] = [ago(told[0]?.agoMs ?? 0), ago(told.at(-1)?.agoMs ?? 0)]
  await sql`UPDATE core.incidents SET started_at = ${start}, created_at = ${start},
    updated_at = ${end}, resolved_at = CASE WHEN resolved_at IS NOT NULL THEN ${end}::timestamptz END
    WHERE id = ${id}`
}

/** Planned long ago, so that it is not what changed last. */
export const agePlans = async (sql: postgres.Sql): Promise<void> => {
  const at = ago(4 * DAY_MS)
  await sql`UPDATE core.maintenances SET created_at = ${at}, updated_at = ${at}`
  await sql`UPDATE core.maintenance_updates SET created_at = ${at}, display_at = ${at}`
}

/** What is not operational now has not been since the incident began. */
export const ageOutage = async (sql: postgres.Sql, { told }: Made): Promise<void> => {
  const start = ago(told[0]?.agoMs ?? 0)
  await sql`UPDATE core.component_status_intervals SET ended_at = ${start}
    WHERE ended_at > ${start}`
  await sql`UPDATE core.component_status_intervals SET started_at = ${start}
    WHERE ended_at IS NULL AND status <> 'operational'`
  await sql`UPDATE core.components SET status_changed_at = ${start} WHERE status <> 'operational'`
}

/** A day of a figure: slower by noon than by night. */
export const addFigure = async (sql: postgres.Sql): Promise<void> => {
  const id = newId()
  const last = Math.floor(Date.now() / QUARTER_MS) * QUARTER_MS
  const valueAt = (at: number) =>
    118 - 42 * Math.cos((2 * Math.PI * at) / DAY_MS) + 9 * Math.sin(at / 2_700_000)
  await sql`
    INSERT INTO core.page_metrics (organization_id, id, version, integration_id, component_id,
      name, unit, decimal_places, is_shown, last_value, last_value_at)
    SELECT organization_id, ${id}, 1, ${newId()}, NULL, 'Checkout response time', 'ms', 0, true,
      ${valueAt(last)}, ${new Date(last)} FROM core.status_pages LIMIT 1`
  for (let at = last - DAY_MS + QUARTER_MS; at <= last; at += QUARTER_MS) {
    await sql`INSERT INTO core.page_metric_points
      SELECT organization_id, id, ${new Date(at)}, ${valueAt(at)} FROM core.page_metrics`
  }
}
