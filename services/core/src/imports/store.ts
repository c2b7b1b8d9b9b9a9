/** Imported ids and bulk statements of an import, in SQL. */
import { chunksOf, type Scope, tenantTable } from '@status-page/postgres'
import { and, eq, inArray, sql } from 'drizzle-orm'
import {
  type ImportedKind,
  importedRecords,
  incidentComponents,
  incidents,
  incidentUpdates,
  maintenanceComponents,
  maintenances,
  maintenanceUpdates,
  postmortems,
  type RecordSource,
} from '../tables.ts'
import type { ImportedRecord, IncidentRows, MaintenanceRows } from './rules.ts'

/** Scope of an import: the records of one source. */
export interface ImportScope extends Scope {
  source: RecordSource
}

/** A row has up to 30 parameters of the 65,535 that a statement may have. */
const CHUNK_ROWS = 200

/** Imported rows by their id at the source. */
export const findImportedRecords = async (
  scope: ImportScope,
  kind: ImportedKind,
  sourceIds: readonly string[],
): Promise<Map<string, ImportedRecord>> => {
  const rows = await tenantTable(importedRecords).select(
    scope,
    eq(importedRecords.source, scope.source),
    eq(importedRecords.kind, kind),
    sql`${importedRecords.sourceId} = ANY(${sql.param([...sourceIds])}::text[])`,
  )
  return new Map(rows.map((row) => [row.sourceId, row]))
}

/** Kind and id of an incident or maintenance of a Statuspage, which share their ids there. */
export const findImportedItem = async (
  scope: Scope,
  sourceId: string,
): Promise<{ kind: ImportedKind; recordId: string } | undefined> => {
  const [row] = await tenantTable(importedRecords).select(
    scope,
    eq(importedRecords.source, 'statuspage'),
    inArray(importedRecords.kind, ['incident', 'maintenance']),
    eq(importedRecords.sourceId, sourceId),
  )
  return row
}

export const saveImportedRecords = async (
  { tx, organizationId, now, source }: ImportScope,
  kind: ImportedKind,
  records: readonly (ImportedRecord & { sourceId: string })[],
): Promise<void> => {
  for (const chunk of chunks(records)) {
    await tx
      .insert(importedRecords)
      .values(
        chunk.map(({ sourceId, recordId, updateIds }) => ({
          organizationId,
          source,
          kind,
          sourceId,
          recordId,
          importedAt: now,
          updateIds: [...updateIds],
        })),
      )
      .onConflictDoUpdate({
        target: [
          importedRecords.organizationId,
          importedRecords.source,
          importedRecords.kind,
          importedRecords.sourceId,
        ],
        set: { updateIds: sql`excluded.update_ids`, importedAt: now },
      })
  }
}

export const insertIncidents = async (
  scope: Scope,
  all: readonly IncidentRows[],
): Promise<void> => {
  const { tx } = scope
  for (const chunk of chunks(all)) {
    await tx.insert(incidents).values(chunk.map(({ incident }) => incident))
  }
  await insertIncidentComponents(
    scope,
    all.flatMap(({ components }) => components),
  )
  await insertIncidentUpdates(
    scope,
    all.flatMap(({ updates }) => updates),
  )
  for (const chunk of chunks(all.flatMap(({ postmortem }) => postmortem ?? []))) {
    await tx.insert(postmortems).values(chunk)
  }
}

export const insertMaintenances = async (
  { tx }: Scope,
  all: readonly MaintenanceRows[],
): Promise<void> => {
  for (const chunk of chunks(all)) {
    await tx.insert(maintenances).values(chunk.map(({ maintenance }) => maintenance))
  }
  for (const chunk of chunks(all.flatMap(({ components }) => components))) {
    await tx.insert(maintenanceComponents).values(chunk)
  }
  for (const chunk of chunks(all.flatMap(({ updates }) => updates))) {
    await tx.insert(maintenanceUpdates).values(chunk)
  }
}

export const insertIncidentComponents = async (
  { tx }: Scope,
  rows: IncidentRows['components'],
): Promise<void> => {
  for (const chunk of chunks(rows)) await tx.insert(incidentComponents).values(chunk)
}

export const insertIncidentUpdates = async (
  { tx }: Scope,
  rows: IncidentRows['updates'],
): Promise<void> => {
  for (const chunk of chunks(rows)) await tx.insert(incidentUpdates).values(chunk)
}

export const insertMaintenanceUpdates = async (
  { tx }: Scope,
  rows: MaintenanceRows['updates'],
): Promise<void> => {
  if (rows.length > 0) await tx.insert(maintenanceUpdates).values(rows)
}

export const saveMaintenance = async (
  { tx, organizationId }: Scope,
  row: MaintenanceRows['maintenance'],
): Promise<void> => {
  await tx
    .update(maintenances)
    .set(row)
    .where(and(eq(maintenances.organizationId, organizationId), eq(maintenances.id, row.id)))
}

const chunks = <Row>(rows: readonly Row[]): Row[][] => chunksOf(rows, CHUNK_ROWS)
