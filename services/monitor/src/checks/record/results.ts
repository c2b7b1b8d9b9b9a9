/**
 * Stores results of scheduled checks. A result that changes no status is one row of a batch;
 * changes are recorded with their events from the states in the rows. One transaction records those
 * of many organizations, since an outage of one provider affects many.
 */

import { type ProbeResult, systemActor } from '@status-page/contracts'
import {
  chunksOf,
  type Database,
  isConnectionLost,
  settleEach,
  transact,
  transactAsWorker,
} from '@status-page/postgres'
import type { ScheduledItems, Shards } from '@status-page/schedule'
import type { Logger } from 'pino'
import type { CheckTarget, LoadedTarget } from '../../targets/target.ts'
import { deriveStatus, internState } from '../../verdicts/rules.ts'
import { lockFreeVerdicts } from '../../verdicts/store.ts'
import { evaluateCertificate } from '../../verdicts/verdict.ts'
import { type MovedState, storeBatch } from './batches.ts'
import {
  organizationOutcomes,
  type Recorded,
  type RecordedChecks,
  recordChecks,
  type StoredState,
} from './record.ts'
import { type CheckRow, checkRowOf } from './rows.ts'

/** ProbeResult of a scheduled check, with its target as it was at the start of the check. */
export interface CheckFinding {
  target: Recorded['target'] & { organizationId: string; shard: number; isUrgent: boolean }
  result: ProbeResult
  slotMs: number
}

export type Stored = (
  target: { organizationId: string; componentId: string },
  checkedAtMs: number,
) => void

export interface CheckResultsOptions {
  database: Database
  items: Pick<ScheduledItems<LoadedTarget, CheckTarget>, 'get' | 'refresh'>
  shards: Pick<Shards, 'epochOf'>
  location: string
  logger: Logger
  /** Called with each stored result. */
  onStored: Stored
}

/** Targets whose results one transaction records. */
const TARGETS_PER_TRANSACTION = 250
const TRANSACTIONS_AT_ONCE = 4

interface Plan {
  moved: MovedState[]
  quiet: CheckFinding[]
  /** Results that change a derived status, and later results of the same targets. */
  decisive: CheckFinding[]
}

export class CheckResults {
  readonly #options: CheckResultsOptions

  constructor(options: CheckResultsOptions) {
    this.#options = options
  }

  /** Whether the result changes the derived status of its target. */
  changesStatus({ target: { componentId, isUrgent }, result }: CheckFinding): boolean {
    if (result.status === 'SUCCESS' && !isUrgent) return false
    const target = this.#options.items.get(componentId)
    return target !== undefined && deriveStatus(target.state, result, target).changedSince !== null
  }

  async store(
    entries: readonly CheckFinding[],
    isStored: (entry: CheckFinding) => void,
  ): Promise<void> {
    const plan = this.#plan(entries)
    const { outdated, stored } = await this.#storeQuiet(plan)
    for (const entry of stored) isStored(entry)
    await this.#recordAll([...outdated, ...plan.decisive], isStored)
  }

