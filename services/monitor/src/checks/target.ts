/**
 * A target while it is ours. A replica may hold a hundred thousand of them: what many have in common
 * is one object, and each has as few of its own as there can be.
 */
import type { Condition } from '@status-page/contracts'
import type { Candidate } from '@status-page/schedule'
import type { TargetHeader, TargetMethod } from '../targets/rules.ts'
import type { Probed } from './probe.ts'
import type { CheckThresholds, TargetState } from './rules.ts'
import type { Certificate } from './verdict.ts'

/** What is asked of a target and expected of its answer. */
export interface CheckDefinition extends CheckThresholds {
  method: TargetMethod
  headers: readonly TargetHeader[]
  body: string | null
  timeoutMs: number
  conditions: readonly Condition[]
}

/** A target with its state, as due work loads it. */
export interface LoadedTarget {
  organizationId: string
  componentId: string
  version: number
  shard: number
  url: string
  intervalMs: number
  definition: CheckDefinition
  state: TargetState
  revision: number
  certificate: Certificate
}

/** Below every time. */
const NEVER = Number.NEGATIVE_INFINITY

/** A class, for the engine makes a dictionary of an object that is assembled from others. */
export class CheckTarget implements Probed, Candidate, CheckThresholds {
  readonly componentId: string
  organizationId: string
  version: number
  shard: number
  url: string
  host: string
  intervalMs: number
  definition: CheckDefinition
  state: TargetState
  revision: number
  certificate: Certificate
  /** The slot that it is armed for. */
  armedSlotMs = NEVER
  /** When the wheel was to fire last. */
  dueMs = NEVER
  /** The newest slot that fired. */
  firedSlotMs = NEVER
  /** Set from its fire until its result is there; a slot that falls due meanwhile is skipped. */
  waitingSlotMs: number | null = null
  isInFlight = false

  constructor(loaded: LoadedTarget) {
    this.componentId = loaded.componentId
    this.organizationId = loaded.organizationId
    this.version = loaded.version
    this.shard = loaded.shard
    this.url = loaded.url
    this.host = new URL(loaded.url).host
    this.intervalMs = loaded.intervalMs
    this.definition = loaded.definition
    this.state = loaded.state
    this.revision = loaded.revision
    this.certificate = loaded.certificate
  }

  /** Becomes what was loaded anew; what was fired and is under way stays. */
  update(loaded: LoadedTarget): void {
    if (loaded.url !== this.url) this.host = new URL(loaded.url).host
    const { organizationId, version, shard, url, intervalMs } = loaded
    Object.assign(this, { organizationId, version, shard, url, intervalMs })
    const { definition, state, revision, certificate } = loaded
    Object.assign(this, { definition, state, revision, certificate })
  }

  get isUrgent(): boolean {
    return this.state.derivedStatus !== 'operational' || this.state.runs.bad !== undefined
  }

  get method() {
    return this.definition.method
  }

  get headers() {
    return this.definition.headers
  }

  get body() {
    return this.definition.body
  }

  get timeoutMs() {
    return this.definition.timeoutMs
  }

  get conditions() {
    return this.definition.conditions
  }

  get failureThreshold() {
    return this.definition.failureThreshold
  }

  get recoveryThreshold() {
    return this.definition.recoveryThreshold
  }
}

const MAX_SHARED = 1000

/** One object for equal texts. The oldest is forgotten, which costs memory and nothing else. */
export class Shared<T> {
  readonly #known = new Map<string, T>()

  of(text: string, make: (text: string) => T): T {
    const known = this.#known.get(text)
    if (known !== undefined) return known
    const made = make(text)
    if (this.#known.size >= MAX_SHARED) {
      for (const [oldest] of this.#known) {
        this.#known.delete(oldest)
        break
      }
    }
    this.#known.set(text, made)
    return made
  }
}
