/** Load from this process on one address, by autocannon; latencies finer than its whole milliseconds. */
import autocannon, { type Result } from 'autocannon'

export interface Load {
  url: string
  headers?: Record<string, string>
  connections: number
  seconds: number
  /** Requests a second over all connections; as fast as they are answered when left out. */
  rate?: number
}

export interface Measured {
  answered: number
  /** Answers other than 2xx, and connections that broke. */
  failed: number
  perSecond: number
  p50Ms: number
  p99Ms: number
}

export const measure = async (load: Load): Promise<Measured> => {
  const { url, headers = {}, connections, seconds, rate } = load
  const latenciesMs: number[] = []
  const started = performance.now()
  const options = { url, headers, connections, duration: seconds }
  const paced = rate === undefined ? options : { ...options, overallRate: rate }
  const { errors, timeouts, non2xx } = await new Promise<Result>((resolve, reject) => {
    autocannon(paced, (error, result) => (error ? reject(error) : resolve(result))).on(
      'response',
      (_client, _status, _bytes, latencyMs) => latenciesMs.push(latencyMs),
    )
  })
  const elapsedSeconds = (performance.now() - started) / 1_000
  latenciesMs.sort((left, right) => left - right)
  return {
    answered: latenciesMs.length,
    failed: errors + timeouts + non2xx,
    perSecond: latenciesMs.length / elapsedSeconds,
    p50Ms: percentile(latenciesMs, 0.5),
    p99Ms: percentile(latenciesMs, 0.99),
  }
}

const percentile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN

export const median = (values: readonly number[]): number =>
  percentile(
    values.toSorted((left, right) => left - right),
    0.5,
  )
