/**
 * Checks of the assigned targets at their slots. A slot without a check has no result: when too many
 * checks are in flight, or while the previous check of the target still runs.
 */
import type { AgentResult, AgentTarget, PolledKind, ProbeSettings } from '@status-page/contracts'
import type { RunProbe } from '@status-page/probes'
import { nextSlot, slotAt } from '@status-page/schedule/slots'
import { createWheel, type Wheel } from '@status-page/schedule/wheel'

const MAX_IN_FLIGHT = 128

export interface TargetScheduleOptions {
  organizationId: string
  runProbe: RunProbe
  /** Epoch milliseconds of the service. */
  now: () => number
  /** Called with each result; `isChange` when the target had another status before. */
  onResult: (result: AgentResult, isChange: boolean) => void
  onError: (error: unknown) => void
}

interface Scheduled {
  definition: AgentTarget
  lastStatus: AgentResult['result']['status'] | null
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

  /** Number of slots without a check since the last call. */
  takeSkipped(): number {
    const skipped = this.#skipped
    this.#skipped = 0
    return skipped
  }

  versionOf(componentId: string): number | undefined {
    return this.#targets.get(componentId)?.definition.version
  }

  set(definition: AgentTarget): void {
    const { componentId } = definition
    const lastStatus = this.#targets.get(componentId)?.lastStatus ?? null
    this.#targets.set(componentId, { definition, lastStatus })
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

  /** Starts no further check; resolves when those in flight have ended. */
  async stop(): Promise<void> {
    this.#wheel.stop()
    await Promise.all(this.#running.values())
  }

  #scheduleNext({ componentId, intervalSeconds }: AgentTarget): void {
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

  async #check(target: Scheduled, slotMs: number): Promise<void> {
    const { organizationId, runProbe, onResult } = this.#options
    const { componentId, timeoutMs, probe } = target.definition
    const settings = probe as ProbeSettings<PolledKind>
    const result = await runProbe({ organizationId, componentId, timeoutMs, probe: settings })
    if (result === null) return
    const isChange = target.lastStatus !== result.status
    target.lastStatus = result.status
    onResult({ componentId, slotAt: new Date(slotMs).toISOString(), result }, isChange)
  }
}
