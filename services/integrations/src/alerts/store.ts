/** SQL of alert intakes, groups and alerts. */
import { type Scope, type SystemScope, tenantTable } from '@status-page/postgres'
import { and, eq, inArray, lt, sql } from 'drizzle-orm'
import {
  type AlertGroupRow,
  type AlertIntakeRow,
  type AlertSignalRow,
  alertGroups,
  alertIntakes,
  alertSignals,
} from '../tables.ts'

export const organizationOfIntake = async (
  { tx }: SystemScope,
  integrationId: string,
): Promise<string | null> => {
  const [row] = await tx
    .select({ organizationId: alertIntakes.organizationId })
    .from(alertIntakes)
    .where(eq(alertIntakes.integrationId, integrationId))
  return row?.organizationId ?? null
}

const intakes = tenantTable(alertIntakes)

const ofIntegration = (id: string) => eq(alertIntakes.integrationId, id)

export const findIntake = async (scope: Scope, id: string): Promise<AlertIntakeRow | undefined> =>
  (await intakes.select(scope, ofIntegration(id)))[0]

/** Locks the intake, so that posts of one integration are handled one after the other. */
export const lockIntake = async (scope: Scope, id: string): Promise<AlertIntakeRow | undefined> =>
  (await intakes.select(scope, ofIntegration(id)).for('update'))[0]

export const saveIntake = async ({ tx }: Scope, row: AlertIntakeRow): Promise<void> => {
  await tx
    .insert(alertIntakes)
    .values(row)
    .onConflictDoUpdate({ target: alertIntakes.integrationId, set: row })
}

export const removeIntake = async (scope: Scope, id: string): Promise<void> => {
  await intakes.removeAll(scope, ofIntegration(id))
}

const signals = tenantTable(alertSignals)

const signalsOf = ({ integrationId, groupKey }: GroupKey) =>
  and(eq(alertSignals.integrationId, integrationId), eq(alertSignals.groupKey, groupKey))

export const findGroup = async (
  scope: Scope,
  { integrationId, groupKey }: GroupKey,
): Promise<AlertGroupRow | undefined> => {
  const isWanted = eq(alertGroups.groupKey, groupKey)
  const isOfIntegration = eq(alertGroups.integrationId, integrationId)
  return (await tenantTable(alertGroups).select(scope, isOfIntegration, isWanted))[0]
}

export const saveGroup = async ({ tx }: Scope, row: AlertGroupRow): Promise<void> => {
  await tx
    .insert(alertGroups)
    .values(row)
    .onConflictDoUpdate({
      target: [alertGroups.organizationId, alertGroups.integrationId, alertGroups.groupKey],
      set: row,
    })
}

/** Alerts of the group with one of the fingerprints. */
export const findSignals = (
  scope: Scope,
  key: GroupKey,
  fingerprints: readonly string[],
): Promise<AlertSignalRow[]> =>
  signals.select(scope, signalsOf(key), inArray(alertSignals.fingerprint, [...fingerprints]))

export const hasFiringSignal = async (scope: Scope, key: GroupKey): Promise<boolean> => {
  const isFiring = eq(alertSignals.status, 'firing')
  const rows = await signals.select(scope, signalsOf(key), isFiring).limit(1)
  return rows.length > 0
}

export const saveSignals = async (
  { tx }: Scope,
  rows: readonly AlertSignalRow[],
): Promise<void> => {
  if (rows.length === 0) return
  const { organizationId, integrationId, groupKey, fingerprint } = alertSignals
  await tx
    .insert(alertSignals)
    .values([...rows])
    .onConflictDoUpdate({
      target: [organizationId, integrationId, groupKey, fingerprint],
      set: {
        status: sql`excluded.status`,
        startsAt: sql`excluded.starts_at`,
        updatedAt: sql`excluded.updated_at`,
      },
    })
}

export const removeSignal = async (scope: Scope, key: SignalKey): Promise<void> => {
  await signals.removeAll(scope, signalsOf(key), eq(alertSignals.fingerprint, key.fingerprint))
}

export type GroupKey = Pick<AlertGroupRow, 'integrationId' | 'groupKey'>

export type SignalKey = Pick<
  AlertSignalRow,
  'organizationId' | 'integrationId' | 'groupKey' | 'fingerprint'
>

/** Firing alerts without a repetition since the given time; at most `limit`. */
export const overdueSignals = (
  { tx }: SystemScope,
  { before, limit }: { before: Date; limit: number },
): Promise<SignalKey[]> => {
  const { organizationId, integrationId, groupKey, fingerprint, status, updatedAt } = alertSignals
  return tx
    .select({ organizationId, integrationId, groupKey, fingerprint })
    .from(alertSignals)
    .where(and(eq(status, 'firing'), lt(updatedAt, before)))
    .orderBy(updatedAt)
    .limit(limit)
}

/**
 * Deletes resolved groups and alerts without repetitions; returns the number, at most `limit` each.
 */
export const deleteOldSignals = async (
  { tx }: SystemScope,
  { before, limit }: { before: Date; limit: number },
): Promise<number> => {
  const groups = await tx.execute(sql`
    DELETE FROM alert_groups WHERE (organization_id, integration_id, group_key) IN (
      SELECT organization_id, integration_id, group_key FROM alert_groups
      WHERE status = 'resolved' AND updated_at < ${before.toISOString()}::timestamptz
      LIMIT ${limit})`)
  const signals = await tx.execute(sql`
    DELETE FROM alert_signals WHERE (organization_id, integration_id, group_key, fingerprint) IN (
      SELECT organization_id, integration_id, group_key, fingerprint FROM alert_signals
      WHERE status = 'resolved' AND updated_at < ${before.toISOString()}::timestamptz
      LIMIT ${limit})`)
  return groups.count + signals.count
}
