/** Plans the changes of the definitions of a document. Pure. */
import { isDeepStrictEqual } from 'node:util'
import type { Cooperative, Issue } from '@status-page/contracts'
import type { DesiredDefinition } from '../definitions/desired.ts'
import { type ReferencedNoun, type ResolveName, toApiValue } from '../definitions/id-fields.ts'
import type { LiveDefinition } from '../definitions/live.ts'
import {
  canonicalField,
  type DocumentFields,
  definitionKey,
  keyOf,
  type Section,
} from '../definitions/section.ts'
import { type ConfigValues, isMap } from '../typed-config.ts'
import { planConfig } from './plan-config.ts'
import { planSecret } from './plan-secret.ts'
import {
  type DefinitionPlan,
  type PlanInput,
  type PlannedFields,
  type PlanningState,
  typeChangeIssue,
} from './planning.ts'

export function* planDefinitions(planning: PlanningState): Cooperative<void> {
  const { document, live } = planning
  const stored = Map.groupBy(live.definitions, keyOf)
  if (planning.isPruning) pruneDefinitions(planning)
  for (const desired of document.definitions) {
    planDefinition(planning, desired, stored.get(keyOf(desired)) ?? [])
    yield
  }
}

/** Ids of the entries of a document: those of stored resources, and new ones. */
export const definitionIdsOf = ({ document, live, newId }: PlanInput): Map<string, string> => {
  const stored = new Map(live.definitions.map((one) => [keyOf(one), one.id]))
  return new Map(
    document.definitions.map((desired) => {
      const key = keyOf(desired)
      return [key, stored.get(key) ?? newId()]
    }),
  )
}

const planDefinition = (
  planning: PlanningState,
  desired: DesiredDefinition,
  matches: readonly LiveDefinition[],
): void => {
  const { plan } = planning
  const { path, name, section } = desired
  const [before] = matches
  const changes = changesOf(planning, section)
  const resource = { resourceType: section.resourceType, resourceName: name }
  if (matches.length > 1) return void plan.issues.push(ambiguousIssue(desired))
  if (before === undefined) {
    const value = { [section.identity]: name, ...newFields(planning, desired) }
    const id = planning.definitionIds.get(keyOf(desired)) ?? ''
    changes.create.push({ id, path, value })
    plan.summary.created.push(resource)
    return
  }
  if (section.config !== undefined && desired.fields.type !== before.fields.type) {
    return void plan.issues.push(typeChangeIssue(path, String(before.fields.type)))
  }
  const { patch, fields } = changedFields(planning, desired, before)
  if (fields.length === 0) return void plan.summary.unchanged++
  changes.update.push({ id: before.id, path, value: patch, before })
  plan.summary.updated.push({ ...resource, fields })
}

const changesOf = ({ plan }: PlanningState, section: Section): DefinitionPlan => {
  const known = plan.definitions.get(section.resourceType)
  if (known !== undefined) return known
  const changes: DefinitionPlan = { section, create: [], update: [], remove: [] }
  plan.definitions.set(section.resourceType, changes)
  return changes
}

const ambiguousIssue = ({ path, section }: DesiredDefinition): Issue => {
  const field = `${path}.${section.identity}`
  return { field, message: `${field} matches several ${section.plural}` }
}

/** Fields of a new resource; null fields are left to their defaults. */
const newFields = (planning: PlanningState, desired: DesiredDefinition): PlannedFields => {
  const { path, section } = desired
  const fields = section.complete?.(desired.fields, {}) ?? desired.fields
  for (const name of section.required.filter((required) => fields[required] == null)) {
    const field = `${path}.${name}`
    planning.plan.issues.push({ field, message: `${field} is required` })
  }
  const { fields: known } = planSecret(planning, { ...desired, fields }, null)
  const { resolved } = resolveConfig(planning, { ...desired, fields: known }, null)
  const given = Object.keys(known).filter((name) => known[name] !== null)
  return apiFieldsOf(planning, { ...desired, fields: resolved }, given)
}

