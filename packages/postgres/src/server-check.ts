/** Requirements of the Postgres server; a server that does not meet one is named in a sentence. */
import { randomUUID } from 'node:crypto'
import { AppError } from '@status-page/contracts'
import type { Database, DedicatedConnection } from './connect.ts'
import { databaseErrorOf } from './failure.ts'

const MIN_VERSION = 150_000
const MIN_VERSION_NAME = '15'

/** Error that no retry resolves; its message is one sentence for the operator. */
export class DatabaseUnusable extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'DatabaseUnusable'
  }
}

export interface ServerRequirements {
  /** Setting with the URL of LISTEN and session locks. */
  sessionSetting: 'DATABASE_URL' | 'DATABASE_DIRECT_URL'
}

/** Throws `DatabaseUnusable`, or the error of a server that does not respond. */
export const requireUsableServer = async (
  database: Database,
  { sessionSetting }: ServerRequirements,
): Promise<void> => {
  await database.ping()
  const [server] = await database.batchSql<{ number: number; version: string }[]>`
    SELECT current_setting('server_version_num')::int AS number,
      current_setting('server_version') AS version`
  if (server !== undefined && server.number < MIN_VERSION) {
    throw new DatabaseUnusable(
      `Postgres ${server.version} is too old: version ${MIN_VERSION_NAME} or newer is required.`,
    )
  }
  if (!(await hasSessions(database))) {
    throw new DatabaseUnusable(
      `${sessionSetting} leads to a connection pooler in transaction mode, in which LISTEN and ` +
        'session locks have no effect: set DATABASE_DIRECT_URL to the address of Postgres itself.',
    )
  }
}

/** Repetitions, since a busy pooler may choose another server connection by chance. */
const SESSION_CHECKS = 5

/**
 * Whether a client keeps its server connection between two transactions. A pooler gives its clients
 * process ids of its own. In transaction mode it passes a free server connection, with the session
 * lock that another client took on it, to the next client.
 */
const hasSessions = async (database: Database): Promise<boolean> => {
  const first = await database.dedicated()
  try {
    const rows = await first`SELECT pg_backend_pid() AS pid`
    if (rows[0]?.pid === rows.state.pid) return true
    const second = await database.dedicated()
    try {
      const name = randomUUID()
      for (let turn = 0; turn < SESSION_CHECKS; turn++) {
        const before = await takeLock(first, name)
        const other = await takeLock(second, name)
        const after = await takeLock(first, name)
        const isShared = before.isLocked && other.isLocked
        if (isShared || before.pid !== after.pid) return false
      }
      return true
    } finally {
      await second.close()
    }
  } finally {
    await first.close()
  }
}

const takeLock = async (connection: DedicatedConnection, name: string) => {
  const [row] = await connection.unsafe<{ pid: number; isLocked: boolean }[]>(
    `SELECT pg_backend_pid() AS pid,
      pg_try_advisory_lock(hashtextextended($1::text, 0)) AS "isLocked"`,
    [name],
  )
  return row ?? { pid: 0, isLocked: false }
}

/** Codes of a certificate that does not verify: of Node's TLS, by their prefix or in full. */
const CERTIFICATE_ERROR = /^(?:ERR_TLS_CERT|CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_)/

/** Sentences by SQLSTATE: authentication, authorization, database. */
const REFUSALS: Readonly<Record<string, string>> = {
  '28000': 'Postgres refused the connection',
  '28P01': 'Postgres refused the user or the password',
  '3D000': 'The database does not exist',
  '42501': 'Postgres refused the access to the database',
}

/** Sentence for an error of the first connection that no retry resolves; null for any other. */
export const connectionProblemOf = (error: unknown): string | null => {
  if (error instanceof DatabaseUnusable) return error.message
  const { code = '', message = '' } = databaseErrorOf(causeOf(error)) ?? {}
  if (CERTIFICATE_ERROR.test(code)) {
    return `The certificate of Postgres cannot be verified (${code}): check DATABASE_CA.`
  }
  const refusal = REFUSALS[code]
  return refusal === undefined ? null : `${refusal}: ${message}; check DATABASE_URL.`
}

const causeOf = (error: unknown): unknown => (error instanceof AppError ? error.cause : error)
