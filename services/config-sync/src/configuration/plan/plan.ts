/**
 * Plans the changes from the live state to the desired state: created, updated, deleted and
 * unchanged resources. Pure. The summary holds names only; the fields to write hold decrypted
 * secrets.
 */
import type { ConfigEntry, ConfigUpdate, Cooperative, Issue } from '@status-page/contracts'
import type { DesiredComponent, DesiredIntegration } from '../document/document.ts'
import type { LiveComponent } from './live.ts'
import { componentChange, componentFields } from './plan-components.ts'
import { definitionIdsOf, planDefinitions } from './plan-definitions.ts'
import { integrationChange } from './plan-integrations.ts'
import {
  type ConfigurationPlan,
  type PlanInput,
  type PlanningState,
  typeChangeIssue,
} from './planning.ts'

export function* planChanges(input: PlanInput): Cooperative<ConfigurationPlan> {
  const planning = startPlanning(input)
  const { plan, document } = planning
  for (const desired of document.components) {
    planComponent(planning, desired)
    yield
  }
  limitVariables(planning, 'components')
  for (const desired of document.integrations) planIntegration(planning, desired)
  limitVariables(planning, 'integrations')
  yield* planDefinitions(planning)
  limitVariables(planning, 'notificationChannels')
  if (input.isPruning) yield* prune(planning)
  return plan
}

/** Maximum size of all variables of one batch, into which their encrypted values must fit. */
const MAX_VARIABLE_BYTES = 2 * 1024 * 1024

/** Adds an issue if the part has read too much, and begins to count for the next part. */
const limitVariables = ({ plan, readVariables }: PlanningState, section: string): void => {
  const field = `spec.${section}`
  if (readVariables.bytes > MAX_VARIABLE_BYTES) {
    plan.issues.push({ field, message: `${field} comes to more than 2 MiB of variables` })
  }
  readVariables.bytes = 0
}

const startPlanning = (input: PlanInput): PlanningState => {
  const { document, live, newId } = input
  const components = byName(live.components)
  const integrations = byName(live.integrations)
  const idsOf = (
    desired: readonly { name: string }[],
    known: ReadonlyMap<string, { id: string }[]>,
  ) =>
    new Map([
      ...[...known].map(([name, [one]]) => [name, one?.id ?? ''] as const),
      ...desired.map(({ name }) => [name, known.get(name)?.[0]?.id ?? newId()] as const),
    ])
  return {
    ...input,
    stored: { components, integrations },
    readVariables: { bytes: 0 },
    groups: new Set(document.components.filter((one) => one.isGroup).map(({ name }) => name)),
    componentIds: idsOf(document.components, components),
    definitionIds: definitionIdsOf(input),
    integrationIds: idsOf(document.integrations, integrations),
    plan: {
      components: { create: [], update: [], remove: [] },
      integrations: { create: [], update: [], remove: [] },
      definitions: new Map(),
      summary: { created: [], updated: [], deleted: [], unchanged: 0 },
      issues: [],
      unknown: [],
    },
  }
}

const byName = <One extends { name: string }>(all: readonly One[]): Map<string, One[]> => {
  const named = new Map<string, One[]>()
  for (const one of all) {
    const others = named.get(one.name)
    if (others === undefined) named.set(one.name, [one])
    else others.push(one)
  }
  return named
}

const planComponent = (planning: PlanningState, desired: DesiredComponent): void => {
  const { plan, stored, componentIds } = planning
  const { path, name, type } = desired
  const resourceType = desired.isGroup ? ('component_group' as const) : ('component' as const)
  const matches = stored.components.get(name) ?? []
  const [before] = matches
  if (matches.length > 1) return void plan.issues.push(ambiguousIssue(path))
  if (before === undefined) {
    const value = { name, type, ...componentFields(planning, desired) }
    plan.components.create.push({ id: componentIds.get(name) ?? '', path, value })
    plan.summary.created.push({ resourceType, resourceName: name })
    return
  }
  if (before.type !== type) return void plan.issues.push(typeChangeIssue(path, before.type))
  const { patch, fields } = componentChange(planning, desired, before)
  if (fields.length === 0) return void plan.summary.unchanged++
  plan.components.update.push({ id: before.id, path, value: patch, before })
  plan.summary.updated.push({ resourceType, resourceName: name, fields })
}

const planIntegration = (planning: PlanningState, desired: DesiredIntegration): void => {
  const { plan, stored, integrationIds } = planning
  const { path, name, type, isEnabled } = desired
  const resource = { resourceType: 'integration' as const, resourceName: name }
  const [before] = stored.integrations.get(name) ?? []
  if (before !== undefined && before.type !== type) {
    return void plan.issues.push(typeChangeIssue(path, before.type))
  }
  const { config, fields } = integrationChange(planning, desired, before ?? null)
  const enabled = isEnabled === undefined ? {} : { isEnabled }
  if (before === undefined) {
    const value = { name, type, ...enabled, config }
    plan.integrations.create.push({ id: integrationIds.get(name) ?? '', path, value })
    plan.summary.created.push(resource)
    return
  }
  if (fields.length === 0) return void plan.summary.unchanged++
  const value = { ...enabled, ...(fields.includes('config') ? { config } : {}) }
  plan.integrations.update.push({ id: before.id, path, value, before })
  plan.summary.updated.push({ ...resource, fields })
}

