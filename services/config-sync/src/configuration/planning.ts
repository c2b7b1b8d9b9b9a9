/** What a plan is made of, and what its parts share while it is made. */
import { type Applied, type Issue, REDACTED } from '@status-page/contracts'
import type { ConfigValue, DesiredDocument } from './document.ts'
import type { LiveComponent, LiveConfiguration, LiveIntegration } from './live.ts'

/** Fields as the API takes them; secret headers in the clear, or the marker. */
export type Fields = Readonly<Record<string, unknown>>

/** By field; secrets in the clear, or the marker. */
export type PlannedConfig = Readonly<Record<string, ConfigValue>>

export interface Planned<Value> {
  id: string
  /** Of the document, for what its owner says against it. */
  path: string
  value: Value
}

export interface PlannedChange<Value, Stored> extends Planned<Value> {
  before: Stored
}

export interface NewIntegrationFields {
  name: string
  type: LiveIntegration['type']
  isEnabled?: boolean
  config: PlannedConfig
}

export interface IntegrationFields {
  isEnabled?: boolean
  config?: PlannedConfig
}

export interface ConfigurationPlan {
  components: {
    create: Planned<Fields>[]
    update: PlannedChange<Fields, LiveComponent>[]
    remove: LiveComponent[]
  }
  integrations: {
    create: Planned<NewIntegrationFields>[]
    update: PlannedChange<IntegrationFields, LiveIntegration>[]
    remove: LiveIntegration[]
  }
  summary: Pick<Applied, 'created' | 'updated' | 'deleted' | 'unchanged'>
  /** What stands against it. */
  issues: Issue[]
  /** Variables and integrations that nobody knows: a warning on validate, a problem on apply. */
  unknown: Issue[]
}

export interface PlanInput {
  document: DesiredDocument
  live: LiveConfiguration
  /** By name; those that are not set are absent. */
  variables: ReadonlyMap<string, string>
  isPruning: boolean
  /** Names that were groups in the document before. */
  formerGroups: ReadonlySet<string>
  newId: () => string
}

/** What the parts of a plan share while it is made. */
export interface Planning extends PlanInput {
  plan: ConfigurationPlan
  /** What the variables of components come to; a batch has to hold it, sealed. */
  readVariables: { bytes: number }
  componentIds: ReadonlyMap<string, string>
  integrationIds: ReadonlyMap<string, string>
  /** Names of the document's groups. */
  groups: ReadonlySet<string>
  stored: {
    components: ReadonlyMap<string, LiveComponent[]>
    integrations: ReadonlyMap<string, LiveIntegration[]>
  }
}

/** The stored value that a marker stands for, or the problem that there is none. */
export const storedSecret = (field: string, stored: unknown, issues: Issue[]): string => {
  if (typeof stored !== 'string') {
    issues.push({ field, message: `${field} has no stored value` })
  }
  return REDACTED
}
