/**
 * Target in memory. A replica may hold 100,000, so that common values are shared objects and each
 * target has few of its own.
 */

import type { PolledKind, ProbeSettings } from '@status-page/contracts'
import { hostOf, type Probed } from '@status-page/probes'
import { type ScheduledItem, ScheduleState } from '@status-page/schedule'
import type { CheckThresholds, TargetState } from '../verdicts/rules.ts'
import type { Certificate } from '../verdicts/verdict.ts'

/** Limits of a check, equal for many targets. */
export interface CheckDefinition extends CheckThresholds {
  timeoutMs: number
}

/** Target with its state, as jobs load it. */
export interface LoadedTarget {
  /** Id of the component. */
  id: string
  organizationId: string
  version: number
  shard: number
  probe: ProbeSettings<PolledKind>
  intervalMs: number
  definition: CheckDefinition
  state: TargetState
  revision: number
  certificate: Certificate
}

export class CheckTarget
  extends ScheduleState
  implements Probed, ScheduledItem<LoadedTarget>, CheckThresholds
{
  readonly componentId: string
  organizationId: string
  version: number
  shard: number
  probe: ProbeSettings<PolledKind>
  host: string
  intervalMs: number
  definition: CheckDefinition
  state: TargetState
  revision: number
  certificate: Certificate

  constructor(loaded: LoadedTarget) {
    super()
    this.componentId = loaded.id
    this.organizationId = loaded.organizationId
    this.version = loaded.version
    this.shard = loaded.shard
    this.probe = loaded.probe
    this.host = hostOf(this)
    this.intervalMs = loaded.intervalMs
    this.definition = loaded.definition
    this.state = loaded.state
    this.revision = loaded.revision
    this.certificate = loaded.certificate
  }

  /** Replaces the definition after a reload; fired slots and checks in flight stay. */
  update(loaded: LoadedTarget): void {
    const { organizationId, version, shard, probe, intervalMs } = loaded
    Object.assign(this, { organizationId, version, shard, probe, intervalMs })
    const { definition, state, revision, certificate } = loaded
    Object.assign(this, { definition, state, revision, certificate })
    this.host = hostOf(this)
  }

  get id() {
    return this.componentId
  }

  get isUrgent(): boolean {
    return this.state.derivedStatus !== 'operational' || this.state.runs.bad !== undefined
  }

  get timeoutMs() {
    return this.definition.timeoutMs
  }

  get failureThreshold() {
    return this.definition.failureThreshold
  }

  get recoveryThreshold() {
    return this.definition.recoveryThreshold
  }
}
