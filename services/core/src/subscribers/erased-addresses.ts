/**
 * Keyed hashes of addresses that only their owner may subscribe again: they were erased, or
 * their subscriber was deleted after the owner withdrew. A confirmation by the owner removes them.
 */
import type { Scope } from '@status-page/postgres'
import type { Authenticator } from '@status-page/secrets'
import { mapCooperatively, runCooperatively } from '@status-page/service'
import { and, eq, sql } from 'drizzle-orm'
import { erasedAddresses, type SubscriberRow } from '../tables.ts'
import { isWithdrawn } from './rules.ts'

const { organizationId: owner, addressHash } = erasedAddresses

export const saveErasedAddresses = async (
  { tx, now, organizationId }: Scope,
  hashes: readonly string[],
): Promise<void> => {
  if (hashes.length === 0) return
  await tx.execute(sql`
    INSERT INTO ${erasedAddresses} (organization_id, address_hash, erased_at)
    SELECT ${organizationId}, hash, ${now.toISOString()}::timestamptz
    FROM unnest(${sql.param([...hashes])}::text[]) AS hash ORDER BY hash
    ON CONFLICT DO NOTHING`)
}

/** Saves the addresses of those deleted subscribers whose owner had withdrawn. */
export const saveWithdrawnAddresses = async (
  erasedAddress: Authenticator,
  scope: Scope,
  deleted: readonly SubscriberRow[],
): Promise<void> => {
  const withdrawn = deleted.filter(isWithdrawn)
  const hashes = mapCooperatively(withdrawn, ({ address }) => erasedAddress.mac(address))
  await saveErasedAddresses(scope, await runCooperatively(hashes))
}

/**
 * Checks whether the organization has any erased address; nearly none has, and an import then need
 * not hash its rows.
 */
export const hasErasedAddresses = async ({ tx, organizationId }: Scope): Promise<boolean> => {
  const rows = await tx
    .select({ organizationId: owner })
    .from(erasedAddresses)
    .where(eq(owner, organizationId))
    .limit(1)
  return rows.length > 0
}

/** Hashes that belong to erased addresses. */
export const findErasedAddresses = async (
  scope: Scope,
  hashes: readonly string[],
): Promise<Set<string>> => {
  if (hashes.length === 0) return new Set()
  const rows = await scope.tx
    .select({ addressHash })
    .from(erasedAddresses)
    .where(isAnyOf(scope, hashes))
  return new Set(rows.map((row) => row.addressHash))
}

export const removeErasedAddresses = async (
  scope: Scope,
  hashes: readonly string[],
): Promise<void> => {
  await scope.tx.delete(erasedAddresses).where(isAnyOf(scope, hashes))
}

const isAnyOf = ({ organizationId }: Scope, hashes: readonly string[]) =>
  and(eq(owner, organizationId), sql`${addressHash} = ANY (${sql.param([...hashes])}::text[])`)
