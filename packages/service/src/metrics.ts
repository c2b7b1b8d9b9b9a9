/** Figures of one process. Labels are ids of operations and of our own parts, never a tenant's data. */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

const DURATION_BUCKETS_SECONDS = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30,
]

/** The event loop is looked at ten times a second: at the library's 10 ms that alone took half a percent of a core. */
const EVENT_LOOP_LOOK_MS = 100

export interface Metrics {
  registry: Registry
  /** Counts one answered request. */
  observe(request: { operation: string; status: number; seconds: number }): void
  /** Counts one request that was refused because of its client or of load. */
  countRefusal(refusal: { operation: string; reason: string }): void
  /** A gauge for each number that `read` gives, asked at every scrape: `<prefix>_<name>`. */
  watch(prefix: string, read: () => object): void
}

/** Counted together: one at a time, each would find the library's code and tables gone from the caches. */
const OBSERVED_TOGETHER = 256

type Observed = Parameters<Metrics['observe']>[0]

export const createMetrics = (options: { withProcess?: boolean } = {}): Metrics => {
  const registry = new Registry()
  if (options.withProcess === true) {
    collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: EVENT_LOOP_LOOK_MS })
  }
  let observed: Observed[] = []
  const collect = () => {
    const some = observed
    observed = []
    for (const { operation, status, seconds } of some) {
      countOf(operation, status).inc()
      durationOf(operation).observe(seconds)
    }
  }
  const total = new Counter({
    name: 'http_requests_total',
    help: 'Requests answered',
    labelNames: ['operation', 'status'],
    registers: [registry],
    collect,
  })
  const duration = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'From the first byte of a request to the last of its answer',
    labelNames: ['operation'],
    buckets: DURATION_BUCKETS_SECONDS,
    registers: [registry],
    collect,
  })
  const refused = refusalCounter(registry)
  // Found once and not for each request: the library makes a name of all labels every time.
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
  return {
    registry,
    observe(request) {
      observed.push(request)
      if (observed.length >= OBSERVED_TOGETHER) collect()
    },
    countRefusal: (labels) => refused.inc(labels),
    watch(prefix, read) {
      for (const [name] of numbersOf(read())) {
        new Gauge({
          name: `${prefix}_${snakeCase(name)}`,
          help: `${prefix} ${name}`,
          registers: [registry],
          collect() {
            this.set(new Map(numbersOf(read())).get(name) ?? Number.NaN)
          },
        })
      }
    },
  }
}

const refusalCounter = (registry: Registry) =>
  new Counter({
    name: 'http_requests_refused_total',
    help: 'Requests with an aborted body, without capacity, or with a refused single sign-on',
    labelNames: ['operation', 'reason'],
    registers: [registry],
  })

const numbersOf = (figures: object): [string, number][] =>
  Object.entries(figures).flatMap(([name, figure]): [string, number][] =>
    typeof figure === 'number' ? [[name, figure]] : [],
  )

const snakeCase = (name: string) => name.replace(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`)
