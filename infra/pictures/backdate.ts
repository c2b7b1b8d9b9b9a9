/** Back-dates Northwind's data in SQL, because the API accepts no history of ninety days. */
import { newId } from '@status-page/postgres'
import type postgres from 'postgres'
import { type ComponentIds, type CreatedIncident, outages } from './northwind.ts'

const DAY_MS = 86_400_000
const QUARTER_MS = DAY_MS / 96
const AGE_MS = 120 * DAY_MS

const ago = (ms: number): Date => new Date(Date.now() - ms)

/** Back-dates components and inserts their outages. */
export const backdateComponents = async (sql: postgres.Sql, ids: ComponentIds): Promise<void> => {
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

/** Back-dates the incident and its updates. */
export const backdateIncident = async (
  sql: postgres.Sql,
  { id, updates }: CreatedIncident,
): Promise<void> => {
  const rows = await sql<{ id: string }[]>`
    SELECT id FROM core.incident_updates WHERE incident_id = ${id} ORDER BY incident_version`
  for (const [index, update] of rows.entries()) {
    const at = ago(updates[index]?.agoMs ?? 0)
    await sql`UPDATE core.incident_updates SET display_at = ${at}, created_at = ${at},
      updated_at = ${at} WHERE id = ${update.id}`
  }
  const [start, end] = [ago(updates[0]?.agoMs ?? 0), ago(updates.at(-1)?.agoMs ?? 0)]
  await sql`UPDATE core.incidents SET started_at = ${start}, created_at = ${start},
    updated_at = ${end}, resolved_at = CASE WHEN resolved_at IS NOT NULL THEN ${end}::timestamptz END
    WHERE id = ${id}`
}

/** Back-dates the creation of maintenances, so that they are not the latest change. */
export const backdateMaintenances = async (sql: postgres.Sql): Promise<void> => {
  const at = ago(4 * DAY_MS)
  await sql`UPDATE core.maintenances SET created_at = ${at}, updated_at = ${at}`
  await sql`UPDATE core.maintenance_updates SET created_at = ${at}, display_at = ${at}`
}

/** Back-dates the status of affected components to the start of the incident. */
export const backdateAffectedStatuses = async (
  sql: postgres.Sql,
  { updates }: CreatedIncident,
): Promise<void> => {
  const start = ago(updates[0]?.agoMs ?? 0)
  await sql`UPDATE core.component_status_intervals SET ended_at = ${start}
    WHERE ended_at > ${start}`
  await sql`UPDATE core.component_status_intervals SET started_at = ${start}
    WHERE ended_at IS NULL AND status <> 'operational'`
  await sql`UPDATE core.components SET status_changed_at = ${start} WHERE status <> 'operational'`
}

/** Inserts a day of metric values: slower by noon than by night. */
export const insertMetricDay = async (sql: postgres.Sql): Promise<void> => {
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