  /**
   * Records targets of any organizations together. Those that another transaction has locked, and
   * those of a failed transaction, are recorded per organization, so that they delay no other.
   */
  async #recordAll(
    entries: readonly CheckFinding[],
    isStored: (entry: CheckFinding) => void,
  ): Promise<void> {
    const left: CheckFinding[] = []
    const targets = [...Map.groupBy(entries, ({ target }) => target.componentId).values()]
    await concurrently(chunksOf(targets, TARGETS_PER_TRANSACTION), async (some) => {
      const { recorded, others } = await this.#recordFree(some.flat())
      for (const entry of recorded) isStored(entry)
      left.push(...others)
    })
    await concurrently(byOrganization(left), async ([organizationId, some]) => {
      await this.#record(organizationId, some)
      for (const entry of some) isStored(entry)
    })
  }

  #rowOf({ target, result, slotMs }: CheckFinding): CheckRow {
    const { location } = this.#options
    return checkRowOf(target, result, { slotMs, location, trigger: 'schedule' })
  }

  #plan(entries: readonly CheckFinding[]): Plan {
    const { items, shards } = this.#options
    const plan: Plan = { moved: [], quiet: [], decisive: [] }
    const moved = new Map<string, MovedState>()
    const decided = new Set<string>()
    for (const entry of entries) {
      const { componentId } = entry.target
      const target = items.get(componentId)
      const epoch = shards.epochOf(entry.target.shard)
      if (decided.has(componentId)) {
        plan.decisive.push(entry)
        continue
      }
      const before = moved.get(componentId)?.state ?? target?.state
      if (target === undefined || before === undefined || epoch === 0) {
        plan.quiet.push(entry)
        continue
      }
      const { state, changedSince } = deriveStatus(before, entry.result, target)
      if (changedSince !== null || evaluateCertificate(target.certificate, entry.result) !== null) {
        decided.add(componentId)
        plan.decisive.push(entry)
        continue
      }
      plan.quiet.push(entry)
      if (state === before) continue
      const { shard, revision } = target
      const { slotMs } = entry
      moved.set(componentId, { componentId, slotMs, shard, epoch, revision, state })
    }
    plan.moved.push(...moved.values())
    return plan
  }

  /**
   * Stores results without a status change. A result is outdated when a manual check has changed
   * its state since.
   */
  async #storeQuiet({
    quiet,
    moved,
  }: Plan): Promise<{ stored: CheckFinding[]; outdated: CheckFinding[] }> {
    if (quiet.length === 0) return { stored: [], outdated: [] }
    const { database, location, onStored } = this.#options
    const rows = quiet.map((entry) => this.#rowOf(entry))
    const done = await storeBatch(database, { rows, moved, location })
    const refused = new Set<string>()
    for (const { componentId, state, revision } of moved) {
      if (done.has(componentId)) this.#updateTarget(componentId, { state, revision: revision + 1 })
      else refused.add(componentId)
    }
    const stored = quiet.filter(({ target }) => !refused.has(target.componentId))
    for (const { target, result } of stored) onStored(target, result.checkedAtMs)
    return { stored, outdated: quiet.filter(({ target }) => refused.has(target.componentId)) }
  }

  /** Records the targets that no other transaction has locked; none when it fails. */
  async #recordFree(
    entries: readonly CheckFinding[],
  ): Promise<{ recorded: readonly CheckFinding[]; others: readonly CheckFinding[] }> {
    const { database, location, logger } = this.#options
    const keys = entries.map(({ target }) => target)
    try {
      const { free, stored } = await transactAsWorker(database, async (scope) => {
        const free = await lockFreeVerdicts(scope, keys)
        const checks = entries
          .filter(({ target }) => free.has(target.componentId))
          .map((entry) => this.#recordedOf(entry))
        const { stored, events } = await recordChecks(scope, location, checks)
        return { result: { free, stored }, organizations: organizationOutcomes(events, keys) }
      })
      const isFree = ({ target }: CheckFinding) => free.has(target.componentId)
      const recorded = entries.filter(isFree)
      this.#apply(recorded, stored)
      return { recorded, others: entries.filter((entry) => !isFree(entry)) }
    } catch (error) {
      if (isConnectionLost(error)) throw error
      logger.warn(
        { err: error, checks: entries.length },
        'failed to record a batch of results, will record each organization',
      )
      return { recorded: [], others: entries }
    }
  }

  async #record(organizationId: string, entries: readonly CheckFinding[]): Promise<void> {
    const { database, location } = this.#options
    const by = { organizationId, actor: systemActor }
    const stored = await transact(database, by, async (scope) => {
      const checks = entries.map((entry) => this.#recordedOf(entry))
      const { stored, events } = await recordChecks(scope, location, checks)
      return { result: stored, events, audit: [] }
    })
    this.#apply(entries, stored)
  }

  #recordedOf(entry: CheckFinding): Recorded {
    const { target, result } = entry
    const lease = { shard: target.shard, epoch: this.#options.shards.epochOf(target.shard) }
    return { target, result, row: this.#rowOf(entry), lease }
  }

  /** Updates the targets in memory after the commit of their results. */
  #apply(entries: readonly CheckFinding[], states: RecordedChecks['stored']): void {
    const { items, onStored } = this.#options
    for (const [componentId, stored] of states) {
      if (stored === null) items.refresh(componentId)
      else this.#updateTarget(componentId, stored)
    }
    for (const { target, result } of entries) onStored(target, result.checkedAtMs)
  }

  #updateTarget(
    componentId: string,
    stored: Partial<StoredState> & Omit<StoredState, 'certificate'>,
  ): void {
    const target = this.#options.items.get(componentId)
    if (target === undefined) return
    const { state, revision, certificate = target.certificate } = stored
    target.state = internState(state, target)
    target.revision = revision
    target.certificate = certificate
  }
}

/**
 * Processes items in a few transactions at once. A failing item stops no other; its failure is
 * thrown after the last one.
 */
const concurrently = async <Item>(
  items: Iterable<Item>,
  work: (item: Item) => Promise<void>,
): Promise<void> => {
  const queue = Iterator.from(items)
  const workers = Array.from({ length: TRANSACTIONS_AT_ONCE }, () => settleEach(queue, work))
  const failed = (await Promise.allSettled(workers)).find(({ status }) => status === 'rejected')
  if (failed?.status === 'rejected') throw failed.reason
}

const byOrganization = (entries: readonly CheckFinding[]): Map<string, CheckFinding[]> =>
  Map.groupBy(entries, ({ target }) => target.organizationId)
