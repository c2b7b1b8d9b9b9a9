/** Many components in a few statements, however many there are; marks of the batches that took effect. */
import { MAX_DEFINITIONS } from '@status-page/contracts'
import type { Scope } from '@status-page/postgres'
import { and, eq, getTableColumns, gt, lt, type SQL, sql } from 'drizzle-orm'
import { lockComponents, raiseVersions } from '../components/store.ts'
import { type ComponentRow, componentBatches, components } from '../tables.ts'

/** Longer than any apply stays open. */
const MARKS_KEPT_MS = 7 * 86_400_000

/** False where the batch has taken effect before. */
export const markBatch = async (scope: Scope, id: string): Promise<boolean> => {
  const { tx, organizationId, now } = scope
  const old = lt(componentBatches.createdAt, new Date(now.getTime() - MARKS_KEPT_MS))
  await tx
    .delete(componentBatches)
    .where(and(eq(componentBatches.organizationId, organizationId), old))
  const marked = await tx
    .insert(componentBatches)
    .values({ organizationId, id, createdAt: now })
    .onConflictDoNothing()
    .returning({ id: componentBatches.id })
  return marked.length > 0
}

/** One page of all components, by id. */
export const componentsAfter = (scope: Scope, after: string | null): Promise<ComponentRow[]> =>
  scope.tx
    .select()
    .from(components)
    .where(
      and(
        eq(components.organizationId, scope.organizationId),
        after === null ? undefined : gt(components.id, after),
      ),
    )
    .orderBy(components.id)
    .limit(MAX_DEFINITIONS)

/** So many rows are read in about ten milliseconds. */
const ROWS_AT_ONCE = 250

/** In the order of ids, as whoever else locks components. */
const inParts = async <Result>(
  ids: readonly string[],
  work: (part: readonly string[]) => Promise<Iterable<Result>>,
): Promise<Result[]> => {
  const ordered = ids.toSorted()
  const results: Result[] = []
  for (let from = 0; from < ordered.length; from += ROWS_AT_ONCE) {
    results.push(...(await work(ordered.slice(from, from + ROWS_AT_ONCE))))
  }
  return results
}

/** As `lockComponents`, of many. */
export const lockAll = async (
  scope: Scope,
  ids: readonly string[],
): Promise<Map<string, ComponentRow>> =>
  new Map(await inParts(ids, (part) => lockComponents(scope, part)))

/** As `raiseVersions`, of many. */
export const raiseAll = (scope: Scope, ids: readonly string[]): Promise<ComponentRow[]> =>
  inParts(ids, (part) => raiseVersions(scope, part))

/** Of each component of the organization, by id. */
export interface Tree {
  parents: Map<string, string | null>
  names: Map<string, string>
}

export const wholeTree = async (scope: Scope): Promise<Tree> => {
  const { id, name, parentComponentId, organizationId } = components
  const rows = await scope.tx
    .select({ id, name, parentComponentId })
    .from(components)
    .where(eq(organizationId, scope.organizationId))
  return {
    parents: new Map(rows.map((row) => [row.id, row.parentComponentId])),
    names: new Map(rows.map((row) => [row.id, row.name])),
  }
}

/** With the first interval of their history. */
export const insertComponents = async (
  { tx }: Scope,
  rows: readonly ComponentRow[],
): Promise<void> => {
  if (rows.length === 0) return
  const names = sql.join(columns.map(nameOf), sql`, `)
  await tx.execute(sql`
    WITH made AS (
      INSERT INTO components (${names}) SELECT ${names} FROM ${recordsOf(rows)}
      RETURNING organization_id, id, created_at, status, status_source)
    INSERT INTO component_status_intervals (organization_id, component_id, started_at, status, source)
    SELECT organization_id, id, created_at, status, status_source FROM made`)
}

/** Definitions and versions; status and history stay as they are. */
export const saveDefinitions = async (
  { tx, organizationId }: Scope,
  rows: readonly ComponentRow[],
): Promise<void> => {
  if (rows.length === 0) return
  const changes = columns
    .filter(([property]) => !notOfDefinition.has(property))
    .map((column) => sql`${nameOf(column)} = change.${nameOf(column)}`)
  await tx.execute(sql`
    UPDATE components c SET ${sql.join(changes, sql`, `)} FROM ${recordsOf(rows)}
    WHERE c.organization_id = ${organizationId} AND c.id = change.id`)
}

type Column = [property: keyof ComponentRow, name: string]

const columns = Object.entries(getTableColumns(components)).map(
  ([property, { name }]) => [property, name] as Column,
)

const notOfDefinition: ReadonlySet<keyof ComponentRow> = new Set([
  ...(['id', 'organizationId', 'createdAt', 'claims', 'status', 'statusSource'] as const),
  ...(['statusChangedAt', 'monitorVersion', 'averageResponseTime', 'lastCheckAt'] as const),
  ...(['lastValue', 'lastValueAt'] as const),
])

const nameOf = ([, name]: Column): SQL => sql`${sql.identifier(name)}`

/** json and not jsonb, which would change the order of fields. */
const recordsOf = (rows: readonly ComponentRow[]): SQL => {
  const records = rows.map((row) =>
    Object.fromEntries(columns.map(([property, name]) => [name, row[property]])),
  )
  return sql`json_populate_recordset(NULL::components, ${JSON.stringify(records)}::json) AS change`
}
