/** Liveness (`/health`) and readiness (`/readyz`) of a process. */
import type { Bus } from '@status-page/bus'
import type { Database, SchemaState } from '@status-page/postgres'

export interface HealthSources {
  database: Pick<Database, 'ping'>
  bus?: Pick<Bus, 'mode' | 'status'>
  /** Reads the state of the schema; without it, the schema is not checked. */
  readSchema?: () => Promise<SchemaState>
}

export interface Readiness {
  ready: boolean
  checks: Record<string, string>
}

export interface Health {
  /** Marks the process as starting: until `watch`, operations are refused. */
  starting(checks: Readonly<Record<string, string>>): void
  isStarting(): boolean
  /** Sets the checked resources; before it, and after `stop`, the process is not ready. */
  watch(sources: HealthSources): void
  stop(): void
  readiness(): Promise<Readiness>
}

export const createHealth = (): Health => {
  let sources: HealthSources | null = null
  let startChecks: Readonly<Record<string, string>> | null = null
  let isStopping = false
  return {
    starting(checks) {
      startChecks = checks
    },
    isStarting: () => startChecks !== null && sources === null,
    watch(newSources) {
      sources = newSources
    },
    stop() {
      isStopping = true
    },
    async readiness() {
      if (isStopping) return { ready: false, checks: { process: 'stopping' } }
      if (sources === null) {
        return { ready: false, checks: { process: 'starting', ...startChecks } }
      }
      return checkReadiness(sources)
    },
  }
}

const OK = 'ok'
/** Result of a check that Postgres did not answer. */
export const UNAVAILABLE = 'unavailable'

/**
 * Requires Postgres, its schema and registered consumers; without NATS events are delivered by
 * bypass.
 */
const checkReadiness = async (sources: HealthSources): Promise<Readiness> => {
  const { database, bus, readSchema } = sources
  const postgres = await database.ping().then(
    () => OK,
    () => UNAVAILABLE,
  )
  const schema =
    postgres === OK && readSchema !== undefined
      ? await readSchema().then(describeSchema, () => UNAVAILABLE)
      : null
  const unregistered = bus?.status().unregistered ?? []
  const consumers = unregistered.length === 0 ? OK : `not registered: ${unregistered.join(', ')}`
  const required = { postgres, ...(schema === null ? {} : { schema }), consumers }
  const ready = Object.values(required).every((check) => check === OK)
  return { ready, checks: { ...required, ...(bus === undefined ? {} : { bus: bus.mode() }) } }
}

/** Text of the check of the schema. */
export const describeSchema = (state: SchemaState): string => {
  if (state.kind === 'current') return OK
  const names = state.migrations.join(', ')
  return state.kind === 'missing' ? `not migrated: ${names}` : `newer than this version: ${names}`
}
