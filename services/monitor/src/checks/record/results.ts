/**
 * Stores results of scheduled checks. A result that changes no status is one row of a batch;
 * changes are recorded with their events in one transaction per organization, from the states in
 * the rows.
 */

import { type ProbeResult, systemActor } from '@status-page/contracts'
import { type Database, settleEach, transact } from '@status-page/postgres'
import type { ScheduledItems, Shards } from '@status-page/schedule'
import type { Logger } from 'pino'
import type { CheckTarget, LoadedTarget } from '../../targets/target.ts'
import { deriveStatus, internState } from '../../verdicts/rules.ts'
import { validateCertificate } from '../../verdicts/verdict.ts'
import { type MovedState, storeBatch } from './batches.ts'
import { type Recorded, recordChecks, type StoredState } from './record.ts'
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

/** Maximum organizations recorded concurrently: an outage of one provider affects many. */
const ORGANIZATIONS_AT_ONCE = 4

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
   * Records organizations independently: a failing one delays no other, and its results are not
   * reported as stored.
   */
  async #recordAll(
    entries: readonly CheckFinding[],
    isStored: (entry: CheckFinding) => void,
  ): Promise<void> {
    const organizations = byOrganization(entries).entries()
    const work = () =>
      settleEach(organizations, async ([organizationId, some]) => {
        await this.#record(organizationId, some)
        for (const entry of some) isStored(entry)
      })
    const workers = Array.from({ length: ORGANIZATIONS_AT_ONCE }, work)
    const failed = (await Promise.allSettled(workers)).find(({ status }) => status === 'rejected')
    if (failed?.status === 'rejected') throw failed.reason
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
      if (changedSince !== null || validateCertificate(target.certificate, entry.result) !== null) {
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

  async #record(organizationId: string, entries: readonly CheckFinding[]): Promise<void> {
    const { database, shards, location, items, logger } = this.#options
    const by = { organizationId, actor: systemActor }
    const states = await transact(database, by, async (scope) => {
      const recorded = entries.map((entry) => {
        const { target, result } = entry
        const lease = { shard: target.shard, epoch: shards.epochOf(target.shard) }
        return { target, result, row: this.#rowOf(entry), lease }
      })
      const { stored, events } = await recordChecks(scope, location, recorded)
      return { result: stored, events, audit: [] }
    })
    for (const [componentId, stored] of states) {
      if (stored === null) items.refresh(componentId)
      else this.#updateTarget(componentId, stored)
    }
    const { onStored } = this.#options
    for (const { target, result } of entries) onStored(target, result.checkedAtMs)
    logger.debug({ organizationId, checks: entries.length }, 'derived status evaluated')
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

const byOrganization = (entries: readonly CheckFinding[]): Map<string, CheckFinding[]> =>
  Map.groupBy(entries, ({ target }) => target.organizationId)
