/**
 * Stores values of polls. A value that changes a component's status is recorded with its event in
 * one transaction of its organization.
 */
import { type DerivedStatus, systemActor } from '@status-page/contracts'
import { type Database, newId, settleEach, transact } from '@status-page/postgres'
import type { ScheduledItems } from '@status-page/schedule'
import type { ValueRow } from '../tables.ts'
import { type LoadedMetric, storeBatch } from './batches.ts'
import { derivedOf, type PollFinding, statusOf } from './rules.ts'
import type { ScheduledMetric } from './scheduled-metrics.ts'
import { recordValue } from './store.ts'

export interface MetricResultsOptions {
  database: Database
  items: Pick<ScheduledItems<LoadedMetric, ScheduledMetric>, 'get'>
  /** Called with each stored value. */
  onStored(row: ValueRow, kind: LoadedMetric['kind']): void
}

/** Value that waits to be stored. */
export interface PolledValue {
  row: ValueRow
  kind: LoadedMetric['kind']
}

export class MetricResults {
  readonly #options: MetricResultsOptions

  constructor(options: MetricResultsOptions) {
    this.#options = options
  }

  async store(entries: readonly PolledValue[], done: (entry: PolledValue) => void): Promise<void> {
    // A metric whose status changes within the batch is stored value by value, in order.
    const decided = new Set(
      entries.filter((entry) => this.changesStatus(entry)).map(({ row }) => row.metricId),
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

  #end(entry: PolledValue, done: (entry: PolledValue) => void): void {
    done(entry)
    this.#options.onStored(entry.row, entry.kind)
  }

  /** Whether the value changes the derived status of its component. */
  changesStatus({ row, kind }: PolledValue): boolean {
    if (kind !== 'component') return false
    const derived = derivedOf(row.status)
    // For a metric that this replica no longer holds, the stored state decides.
    return derived !== null && this.#options.items.get(row.metricId)?.derivedStatus !== derived
  }

  async #record({ row }: PolledValue): Promise<void> {
    const by = { organizationId: row.organizationId, actor: systemActor }
    const derivedStatus = await transact<DerivedStatus | null>(
      this.#options.database,
      by,
      async (scope) => {
        const { derivedStatus, events } = await recordValue(scope, row)
        return { result: derivedStatus, events, audit: [] }
      },
    )
    if (derivedStatus === null) return
    this.#options.items.get(row.metricId)?.recordStatus(derivedStatus, row.slotAt.getTime())
  }
}

/** Value of a poll; `metric` as it was at the start of the poll. */
export const polledValue = (
  metric: LoadedMetric,
  finding: PollFinding,
  slotMs: number,
): PolledValue => ({
  kind: metric.kind,
  row: {
    organizationId: metric.organizationId,
    metricId: metric.id,
    slotAt: new Date(slotMs),
    id: newId(),
    polledAt: new Date(finding.polledAtMs),
    status: statusOf(finding, metric),
    error: finding.fault,
    value: finding.value,
    durationMs: finding.durationMs,
  },
})
