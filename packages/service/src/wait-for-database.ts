/**
 * Wait of a start for its database: until Postgres responds, and its schema has the migrations of
 * the code. What no retry resolves ends the start with one sentence.
 */
import { setTimeout as pause } from 'node:timers/promises'
import {
  connectionProblemOf,
  type Database,
  DatabaseUnusable,
  expectedMigrations,
  readSchemaState,
  requireUsableServer,
  type SchemaState,
  type ServerRequirements,
} from '@status-page/postgres'
import { ConfigError } from './config.ts'
import { callerErrorOf } from './error-handler.ts'
import { describeSchema, type Health, UNAVAILABLE } from './health.ts'
import type { Logger } from './logger.ts'

const FIRST_PAUSE_MS = 250
const MAX_PAUSE_MS = 5_000
/** Attempts between two log lines: about one line a minute. */
const ATTEMPTS_PER_LINE = 12

export interface WaitOptions extends ServerRequirements {
  database: Database
  readSchema: () => Promise<SchemaState>
  health: Pick<Health, 'starting'>
  logger: Logger
  signal: AbortSignal
}

/** Returns a function that compares the schema with the migrations in `folder`. */
export const schemaReader = async (
  database: Database,
  folder: string,
): Promise<() => Promise<SchemaState>> => {
  const expected = await expectedMigrations(folder)
  return () => readSchemaState(database, expected)
}

/** Resolves true when the database is usable, false when the signal aborts before. */
export const waitForDatabase = async (options: WaitOptions): Promise<boolean> => {
  const { health, logger, signal } = options
  let pauseMs = FIRST_PAUSE_MS
  for (let attempt = 0; !signal.aborted; attempt++) {
    const reason = await reasonToWait(options)
    if (reason === null) return true
    health.starting(reason.checks)
    if (attempt % ATTEMPTS_PER_LINE === 0) logger.warn(reason.details, reason.message)
    await pause(pauseMs, undefined, { signal }).catch(() => {})
    pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS)
  }
  return false
}

/**
 * Runs statements of a start, again while the database is lost or busy. Resolves false when the
 * signal aborts before.
 */
export const runWhenAvailable = async (
  statements: () => Promise<void>,
  { logger, signal }: Pick<WaitOptions, 'logger' | 'signal'>,
): Promise<boolean> => {
  while (!signal.aborted) {
    try {
      await statements()
      return true
    } catch (error) {
      if (callerErrorOf(error)?.code !== 'SERVICE_UNAVAILABLE') throw error
      logger.warn({ err: error }, 'the database is not available for the start, will retry')
      await pause(FIRST_PAUSE_MS, undefined, { signal }).catch(() => {})
    }
  }
  return false
}

interface Reason {
  message: string
  details: object
  checks: Readonly<Record<string, string>>
}

/** Null when the database is usable; throws what no retry resolves. */
const reasonToWait = async (options: WaitOptions): Promise<Reason | null> => {
  const { database, sessionSetting, readSchema } = options
  try {
    await requireUsableServer(database, { sessionSetting })
    const state = await readSchema()
    if (state.kind === 'current') return null
    const schema = describeSchema(state)
    if (state.kind === 'newer') {
      throw new DatabaseUnusable(`The schema ${database.schema} is ${schema}; update this service.`)
    }
    const message = 'waiting for the migration of the database'
    return { message, details: { missing: state.migrations }, checks: { postgres: 'ok', schema } }
  } catch (error) {
    const problem = connectionProblemOf(error)
    if (problem !== null) throw new ConfigError([problem])
    const checks = { postgres: UNAVAILABLE }
    return { message: 'waiting for Postgres', details: { err: error }, checks }
  }
}
