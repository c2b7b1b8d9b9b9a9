/** Intakes of alerts in SQL, and which alerts are known. */
import type { Crossing, Scope } from '@status-page/postgres'
import { and, eq, lt, sql } from 'drizzle-orm'
import { type AlertIntakeRow, type AlertSignalRow, alertIntakes, alertSignals } from '../tables.ts'

export const organizationOf = async (
  { tx }: Crossing,
  integrationId: string,
): Promise<string | null> => {
  const [row] = await tx
    .select({ organizationId: alertIntakes.organizationId })
    .from(alertIntakes)
    .where(eq(alertIntakes.integrationId, integrationId))
  return row?.organizationId ?? null
}

const ofIntegration = ({ organizationId }: Scope, id: string) =>
  and(eq(alertIntakes.organizationId, organizationId), eq(alertIntakes.integrationId, id))

export const findIntake = async (scope: Scope, id: string): Promise<AlertIntakeRow | undefined> => {
  const [row] = await scope.tx.select().from(alertIntakes).where(ofIntegration(scope, id))
  return row
}

/** Posts of one integration are taken one after the other. */
export const lockIntake = async (scope: Scope, id: string): Promise<AlertIntakeRow | undefined> => {
  const [row] = await scope.tx
    .select()
    .from(alertIntakes)
    .where(ofIntegration(scope, id))
    .for('update')
  return row
}

export const saveIntake = async ({ tx }: Scope, row: AlertIntakeRow): Promise<void> => {
  await tx
    .insert(alertIntakes)
    .values(row)
    .onConflictDoUpdate({ target: alertIntakes.integrationId, set: row })
}

export const removeIntake = async (scope: Scope, id: string): Promise<void> => {
  await scope.tx.delete(alertIntakes).where(ofIntegration(scope, id))
}

export const findSignal = async (
  { tx, organizationId }: Scope,
  integrationId: string,
  fingerprint: string,
): Promise<AlertSignalRow | undefined> => {
  const [row] = await tx
    .select()
    .from(alertSignals)
    .where(
      and(
        eq(alertSignals.organizationId, organizationId),
        eq(alertSignals.integrationId, integrationId),
        eq(alertSignals.fingerprint, fingerprint),
      ),
    )
  return row
}

export const saveSignal = async ({ tx }: Scope, row: AlertSignalRow): Promise<void> => {
  await tx
    .insert(alertSignals)
    .values(row)
    .onConflictDoUpdate({
      target: [alertSignals.organizationId, alertSignals.integrationId, alertSignals.fingerprint],
      set: row,
    })
}

export const removeSignal = async (
  { tx, organizationId }: Scope,
  { integrationId, fingerprint }: SignalKey,
): Promise<void> => {
  await tx
    .delete(alertSignals)
    .where(
      and(
        eq(alertSignals.organizationId, organizationId),
        eq(alertSignals.integrationId, integrationId),
        eq(alertSignals.fingerprint, fingerprint),
      ),
    )
}

export type SignalKey = Pick<AlertSignalRow, 'organizationId' | 'integrationId' | 'fingerprint'>

/** Firing ones that nobody has repeated since; at most `limit`. */
export const silentSignals = (
  { tx }: Crossing,
  { before, limit }: { before: Date; limit: number },
): Promise<SignalKey[]> => {
  const { organizationId, integrationId, fingerprint, status, updatedAt } = alertSignals
  return tx
    .select({ organizationId, integrationId, fingerprint })
    .from(alertSignals)
    .where(and(eq(status, 'firing'), lt(updatedAt, before)))
    .orderBy(updatedAt)
    .limit(limit)
}

/** Resolved ones that nobody repeats any more; gives how many, at most `limit`. */
export const forgetSignals = async (
  { tx }: Crossing,
  { before, limit }: { before: Date; limit: number },
): Promise<number> => {
  const gone = await tx.execute(sql`
    DELETE FROM alert_signals WHERE (organization_id, integration_id, fingerprint) IN (
      SELECT organization_id, integration_id, fingerprint FROM alert_signals
      WHERE status = 'resolved' AND updated_at < ${before.toISOString()}::timestamptz
      LIMIT ${limit})`)
  return gone.count
}
