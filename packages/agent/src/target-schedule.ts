/**
 * Checks of the assigned targets at their slots. A slot without a check has no result: when too many
 * checks are in flight, or while the previous check of the target still runs.
 */
import type { AgentResult, ProbeResult } from '@status-page/contracts'
import { isLoss } from '@status-page/probes'
import { nextSlot, slotAt } from '@status-page/schedule/slots'
import { createWheel, type Wheel } from '@status-page/schedule/wheel'
import type { PolledTarget } from './polled-target.ts'

const MAX_IN_FLIGHT = 128

export interface TargetScheduleOptions {
  check: (target: PolledTarget) => Promise<ProbeResult | null>
  /** Epoch milliseconds of the service. */
  now: () => number
  /** Receives each result; the next check of the target starts after it. */
  onResult: (result: TargetResult) => Promise<void>
  onError: (error: unknown) => void
}

export interface TargetResult {
  result: AgentResult
  target: PolledTarget
  /** Whether the target had another status before. */
  isChange: boolean
}

interface Scheduled {
  definition: PolledTarget
  lastStatus: ProbeResult['status'] | null
  /** Null before the first response of the host. */
  respondedAtMs: number | null
}

export class TargetSchedule {
  readonly #options: TargetScheduleOptions
  readonly #wheel: Wheel
  readonly #targets = new Map<string, Scheduled>()
  readonly #running = new Map<string, Promise<void>>()
  #skipped = 0

  constructor(options: TargetScheduleOptions) {
    const { now, onError } = options
    this.#options = options
    this.#wheel = createWheel({ now, onError })
  }

  get size(): number {
    return this.#targets.size
  }

  get targets(): PolledTarget[] {
    return [...this.#targets.values()].map(({ definition }) => definition)
  }

  /** Number of slots without a check since the last call. */
  takeSkipped(): number {
    const skipped = this.#skipped
    this.#skipped = 0
    return skipped
  }

  versionOf(componentId: string): number | undefined {
    return this.#targets.get(componentId)?.definition.version
  }

  set(definition: PolledTarget): void {
    const { componentId } = definition
    const { lastStatus = null } = this.#targets.get(componentId) ?? {}
    this.#targets.set(componentId, { definition, lastStatus, respondedAtMs: null })
    this.#scheduleNext(definition)
  }

  /** Removes all targets but those of the ids. */
  retain(componentIds: ReadonlySet<string>): void {
    for (const id of this.#targets.keys()) {
      if (componentIds.has(id)) continue
      this.#targets.delete(id)
      this.#wheel.delete(id)
    }
  }

  /** Targets whose hosts have responded, the last one first. */
  responders(): PolledTarget[] {
    return [...this.#targets.values()]
      .filter(({ respondedAtMs }) => respondedAtMs !== null)
      .toSorted((left, right) => Number(right.respondedAtMs) - Number(left.respondedAtMs))
      .map(({ definition }) => definition)
  }

  /** Starts no further check; resolves when those in flight have ended. */
  async stop(): Promise<void> {
    this.#wheel.stop()
    await Promise.all(this.#running.values())
  }

  #scheduleNext({ componentId, intervalSeconds }: PolledTarget): void {
    const dueMs = nextSlot(componentId, intervalSeconds * 1000, this.#options.now())
    this.#wheel.set(componentId, dueMs, (id) => this.#fire(id))
  }

  #fire(componentId: string): void {
    const target = this.#targets.get(componentId)
    if (target === undefined) return
    const intervalMs = target.definition.intervalSeconds * 1000
    const slotMs = slotAt(componentId, intervalMs, this.#options.now())
    this.#scheduleNext(target.definition)
    if (this.#running.has(componentId) || this.#running.size >= MAX_IN_FLIGHT) {
      this.#skipped++
      return
    }
    const run = this.#check(target, slotMs)
      .catch(this.#options.onError)
      .finally(() => this.#running.delete(componentId))
    this.#running.set(componentId, run)
  }

  async #check(scheduled: Scheduled, slotMs: number): Promise<void> {
    const { check, now, onResult } = this.#options
    const { definition: target, lastStatus } = scheduled
    const result = await check(target)
    if (result === null) return
    scheduled.lastStatus = result.status
    if (!isLoss(result)) scheduled.respondedAtMs = now()
    const slotAt = new Date(slotMs).toISOString()
    await onResult({
      result: { componentId: target.componentId, slotAt, result },
      target,
      isChange: lastStatus !== result.status,
    })
  }
}
