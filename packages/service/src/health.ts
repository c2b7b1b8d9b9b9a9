/** Liveness (`/health`) and readiness (`/readyz`) of a process. */
import type { Bus } from '@status-page/bus'
import type { Database } from '@status-page/postgres'

export interface HealthSources {
  database: Pick<Database, 'ping'>
  bus?: Pick<Bus, 'mode' | 'status'>
}

export interface Readiness {
  ready: boolean
  checks: Record<string, string>
}

export interface Health {
  /** Sets the checked resources; before it, and after `stop`, the process is not ready. */
  watch(sources: HealthSources): void
  stop(): void
  readiness(): Promise<Readiness>
}

export const createHealth = (): Health => {
  let sources: HealthSources | null = null
  let isStopping = false
  return {
    watch(newSources) {
      sources = newSources
    },
    stop() {
      isStopping = true
    },
    async readiness() {
      if (isStopping) return { ready: false, checks: { process: 'stopping' } }
      if (sources === null) return { ready: false, checks: { process: 'starting' } }
      return checkReadiness(sources)
    },
  }
}

/** Requires Postgres and registered consumers; without NATS events are delivered by bypass. */
const checkReadiness = async ({ database, bus }: HealthSources): Promise<Readiness> => {
  const postgres = await database.ping().then(
    () => 'ok',
    () => 'unavailable',
  )
  const unregistered = bus?.status().unregistered ?? []
  const consumers = unregistered.length === 0 ? 'ok' : `not registered: ${unregistered.join(', ')}`
  const checks = { postgres, consumers, ...(bus === undefined ? {} : { bus: bus.mode() }) }
  return { ready: postgres === 'ok' && consumers === 'ok', checks }
}
