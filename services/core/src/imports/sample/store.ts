/** Records of the sample data, in SQL. */
import { type Scope, tenantTable } from '@status-page/postgres'
import { and, eq, inArray } from 'drizzle-orm'
import {
  importedRecords,
  maintenanceComponents,
  maintenances,
  maintenanceUpdates,
} from '../../tables.ts'

const isOfSample = eq(importedRecords.source, 'sample')

export const listSampleRecords = (scope: Scope) =>
  tenantTable(importedRecords).select(scope, isOfSample)

export const removeSampleRecords = async ({ tx, organizationId }: Scope): Promise<void> => {
  await tx
    .delete(importedRecords)
    .where(and(eq(importedRecords.organizationId, organizationId), isOfSample))
}

/** Disables the automatic start, the end and the messages of maintenances. */
export const deactivateMaintenances = async (
  { tx, organizationId }: Scope,
  ids: readonly string[],
): Promise<void> => {
  await tx
    .update(maintenances)
    .set({
      autoStart: false,
      autoComplete: false,
      notifySubscribers: false,
      remindBeforeMinutes: [],
      dueAt: null,
    })
    .where(and(eq(maintenances.organizationId, organizationId), inArray(maintenances.id, [...ids])))
}

/** Removes maintenances, and the occurrences of their series. */
export const removeMaintenances = async (
  scope: Scope,
  firstIds: readonly string[],
): Promise<void> => {
  const { tx, organizationId } = scope
  const occurrences = await tenantTable(maintenances).select(
    scope,
    inArray(maintenances.recurrenceOf, [...firstIds]),
  )
  const ids = [...firstIds, ...occurrences.map(({ id }) => id)]
  for (const parts of [maintenanceComponents, maintenanceUpdates]) {
    const isPart = inArray(parts.maintenanceId, ids)
    await tx.delete(parts).where(and(eq(parts.organizationId, organizationId), isPart))
  }
  await tx
    .delete(maintenances)
    .where(and(eq(maintenances.organizationId, organizationId), inArray(maintenances.id, ids)))
}
