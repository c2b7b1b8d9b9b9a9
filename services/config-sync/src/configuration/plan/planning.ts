/** Types of a plan, and the state that its parts share. */
import {
  type ConfigApplyResult,
  type ConfigResourceType,
  type Issue,
  REDACTED,
} from '@status-page/contracts'
import type { LiveDefinition } from '../definitions/live.ts'
import type { Section } from '../definitions/section.ts'
import type { DesiredDocument } from '../document/document.ts'
import type { ConfigValues } from '../typed-config.ts'
import type { LiveComponent, LiveConfiguration, LiveIntegration } from './live.ts'

/** Fields as the API accepts them; secret headers in plain text or the redaction marker. */
export type PlannedFields = Readonly<Record<string, unknown>>

export interface PlannedResource<Value> {
  id: string
  /** Path in the document, for issues of the owning service. */
  path: string
  value: Value
}

export interface PlannedChange<Value, Stored> extends PlannedResource<Value> {
  before: Stored
}

export interface NewIntegrationFields {
  name: string
  type: LiveIntegration['type']
  isEnabled?: boolean
  /** Secrets in plain text or the redaction marker. */
  config: ConfigValues
}

export interface IntegrationFields {
  isEnabled?: boolean
  config?: ConfigValues
}

/** Planned changes of one section. */
export interface DefinitionPlan {
  section: Section
  create: PlannedResource<PlannedFields>[]
  update: PlannedChange<PlannedFields, LiveDefinition>[]
  remove: LiveDefinition[]
}

export interface ConfigurationPlan {
  components: {
    create: PlannedResource<PlannedFields>[]
    update: PlannedChange<PlannedFields, LiveComponent>[]
    remove: LiveComponent[]
  }
  integrations: {
    create: PlannedResource<NewIntegrationFields>[]
    update: PlannedChange<IntegrationFields, LiveIntegration>[]
    remove: LiveIntegration[]
  }
  /** By resource type; absent: no entry. */
  definitions: Map<ConfigResourceType, DefinitionPlan>
  summary: Pick<ConfigApplyResult, 'created' | 'updated' | 'deleted' | 'unchanged'>
  /** Issues that prevent the plan. */
  issues: Issue[]
  /** Unknown variables and integrations: a warning on validate, an issue on apply. */
  unknown: Issue[]
}

export interface PlanInput {
  document: DesiredDocument
  live: LiveConfiguration
  /** Values by name; variables that are not set are absent. */
  variables: ReadonlyMap<string, string>
  isPruning: boolean
  /** Names of groups in the previous document. */
  formerGroups: ReadonlySet<string>
  newId: () => string
}

/** State that the parts of a plan share. */
export interface PlanningState extends PlanInput {
  plan: ConfigurationPlan
  /** Total size of the variables that the part in progress has read. */
  readVariables: { bytes: number }
  componentIds: ReadonlyMap<string, string>
  integrationIds: ReadonlyMap<string, string>
  /** Ids of the entries of sections, by their keys. */
  definitionIds: ReadonlyMap<string, string>
  /** Names of groups in the document. */
  groups: ReadonlySet<string>
  stored: {
    components: ReadonlyMap<string, LiveComponent[]>
    integrations: ReadonlyMap<string, LiveIntegration[]>
  }
}

/** Returns the redaction marker; adds an issue if no value is stored for the field. */
export const requireStoredSecret = (field: string, stored: unknown, issues: Issue[]): string => {
  if (typeof stored !== 'string') {
    issues.push({ field, message: `${field} has no stored value` })
  }
  return REDACTED
}

export const typeChangeIssue = (path: string, type: string): Issue => ({
  field: `${path}.type`,
  message: `${path}.type cannot be changed from ${type}`,
  expected: [type],
})
