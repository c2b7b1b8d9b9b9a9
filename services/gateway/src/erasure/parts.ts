/**
 * Tables whose rows this service deletes with an organization: every table with `organization_id`.
 */
import { asLookup, asWorker, type ErasurePart, type ErasureStep } from '@status-page/postgres'
import { sql } from 'drizzle-orm'

const MEMBERS_PER_BATCH = 200
const ENTRIES_PER_BATCH = 1_000

/**
 * Deletes memberships, and accounts without another organization, because such accounts cannot log
 * in.
 */
const members: ErasureStep = {
  name: 'memberships',
  run: (database, organizationId) =>
    asLookup(database, async ({ tx }) => {
      const rows = await tx.execute(sql`
        WITH gone AS (DELETE FROM memberships WHERE organization_id = ${organizationId}
          AND id IN (SELECT id FROM memberships WHERE organization_id = ${organizationId}
            LIMIT ${MEMBERS_PER_BATCH}) RETURNING user_id),
        accounts AS (DELETE FROM users u USING gone WHERE u.id = gone.user_id
          AND NOT EXISTS (SELECT FROM memberships m
            WHERE m.user_id = u.id AND m.organization_id <> ${organizationId}))
        SELECT FROM gone`)
      return rows.length
    }),
}

/** Deletes audit entries; only the worker role has the permission. */
const auditLog: ErasureStep = {
  name: 'audit_log',
  run: (database, organizationId) =>
    asWorker(database, async ({ tx }) => {
      const rows = await tx.execute(sql`
        DELETE FROM audit_log WHERE organization_id = ${organizationId}
          AND id IN (SELECT id FROM audit_log WHERE organization_id = ${organizationId}
            LIMIT ${ENTRIES_PER_BATCH}) RETURNING 1`)
      return rows.length
    }),
}

export const erasureParts: readonly ErasurePart[] = [
  'sessions',
  'api_keys',
  'saml_identities',
  'saml_requests',
  'saml_assertions',
  'saml_providers',
  'domains',
  'invitations',
  members,
  'roles',
  'event_log',
  'event_log_heads',
  auditLog,
]

/** Tables that are retained for the operator; they contain ids and counts only. */
export const retainedTables = ['erasure_receipts']
