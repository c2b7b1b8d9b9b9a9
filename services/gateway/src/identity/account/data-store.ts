/** SQL of account deletion and account export across organizations. */
import { asLookup, type Database, type SystemScope } from '@status-page/postgres'
import { sql } from 'drizzle-orm'

export interface AccountMembership {
  organizationId: string
  name: string
  id: string
  version: number
  role: string
  createdAt: string
  /** Count of other members of the organization. */
  others: number
  otherOwners: number
}

export const membershipsOfAccount = async (
  { tx }: SystemScope,
  userId: string,
): Promise<AccountMembership[]> => {
  // Serializes removals, so that when two last owners leave at once, the second sees the removal of
  // the first.
  await tx.execute(sql`SELECT pg_advisory_xact_lock(hashtextextended('account-removal', 0))`)
  const rows = await tx.execute(sql`
    SELECT m.organization_id AS "organizationId", o.name, m.id, m.version, m.role,
      m.created_at AS "createdAt",
      (SELECT count(*) FROM memberships x WHERE x.organization_id = m.organization_id
        AND x.user_id <> m.user_id)::int AS others,
      (SELECT count(*) FROM memberships x WHERE x.organization_id = m.organization_id
        AND x.user_id <> m.user_id AND x.role = 'OWNER')::int AS "otherOwners"
    FROM memberships m JOIN organizations o ON o.id = m.organization_id
    WHERE m.user_id = ${userId} ORDER BY m.created_at`)
  return rows as unknown as AccountMembership[]
}

/**
 * Schedules the deletion immediately: an organization without members has no user who could
 * withdraw it.
 */
export const deleteOrganizations = async (
  { tx }: SystemScope,
  organizationIds: readonly string[],
): Promise<void> => {
  await tx.execute(sql`
    UPDATE organizations SET deletion_requested_at = now(), deletion_due_at = now()
    WHERE id = ANY (${sql.param([...organizationIds])}::uuid[]) AND deletion_started_at IS NULL`)
}

/** Disables the API keys that the account created, in all organizations. */
export const disableKeys = async ({ tx }: SystemScope, userId: string): Promise<void> => {
  await tx.execute(sql`
    UPDATE api_keys SET disabled_at = now() WHERE created_by = ${userId} AND disabled_at IS NULL`)
}

/**
 * Deletes the account's row; sessions, second factor, identities and memberships are deleted by
 * cascade.
 */
export const deleteAccount = async (
  { tx }: SystemScope,
  { id, email }: { id: string; email: string },
): Promise<void> => {
  await tx.execute(sql`DELETE FROM invitations WHERE email = ${email}`)
  await tx.execute(sql`DELETE FROM users WHERE id = ${id}`)
}

/** Rows about the account, without secrets and their hashes. */
export const rowsOfAccount = (database: Database, userId: string) =>
  asLookup(database, async ({ tx }) => ({
    account: (
      await tx.execute(sql`
        SELECT id, email, name, last_login_at AS "lastLoginAt" FROM users WHERE id = ${userId}`)
    )[0],
    sessions: [
      ...(await tx.execute(sql`
        SELECT id, organization_id AS "organizationId", method, ip_address AS "ipAddress",
          user_agent AS "userAgent", created_at AS "createdAt", last_seen_at AS "lastUsedAt"
        FROM sessions WHERE user_id = ${userId} ORDER BY created_at`)),
    ],
    twoFactor:
      (
        await tx.execute(sql`
        SELECT enabled_at AS "enabledAt" FROM two_factor WHERE user_id = ${userId}`)
      )[0] ?? null,
    apiKeys: [
      ...(await tx.execute(sql`
        SELECT id, organization_id AS "organizationId", name, permissions FROM api_keys
        WHERE created_by = ${userId} ORDER BY id`)),
    ],
  })) as Promise<Record<string, unknown>>
