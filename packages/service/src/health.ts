/** Two questions of an operator: is the process alive (`/health`), may it get traffic (`/readyz`). */
import type { Database } from '@status-page/postgres'

export interface HealthSources {
  database: Database
  /** Consumers that this service declares; each needs its row in `outbox_consumer`. */
  consumers: readonly string[]
  /** `bypass` is degraded, not down. */
  busMode?: () => string
}

export interface Readiness {
  ready: boolean
  checks: Record<string, string>
}

export interface Health {
  /** Before it, and once `stop` was called, nothing is ready. */
  watch(sources: HealthSources): void
  stop(): void
  readiness(): Promise<Readiness>
}

export const createHealth = (): Health => {
  let sources: HealthSources | null = null
  let isStopping = false
  return {
    watch(given) {
      sources = given
    },
    stop() {
      isStopping = true
    },
    async readiness() {
      if (isStopping) return { ready: false, checks: { process: 'stopping' } }
      if (sources === null) return { ready: false, checks: { process: 'starting' } }
      const postgres = await postgresState(sources)
      const checks = { postgres, ...(sources.busMode ? { bus: sources.busMode() } : {}) }
      return { ready: postgres === 'ok', checks }
    },
  }
}

const postgresState = async ({ database, consumers }: HealthSources): Promise<string> => {
  try {
    await database.ping()
    const missing = await missingConsumers(database, consumers)
    return missing.length === 0 ? 'ok' : `consumers not registered: ${missing.join(', ')}`
  } catch {
    return 'unavailable'
  }
}

const missingConsumers = async (
  database: Database,
  declared: readonly string[],
): Promise<string[]> => {
  if (declared.length === 0) return []
  const rows = await database.hot<{ consumer: string }[]>`
    SELECT consumer FROM ${database.hot(database.schema)}.outbox_consumer`
  const known = new Set(rows.map(({ consumer }) => consumer))
  return declared.filter((consumer) => !known.has(consumer))
}