const changedFields = (
  planning: PlanningState,
  desired: DesiredDefinition,
  before: LiveDefinition,
): { patch: PlannedFields; fields: string[] } => {
  const { section } = desired
  const completed = section.complete?.(desired.fields, before.stored) ?? desired.fields
  const secret = planSecret(planning, { ...desired, fields: completed }, before)
  const { fields } = secret
  const { resolved, isChanged } = resolveConfig(planning, { ...desired, fields }, before)
  const changed = Object.keys(fields).filter((name) => {
    if (name === section.secret?.field) return secret.isChanged
    if (name === 'config' && section.config !== undefined) return isChanged
    return !isDeepStrictEqual(canonicalField(section, fields, name), before.fields[name])
  })
  const patch = apiFieldsOf(planning, { ...desired, fields: resolved }, changed)
  const others = Object.keys(fields).filter((name) => !changed.includes(name))
  // Pruning deletes channels that unchanged fields may name.
  if (planning.isPruning) apiFieldsOf(planning, { ...desired, fields: resolved }, others)
  return { patch, fields: changed }
}

/** Fields with the values of variables in the config. */
const resolveConfig = (
  planning: PlanningState,
  { section, path, fields }: DesiredDefinition,
  before: LiveDefinition | null,
): { resolved: DocumentFields; isChanged: boolean } => {
  if (section.config === undefined || !isMap(fields.config)) {
    return { resolved: fields, isChanged: false }
  }
  const { config, isChanged } = planConfig(planning, {
    typed: section.config,
    type: String(fields.type),
    path: `${path}.config`,
    config: fields.config,
    stored: before === null ? null : (before.fields.config as ConfigValues),
  })
  return { resolved: { ...fields, config }, isChanged }
}

const apiFieldsOf = (
  planning: PlanningState,
  { section, path, fields }: DesiredDefinition,
  names: readonly string[],
): PlannedFields => {
  const resolve = resolverOf(planning)
  return Object.fromEntries(
    names.flatMap((name) => {
      const field = section.fields.get(name)
      if (field === undefined) return []
      const { apiName, apiSchema } = field
      const at = { path: `${path}.${name}`, resolve }
      return [[apiName, toApiValue(apiName, apiSchema, fields[name], at)]]
    }),
  )
}

/** Issues of unresolved names prevent the plan, so that no batch contains the empty id. */
const resolverOf =
  (planning: PlanningState): ResolveName =>
  (noun, name, field) => {
    const { plan } = planning
    const id = idLookups[noun](planning, name)
    if (typeof id === 'string') return id
    const quoted = JSON.stringify(name)
    const message =
      id === null
        ? `${field} matches several ${nouns[noun]}s`
        : `${field}: ${nouns[noun]} ${quoted} does not exist`
    plan.issues.push({ field, message })
    return ''
  }

/** Id of a name: null when several resources have it, undefined when none does. */
const idLookups: Record<
  ReferencedNoun,
  (planning: PlanningState, name: string) => string | null | undefined
> = {
  component: ({ stored, componentIds }, name) =>
    (stored.components.get(name)?.length ?? 0) > 1 ? null : componentIds.get(name),
  member: ({ live }, name) => live.references.member.get(name),
  notification_channel({ live, plan, definitionIds }, name) {
    const stored = live.references.notification_channel.get(name)
    const removed = plan.definitions.get('notification_channel')?.remove ?? []
    if (removed.some(({ id }) => id === stored)) return undefined
    return stored === undefined
      ? definitionIds.get(definitionKey('notification_channel', name))
      : stored
  },
}

const nouns = {
  component: 'component',
  member: 'member',
  notification_channel: 'notification channel',
} as const

/** Deletes resources of an earlier apply that the document lacks. */
const pruneDefinitions = (planning: PlanningState): void => {
  const { document, live, plan } = planning
  const desired = new Set(document.definitions.map(keyOf))
  for (const one of live.definitions) {
    if (!one.isManaged || desired.has(keyOf(one))) continue
    changesOf(planning, one.section).remove.push(one)
    const { resourceType } = one.section
    plan.summary.deleted.push({ resourceType, resourceName: one.name })
  }
}