const ambiguousIssue = (path: string): Issue => ({
  field: `${path}.name`,
  message: `${path}.name matches several components`,
})

/**
 * Deletes resources of an earlier apply that the document lacks; their remaining children move up.
 */
function* prune(planning: PlanningState): Cooperative<void> {
  const { document, live, plan, formerGroups } = planning
  const desired = new Set(document.components.map(({ name }) => name))
  const removed = live.components.filter(({ name, isManaged }) => isManaged && !desired.has(name))
  const removedIds = new Set(removed.map(({ id }) => id))
  const parents = new Set(live.components.map(({ parentId }) => parentId))
  const isGroup = ({ id, name, type }: LiveComponent) =>
    type === 'SERVICE' && (parents.has(id) || formerGroups.has(name))
  plan.components.remove.push(...removed)
  plan.summary.deleted.push(
    ...removed.map((one) => entry(isGroup(one) ? 'component_group' : 'component', one.name)),
  )
  const context = pruneContextOf(planning, { removedIds, desired })
  for (const one of live.components) {
    if (one.parentId !== null && removedIds.has(one.parentId) && !removedIds.has(one.id)) {
      reparent(planning, one, context)
    }
    yield
  }
  pruneIntegrations(planning, removedIds)
}

const entry = (resourceType: ConfigEntry['resourceType'], resourceName: string): ConfigEntry => ({
  resourceType,
  resourceName,
})

/** Lookup tables for components that move up. */
interface PruneContext {
  removedIds: ReadonlySet<string>
  desired: ReadonlySet<string>
  parentOf: ReadonlyMap<string, string | null>
  planned: ReadonlyMap<string, ConfigurationPlan['components']['update'][number]>
  updates: ReadonlyMap<string, ConfigUpdate>
}

const pruneContextOf = (
  { plan, live }: PlanningState,
  sets: Pick<PruneContext, 'removedIds' | 'desired'>,
): PruneContext => ({
  ...sets,
  parentOf: new Map(live.components.map(({ id, parentId }) => [id, parentId])),
  planned: new Map(plan.components.update.map((one) => [one.id, one])),
  updates: new Map(
    plan.summary.updated.filter(isOfComponent).map((one) => [one.resourceName, one]),
  ),
})

/** Other resources may have the name of a component. */
const isOfComponent = ({ resourceType }: ConfigUpdate) =>
  resourceType === 'component' || resourceType === 'component_group'

const reparent = (
  { plan }: PlanningState,
  component: LiveComponent,
  { removedIds, desired, parentOf, planned: changes, updates }: PruneContext,
): void => {
  const planned = changes.get(component.id)
  if (planned !== undefined && 'parentComponentId' in planned.value) return
  let parentComponentId = component.parentId
  while (parentComponentId !== null && removedIds.has(parentComponentId)) {
    parentComponentId = parentOf.get(parentComponentId) ?? null
  }
  if (planned !== undefined) {
    planned.value = { ...planned.value, parentComponentId }
    updates.get(component.name)?.fields.push('group')
    return
  }
  plan.components.update.push({
    id: component.id,
    path: 'spec.components',
    before: component,
    value: { parentComponentId },
  })
  plan.summary.updated.push({ ...entry('component', component.name), fields: ['group'] })
  if (desired.has(component.name)) plan.summary.unchanged--
}

const pruneIntegrations = (planning: PlanningState, removedIds: ReadonlySet<string>): void => {
  const { document, live, plan } = planning
  const desired = new Set(document.integrations.map(({ name }) => name))
  const used = integrationsInUse(planning, removedIds)
  for (const integration of live.integrations) {
    if (!integration.isManaged || desired.has(integration.name)) continue
    if (used.has(integration.id)) {
      const field = 'spec.integrations'
      const message = `${field}: ${integration.name} is used by a component that is not deleted`
      plan.issues.push({ field, message })
    } else {
      plan.integrations.remove.push(integration)
      plan.summary.deleted.push(entry('integration', integration.name))
    }
  }
}

/** Ids of integrations that components use after the plan. */
const integrationsInUse = (
  { live, plan }: PlanningState,
  removedIds: ReadonlySet<string>,
): ReadonlySet<unknown> => {
  const changed = new Map(plan.components.update.map(({ id, value }) => [id, value]))
  return new Set([
    ...live.components
      .filter(({ id }) => !removedIds.has(id))
      .map(({ id, integrationId }) => changed.get(id)?.integrationId ?? integrationId),
    ...plan.components.create.map(({ value }) => value.integrationId),
  ])
}
