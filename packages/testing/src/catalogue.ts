/** Checks the database catalogue for tables and roles without row-level security. */

import { DEFAULT_ROLE_PREFIX } from '@status-page/postgres'
import type postgresTypes from 'postgres'
import postgres from 'postgres'

/** Shared tables without a policy; only the packages postgres and bus access them. */
export const sharedTables = [
  'bus_epoch',
  'dead_event',
  'erasure',
  'idempotency',
  'inbox',
  'outbox',
  'outbox_consumer',
  'schema_migration',
]
const sharedViews = ['consumers', 'outbox_feed', 'receipts']

interface Assertions {
  same(actual: unknown, expected: unknown, message: string): unknown
}

/** Problems of the schema in words; empty when every table and role is protected. */
export const tenantProblems = async (adminUrl: string, schema: string): Promise<string[]> => {
  const sql = postgres(adminUrl, { max: 1, onnotice: () => {} })
  try {
    return [
      ...(await tableProblems(sql, schema)),
      ...(await keyProblems(sql, schema)),
      ...(await referenceProblems(sql, schema)),
      ...(await policyProblems(sql, schema)),
      ...(await viewProblems(sql, schema)),
      ...(await roleProblems(sql, schema)),
    ]
  } finally {
    await sql.end({ timeout: 5 })
  }
}

export const assertTenantCatalogue = async (
  t: Assertions,
  adminUrl: string,
  schema: string,
): Promise<void> => {
  t.same(await tenantProblems(adminUrl, schema), [], `${schema} isolates tenants`)
}

type Sql = postgresTypes.Sql

/** Tables with an organization whose row-level security does not apply to their owner. */
const tableProblems = async (sql: Sql, schema: string) => {
  const rows = await sql<{ name: string }[]>`
    SELECT c.relname AS name FROM pg_class c
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'organization_id' AND NOT a.attisdropped
    WHERE c.relnamespace = ${schema}::regnamespace AND c.relkind IN ('r', 'p')
      AND c.relname <> ALL (${sharedTables})
      AND NOT (c.relrowsecurity AND c.relforcerowsecurity)`
  return rows.map(({ name }) => `${name} has no forced row-level security`)
}

/**
 * Tables without a unique key that contains the organization, for references; partitions have a
 * parent.
 */
const keyProblems = async (sql: Sql, schema: string) => {
  const rows = await sql<{ name: string }[]>`
    SELECT c.relname AS name FROM pg_class c
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'organization_id' AND NOT a.attisdropped
    WHERE c.relnamespace = ${schema}::regnamespace AND c.relkind IN ('r', 'p')
      AND NOT c.relispartition AND c.relname <> ALL (${sharedTables})
      AND NOT EXISTS (SELECT FROM pg_index i WHERE i.indrelid = c.oid AND i.indisunique
        AND a.attnum = ANY (i.indkey::int2[]))`
  return rows.map(({ name }) => `${name} has no unique key with organization_id`)
}

/** Foreign keys without the organization; Postgres checks foreign keys without the policy. */
const referenceProblems = async (sql: Sql, schema: string) => {
  const rows = await sql<{ name: string; constraint: string }[]>`
    SELECT c.relname AS name, k.conname AS constraint FROM pg_constraint k
    JOIN pg_class c ON c.oid = k.conrelid
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'organization_id'
    JOIN pg_attribute b ON b.attrelid = k.confrelid AND b.attname = 'organization_id'
    WHERE k.contype = 'f' AND k.connamespace = ${schema}::regnamespace
      AND NOT (a.attnum = ANY (k.conkey))`
  return rows.map(({ name, constraint }) => `${name}: ${constraint} lacks organization_id`)
}

const loginOf = (schema: string) => `${DEFAULT_ROLE_PREFIX}${schema}`
const systemScopeOf = (schema: string) => [`${loginOf(schema)}_due`, `${loginOf(schema)}_lookup`]

interface PolicyRow {
  name: string
  own: number
  open: string[]
}

/**
 * Tables without exactly one policy with both clauses; others must be for system scope roles, or
 * restrictive.
 */
const policyProblems = async (sql: Sql, schema: string) => {
  const systemScope = systemScopeOf(schema)
  const rows = await sql<PolicyRow[]>`
    SELECT c.relname AS name,
      count(*) FILTER (WHERE p.roles = '{public}' AND p.cmd = 'ALL' AND p.permissive = 'PERMISSIVE'
        AND p.qual LIKE '%app.org%' AND p.with_check LIKE '%app.org%')::int AS own,
      coalesce(array_agg(p.policyname::text) FILTER (WHERE p.permissive = 'PERMISSIVE' AND NOT (
        p.qual LIKE '%app.org%' AND p.with_check LIKE '%app.org%'
        OR p.roles <@ ${systemScope}::name[])), '{}') AS open
    FROM pg_class c LEFT JOIN pg_policies p ON p.schemaname = ${schema} AND p.tablename = c.relname
    WHERE c.relnamespace = ${schema}::regnamespace AND c.relkind IN ('r', 'p') AND c.relrowsecurity
    GROUP BY c.relname`
  return rows.flatMap(({ name, own, open }) => [
    ...(own === 1 ? [] : [`${name} has ${own} policies of the organization`]),
    ...open.map(
      (policy) => `${name}: policy ${policy} applies to others than the system scope roles`,
    ),
  ])
}

const viewProblems = async (sql: Sql, schema: string) => {
  const rows = await sql<{ name: string }[]>`
    SELECT relname AS name FROM pg_class
    WHERE relnamespace = ${schema}::regnamespace AND relkind = 'v'
      AND relname <> ALL (${sharedViews})
      AND NOT coalesce('security_invoker=true' = ANY (reloptions), false)`
  return rows.map(({ name }) => `view ${name} is not security_invoker`)
}

interface RoleRow {
  name: string
  inherits: boolean
  powers: boolean
  owns: number
}

const roleProblems = async (sql: Sql, schema: string) => {
  const rows = await sql<RoleRow[]>`
    SELECT r.rolname AS name, r.rolinherit AS inherits,
      r.rolsuper OR r.rolbypassrls OR r.rolcreaterole OR r.rolcreatedb AS powers,
      (SELECT count(*) FROM pg_class c WHERE c.relowner = r.oid)::int
        + (SELECT count(*) FROM pg_namespace n WHERE n.nspowner = r.oid)::int
        + (SELECT count(*) FROM pg_proc f WHERE f.proowner = r.oid)::int AS owns
    FROM pg_roles r WHERE r.rolname = ANY (${[loginOf(schema), ...systemScopeOf(schema)]})`
  return rows.flatMap(({ name, inherits, powers, owns }) => [
    ...(inherits && name === loginOf(schema) ? [`role ${name} inherits`] : []),
    ...(powers ? [`role ${name} has privileges of its own`] : []),
    ...(owns > 0 ? [`role ${name} owns ${owns} objects`] : []),
  ])
}
