/**
 * Values on their way to Postgres: stored by the batch, and told as facts where they change what a
 * component is. Such a change is recorded with its event in one transaction of its organization.
 */
import { type DerivedStatus, systemActor } from '@status-page/contracts'
import { change, type Database, newId } from '@status-page/postgres'
import type { ValueRow } from '../tables.ts'
import { storeBatch } from './batches.ts'
import type { Metric } from './roster.ts'
import { derivedOf, type Finding, statusOf } from './rules.ts'
import { recordValue } from './store.ts'

export interface ResultsOptions {
  database: Database
  get(id: string): Metric | undefined
  /** Told of each value once it is stored. */
  onStored(row: ValueRow, kind: Metric['kind']): void
  onDropped(count: number): void
}

export const BATCH_ROWS = 500
/** Kept while Postgres is away; then the oldest go. */
const MAX_BUFFERED = 20_000

interface Entry {
  row: ValueRow
  kind: Metric['kind']
}

type Polled = Pick<
  Metric,
  'organizationId' | 'id' | 'kind' | 'warningThreshold' | 'criticalThreshold'
>

export class Results {
  readonly #options: ResultsOptions
  #buffer: Entry[] = []
  #flushing: Promise<void> = Promise.resolve()

  constructor(options: ResultsOptions) {
    this.#options = options
  }

  get buffered(): number {
    return this.#buffer.length
  }

  /** `metric` as it was when the poll began. */
  add(metric: Polled, finding: Finding, slotMs: number): void {
    this.#buffer.push({ row: valueRowOf(metric, finding, slotMs), kind: metric.kind })
    const surplus = this.#buffer.length - MAX_BUFFERED
    if (surplus <= 0) return
    this.#buffer.splice(0, surplus)
    this.#options.onDropped(surplus)
  }

  /** Stores all that is buffered; what could not be stored stays. */
  flush(): Promise<void> {
    this.#flushing = this.#flushing.catch(() => undefined).then(() => this.#flushAll())
    return this.#flushing
  }

  async #flushAll(): Promise<void> {
    for (let left = this.#buffer.length; left > 0; left -= BATCH_ROWS) {
      const entries = this.#buffer.splice(0, Math.min(BATCH_ROWS, left))
      const rest = new Set(entries)
      try {
        await this.#store(entries, (done) => rest.delete(done))
      } finally {
        this.#buffer.unshift(...rest)
      }
    }
  }

  async #store(entries: readonly Entry[], done: (entry: Entry) => void): Promise<void> {
    // A metric whose status changes within the batch is stored value by value, in order.
    const decided = new Set(
      entries.filter((entry) => this.#changesIt(entry)).map(({ row }) => row.metricId),
    )
    const quiet = entries.filter(({ row }) => !decided.has(row.metricId))
    if (quiet.length > 0) {
      await storeBatch(
        this.#options.database,
        quiet.map(({ row }) => row),
      )
      for (const entry of quiet) this.#end(entry, done)
    }
    for (const entry of entries.filter(({ row }) => decided.has(row.metricId))) {
      await this.#record(entry)
      this.#end(entry, done)
    }
  }

  #end(entry: Entry, done: (entry: Entry) => void): void {
    done(entry)
    this.#options.onStored(entry.row, entry.kind)
  }

  #changesIt({ row, kind }: Entry): boolean {
    if (kind !== 'component') return false
    const derived = derivedOf(row.status)
    // Of one that is not ours any more, the row decides.
    return derived !== null && this.#options.get(row.metricId)?.derivedStatus !== derived
  }

  async #record({ row }: Entry): Promise<void> {
    const by = { organizationId: row.organizationId, actor: systemActor }
    const derivedStatus = await change<DerivedStatus | null>(
      this.#options.database,
      by,
      async (scope) => {
        const { derivedStatus, events } = await recordValue(scope, row)
        return { result: derivedStatus, events, audit: [] }
      },
    )
    const metric = this.#options.get(row.metricId)
    if (metric === undefined || derivedStatus === null) return
    metric.derivedStatus = derivedStatus
    metric.isUrgent = derivedStatus !== 'operational'
  }
}

const valueRowOf = (metric: Polled, finding: Finding, slotMs: number): ValueRow => ({
  ...{ organizationId: metric.organizationId, metricId: metric.id, slotAt: new Date(slotMs) },
  ...{ id: newId(), polledAt: new Date(finding.polledAtMs), status: statusOf(finding, metric) },
  ...{ error: finding.fault, value: finding.value, durationMs: finding.durationMs },
})
