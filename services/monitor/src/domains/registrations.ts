/**
 * Registrations of domains: the registry is queried once a day for each domain, whatever the number
 * of components, organizations and replicas.
 */
import type { Database } from '@status-page/postgres'
import type { DomainRegistrations, Registration } from '@status-page/probes'
import type { RdapClient, RdapResult } from './rdap.ts'

const QUERY_INTERVAL = '1 day'
/** Interval after a query without a response; the last registration stays until then. */
const RETRY_INTERVAL = '1 hour'
/** Retention of registrations that no check reads. */
const RETENTION = '30 days'

type Connection = Pick<Database, 'batchSql'>

export const createDomainRegistrations = (
  database: Connection,
  rdap: RdapClient,
): DomainRegistrations => ({
  async find(domain) {
    const row = await findRow(database, domain)
    if (row !== undefined && !row.isDue) return registrationOf(row)
    if (!(await claimQuery(database, domain))) return row === undefined ? null : registrationOf(row)
    await saveResult(database, domain, await rdap.query(domain))
    const saved = await findRow(database, domain)
    return saved === undefined ? null : registrationOf(saved)
  },
})

/** State of the last response; `pending` before the first one. */
type State = 'pending' | Exclude<RdapResult['state'], 'failed'>

interface Row {
  state: State
  expiresAt: Date | null
  isDue: boolean
}

const registrationOf = ({ state, expiresAt }: Row): Registration | null =>
  state === 'registered' || state === 'not_registered'
    ? { isRegistered: state === 'registered', expiresAt: expiresAt?.toISOString() ?? null }
    : null

const findRow = async ({ batchSql }: Connection, domain: string): Promise<Row | undefined> => {
  const [row] = await batchSql<Row[]>`
    SELECT state, expires_at AS "expiresAt", next_query_at <= now() AS "isDue"
    FROM domain_registrations WHERE domain = ${domain}`
  return row
}

/** Defers the next query; true for the caller that is to make this one. */
const claimQuery = async ({ batchSql }: Connection, domain: string): Promise<boolean> => {
  const rows = await batchSql`
    INSERT INTO domain_registrations AS r (domain, state, next_query_at)
    VALUES (${domain}, 'pending', now() + ${RETRY_INTERVAL}::interval)
    ON CONFLICT (domain) DO UPDATE SET next_query_at = EXCLUDED.next_query_at
    WHERE r.next_query_at <= now()
    RETURNING domain`
  return rows.length > 0
}

const saveResult = async (
  { batchSql }: Connection,
  domain: string,
  result: RdapResult,
): Promise<void> => {
  if (result.state === 'failed') return
  const expiresAt = result.state === 'registered' ? result.expiresAt : null
  await batchSql`
    UPDATE domain_registrations
    SET state = ${result.state}, expires_at = ${expiresAt},
      next_query_at = now() + ${QUERY_INTERVAL}::interval
    WHERE domain = ${domain}`
}

/** Deletes registrations that no check has read for a month; returns their number. */
export const deleteUnusedRegistrations = async ({ batchSql }: Connection): Promise<number> => {
  const { count } = await batchSql`
    DELETE FROM domain_registrations WHERE next_query_at < now() - ${RETENTION}::interval`
  return count
}
