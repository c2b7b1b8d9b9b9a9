/**
 * Buffers values on their way to Postgres. A value that changes a component's status is recorded
 * with its event in one transaction of its organization.
 */
import { type DerivedStatus, systemActor } from '@status-page/contracts'
import { type Database, newId, transact } from '@status-page/postgres'
import { ResultBuffer, settleEach } from '@status-page/schedule'
import type { Logger } from 'pino'
import type { ValueRow } from '../tables.ts'
import { storeBatch } from './batches.ts'
import { derivedOf, type PollFinding, statusOf } from './rules.ts'
import type { ScheduledMetric } from './scheduled-metrics.ts'
import { recordValue } from './store.ts'

export interface MetricResultsOptions {
  database: Database
  get(id: string): ScheduledMetric | undefined
  /** Called with each stored value. */
  onStored(row: ValueRow, kind: ScheduledMetric['kind']): void
  onDropped(count: number): void
  /** Creates today's partitions, which are missing after a stop of several days. */
  createPartitions(): Promise<unknown>
  logger: Pick<Logger, 'error'>
}

const BATCH_ROWS = 500
/** Maximum buffered values while Postgres is unavailable; the oldest are dropped beyond it. */
const MAX_BUFFERED = 20_000

interface Entry {
  row: ValueRow
  kind: ScheduledMetric['kind']
}

type Polled = Pick<
  ScheduledMetric,
  'organizationId' | 'id' | 'kind' | 'warningThreshold' | 'criticalThreshold'
>

export class MetricResults {
  readonly #options: MetricResultsOptions
  readonly #buffer: ResultBuffer<Entry>

  constructor(options: MetricResultsOptions) {
    const { logger, onDropped, createPartitions } = options
    this.#options = options
    this.#buffer = new ResultBuffer<Entry>({
      batchSize: BATCH_ROWS,
      maxBuffered: MAX_BUFFERED,
      groupOf: ({ row }) => row.organizationId,
      store: (entries, stored) => this.#store(entries, stored),
      createPartitions,
      onDropped,
      onRefused: ({ row: { metricId } }, error) =>
        logger.error({ err: error, metricId }, 'Postgres rejected a metric value'),
    })
  }

  get buffered(): number {
    return this.#buffer.size
  }

  get isBatchFull(): boolean {
    return this.#buffer.isBatchFull
  }

  /** Buffers a value; `metric` as it was at the start of the poll. */
  add(metric: Polled, finding: PollFinding, slotMs: number): void {
    this.#buffer.add({ row: valueRowOf(metric, finding, slotMs), kind: metric.kind })
  }

  /** Stores all buffered values; values that fail to store stay buffered. */
  flush(): Promise<void> {
    return this.#buffer.flush()
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
    const decisive = entries.filter(({ row }) => decided.has(row.metricId))
    const byMetric = Map.groupBy(decisive, ({ row }) => row.metricId)
    await settleEach(byMetric.values(), async (some) => {
      for (const entry of some) {
        await this.#record(entry)
        this.#end(entry, done)
      }
    })
  }

  #end(entry: Entry, done: (entry: Entry) => void): void {
    done(entry)
    this.#options.onStored(entry.row, entry.kind)
  }

  #changesIt({ row, kind }: Entry): boolean {
    if (kind !== 'component') return false
    const derived = derivedOf(row.status)
    // For a metric that this replica no longer holds, the stored state decides.
    return derived !== null && this.#options.get(row.metricId)?.derivedStatus !== derived
  }

  async #record({ row }: Entry): Promise<void> {
    const by = { organizationId: row.organizationId, actor: systemActor }
    const derivedStatus = await transact<DerivedStatus | null>(
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

const valueRowOf = (metric: Polled, finding: PollFinding, slotMs: number): ValueRow => ({
  organizationId: metric.organizationId,
  metricId: metric.id,
  slotAt: new Date(slotMs),
  id: newId(),
  polledAt: new Date(finding.polledAtMs),
  status: statusOf(finding, metric),
  error: finding.fault,
  value: finding.value,
  durationMs: finding.durationMs,
})
