/**
 * Prometheus metrics of one process. Labels are ids of operations and components, never a tenant's
 * data.
 */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

const DURATION_BUCKETS_SECONDS = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30,
]

export interface Metrics {
  registry: Registry
  /** Counts one request with a response. */
  observe(request: { operation: string; status: number; seconds: number }): void
  /** Counts one request that was rejected because of its client or of load. */
  countRefusal(refusal: { operation: string; reason: string }): void
  /** Registers a gauge `<prefix>_<name>` for each name of `help`; `read` runs at each scrape. */
  watch<Name extends string>(
    prefix: string,
    read: () => Readonly<Record<Name, number>>,
    help: Readonly<Record<Name, string>>,
  ): void
}

/**
 * Batch size of observations; single ones would find the library's code and tables evicted from the
 * CPU caches.
 */
const OBSERVATION_BATCH = 256

type Observation = Parameters<Metrics['observe']>[0]

export const createMetrics = (options: { withProcess?: boolean } = {}): Metrics => {
  const registry = new Registry()
  if (options.withProcess === true) collectDefaultMetrics({ register: registry })
  const refused = refusalCounter(registry)
  return {
    registry,
    observe: requestMeter(registry),
    countRefusal: (labels) => refused.inc(labels),
    watch(prefix, read, help) {
      for (const [name, text] of Object.entries(help) as [keyof typeof help, string][]) {
        new Gauge({
          name: `${prefix}_${snakeCase(name)}`,
          help: text,
          registers: [registry],
          collect() {
            this.set(read()[name] ?? Number.NaN)
          },
        })
      }
    },
  }
}

/** Returns a function that counts and times requests, in batches. */
const requestMeter = (registry: Registry): Metrics['observe'] => {
  let observed: Observation[] = []
  const collect = () => {
    const batch = observed
    observed = []
    for (const { operation, status, seconds } of batch) {
      countOf(operation, status).inc()
      durationOf(operation).observe(seconds)
    }
  }
  const total = new Counter({
    name: 'http_requests_total',
    help: 'HTTP requests with a response, by operation and status',
    labelNames: ['operation', 'status'],
    registers: [registry],
    collect,
  })
  const duration = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the first byte of a request to the last byte of its response',
    labelNames: ['operation'],
    buckets: DURATION_BUCKETS_SECONDS,
    registers: [registry],
    collect,
  })
  // Cached per label set, since the library builds a key of all labels on every lookup.
  const counts = new Map<string, Map<number, Counter.Internal>>()
  const durations = new Map<string, Histogram.Internal<'operation'>>()
  const countOf = (operation: string, status: number) => {
    const ofOperation = counts.get(operation) ?? new Map<number, Counter.Internal>()
    counts.set(operation, ofOperation)
    const count = ofOperation.get(status) ?? total.labels({ operation, status: String(status) })
    ofOperation.set(status, count)
    return count
  }
  const durationOf = (operation: string) => {
    const found = durations.get(operation) ?? duration.labels({ operation })
    durations.set(operation, found)
    return found
  }
  return (request) => {
    observed.push(request)
    if (observed.length >= OBSERVATION_BATCH) collect()
  }
}

const refusalCounter = (registry: Registry) =>
  new Counter({
    name: 'http_requests_refused_total',
    help: 'HTTP requests rejected for an aborted body, missing capacity or a failed single sign-on',
    labelNames: ['operation', 'reason'],
    registers: [registry],
  })

const snakeCase = (name: string) => name.replace(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`)
