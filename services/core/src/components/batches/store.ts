/** Bulk statements on components. */
import { MAX_DEFINITIONS_PER_PAGE } from '@status-page/contracts'
import { chunksOf, resourceTable, type Scope } from '@status-page/postgres'
import { eq, getTableColumns, gt, type SQL, sql } from 'drizzle-orm'
import { type ComponentRow, components } from '../../tables.ts'
import { lockComponents, raiseVersions } from '../store.ts'

/** Page of all components, ordered by id. */
export const listComponentsAfterId = (
  scope: Scope,
  after: string | null,
): Promise<ComponentRow[]> =>
  resourceTable(components)
    .select(scope, after === null ? undefined : gt(components.id, after))
    .orderBy(components.id)
    .limit(MAX_DEFINITIONS_PER_PAGE)

/** Rows per query, read or written in about 10 ms. */
const CHUNK_ROWS = 250

/** Processes ids in ascending order, the order in which all components are locked. */
const inChunks = async <Result>(
  ids: readonly string[],
  work: (chunk: readonly string[]) => Promise<Iterable<Result>>,
): Promise<Result[]> => {
  const results: Result[] = []
  for (const chunk of chunksOf(ids.toSorted(), CHUNK_ROWS)) results.push(...(await work(chunk)))
  return results
}

/** Same as `lockComponents`, in chunks. */
export const lockComponentsInChunks = async (
  scope: Scope,
  ids: readonly string[],
): Promise<Map<string, ComponentRow>> =>
  new Map(await inChunks(ids, (chunk) => lockComponents(scope, chunk)))

/** Same as `raiseVersions`, in chunks. */
export const raiseVersionsInChunks = (
  scope: Scope,
  ids: readonly string[],
): Promise<ComponentRow[]> => inChunks(ids, (chunk) => raiseVersions(scope, chunk))

/** Parents and names of all components of the organization, by id. */
export interface ComponentTree {
  parents: Map<string, string | null>
  names: Map<string, string>
}

export const loadComponentTree = async (scope: Scope): Promise<ComponentTree> => {
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

/** Inserts components, each with the first interval of its history. */
export const insertComponents = async (
  { tx }: Scope,
  rows: readonly ComponentRow[],
): Promise<void> => {
  const names = sql.join(columns.map(nameOf), sql`, `)
  for (const chunk of chunksOf(parentsFirst(rows), CHUNK_ROWS)) {
    await tx.execute(sql`
      WITH inserted AS (
        INSERT INTO components (${names}) SELECT ${names} FROM ${recordsOf(chunk)}
        RETURNING organization_id, id, created_at, status, status_source)
      INSERT INTO component_status_intervals (organization_id, component_id, started_at, status,
        source)
      SELECT organization_id, id, created_at, status, status_source FROM inserted`)
  }
}

/** Rows with parents before their children, as the foreign key requires between two chunks. */
const parentsFirst = (rows: readonly ComponentRow[]): ComponentRow[] => {
  const byId = new Map(rows.map((row) => [row.id, row]))
  const depthOf = ({ parentComponentId }: ComponentRow): number => {
    const parent = parentComponentId === null ? undefined : byId.get(parentComponentId)
    return parent === undefined ? 0 : 1 + depthOf(parent)
  }
  return rows
    .map((row) => ({ row, depth: depthOf(row) }))
    .sort((left, right) => left.depth - right.depth)
    .map(({ row }) => row)
}

/** Saves definitions and versions without status and history. */
export const saveDefinitions = async (
  { tx, organizationId }: Scope,
  rows: readonly ComponentRow[],
): Promise<void> => {
  const changes = columns
    .filter(([property]) => !notOfDefinition.has(property))
    .map((column) => sql`${nameOf(column)} = change.${nameOf(column)}`)
  for (const chunk of chunksOf(rows, CHUNK_ROWS)) {
    await tx.execute(sql`
      UPDATE components c SET ${sql.join(changes, sql`, `)} FROM ${recordsOf(chunk)}
      WHERE c.organization_id = ${organizationId} AND c.id = change.id`)
  }
}

type Column = [property: keyof ComponentRow, name: string]

const columns = Object.entries(getTableColumns(components)).map(
  ([property, { name }]) => [property, name] as Column,
)

const notOfDefinition: ReadonlySet<keyof ComponentRow> = new Set([
  ...(['id', 'organizationId', 'createdAt', 'claims', 'status', 'statusSource'] as const),
  ...(['statusChangedAt', 'monitorVersion', 'averageResponseTime', 'lastCheckAt'] as const),
  ...(['lastValue', 'lastValueAt', 'vendorVersion'] as const),
])

const nameOf = ([, name]: Column): SQL => sql`${sql.identifier(name)}`

/** Uses json instead of jsonb, which would change the order of fields. */
const recordsOf = (rows: readonly ComponentRow[]): SQL => {
  const records = rows.map((row) =>
    Object.fromEntries(columns.map(([property, name]) => [name, row[property]])),
  )
  return sql`json_populate_recordset(NULL::components, ${JSON.stringify(records)}::json) AS change`
}
