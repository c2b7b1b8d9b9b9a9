/** Fields of a new component, or the patch of a stored one. Pure. */
import { isDeepStrictEqual } from 'node:util'
import { REDACTED } from '@status-page/contracts'
import { isSecretHeader } from '@status-page/secrets'
import type { DesiredComponent } from '../document/document.ts'
import { defaultsOfFields, requiredFieldsOfType } from '../document/schema.ts'
import { referencedVariable, unknownVariable } from '../references.ts'
import type { LiveComponent } from './live.ts'
import { type PlannedFields, type PlanningState, requireStoredSecret } from './planning.ts'

/** Fields of a new component; null fields are left to their defaults. */
export const componentFields = (
  planning: PlanningState,
  desired: DesiredComponent,
): PlannedFields => {
  const { fields, headers } = readHeaders(planning, desired, null)
  const { group, integration, dependsOn } = idsIn(planning, desired)
  requireFields(planning, desired)
  const provided = Object.entries({ ...fields, ...(headers === undefined ? {} : { headers }) })
  return {
    ...Object.fromEntries(provided.filter(([, value]) => value !== null)),
    ...(group == null ? {} : { parentComponentId: group }),
    ...(dependsOn === undefined ? {} : { dependsOn }),
    // A placeholder for an unknown integration lets the other fields be validated.
    ...(desired.type === 'METRIC' ? { integrationId: integration ?? planning.newId() } : {}),
  }
}

/** Returns the patch for the API and the changed fields by their names in the document. */
export const componentChange = (
  planning: PlanningState,
  desired: DesiredComponent,
  before: LiveComponent,
): { patch: PlannedFields; fields: string[] } => {
  const { fields, headers, plain } = readHeaders(planning, desired, before)
  const { group, integration, dependsOn } = idsIn(planning, desired)
  const differing = Object.entries(fields).filter(
    // An apply never overwrites a live status.
    ([name, value]) =>
      name !== 'status' && isDifferent(value ?? defaultsOfFields[name], before.fields[name]),
  )
  const patch: Record<string, unknown> = Object.fromEntries(differing)
  const names = differing.map(([name]) => name)
  if (headers !== undefined && isDifferent(plain, before.fields.headers)) {
    names.push('headers')
  }
  // A change of the URL requires the secrets again.
  if (headers !== undefined && (names.includes('headers') || 'url' in patch))
    patch.headers = headers
  if (group !== undefined && group !== before.parentId) {
    patch.parentComponentId = group
    names.push('group')
  }
  if (dependsOn !== undefined && isDifferent(dependsOn, before.dependencyIds)) {
    patch.dependsOn = dependsOn
    names.push('dependsOn')
  }
  if (integration !== undefined && integration !== before.integrationId) {
    patch.integrationId = integration
    names.push('integration')
  }
  return { patch, fields: names }
}

const requireFields = (
  { plan }: PlanningState,
  { path, type, fields, integration }: DesiredComponent,
) => {
  const missing = requiredFieldsOfType[type].filter((name) => fields[name] == null)
  if (type === 'ENDPOINT' && fields.kind == null && fields.url == null) missing.push('url')
  if (type === 'METRIC' && integration === undefined) missing.push('integration')
  for (const name of missing) {
    const field = `${path}.${name}`
    plan.issues.push({ field, message: `${field} is required` })
  }
}

/**
 * Ids of the parent, the integration and the dependencies; null removes the parent, undefined leaves
 * a field unchanged.
 */
const idsIn = (planning: PlanningState, desired: DesiredComponent) => {
  const { path, group, integration, name } = desired
  const { plan, integrationIds } = planning
  const parentId = group == null ? group : groupId(planning, group)
  if (group != null && (parentId === undefined || group === name)) {
    plan.issues.push({ field: `${path}.group`, message: `${path}.group does not exist` })
  }
  const integrationId = integration === undefined ? undefined : integrationIds.get(integration)
  if (integration !== undefined && integrationId === undefined) {
    const field = `${path}.integration`
    const quoted = JSON.stringify(integration)
    plan.unknown.push({ field, message: `${field}: integration ${quoted} does not exist` })
  }
  return {
    group: parentId,
    integration: integrationId,
    dependsOn: dependencyIds(planning, desired),
  }
}

/** Ids of components of the document, or of stored components that the apply does not delete. */
const dependencyIds = (
  { plan, stored, componentIds, document, isPruning }: PlanningState,
  { path, dependsOn }: DesiredComponent,
): string[] | undefined => {
  if (dependsOn === undefined) return undefined
  const desired = new Set(document.components.map((one) => one.name))
  return (dependsOn ?? []).flatMap((name, index) => {
    const id = componentIds.get(name)
    const matches = stored.components.get(name) ?? []
    const isPruned = isPruning && !desired.has(name) && matches[0]?.isManaged === true
    if (id !== undefined && matches.length <= 1 && !isPruned) return [id]
    const field = `${path}.dependsOn[${index}]`
    const problem = matches.length > 1 ? 'matches several components' : 'does not exist'
    plan.issues.push({ field, message: `${field} ${problem}` })
    return []
  })
}

/** Id of a group of the document, or of a stored component of type SERVICE. */
const groupId = ({ groups, stored, componentIds }: PlanningState, name: string) => {
  const matches = stored.components.get(name) ?? []
  const isStored = matches.length === 1 && matches[0]?.type === 'SERVICE'
  return groups.has(name) || isStored ? componentIds.get(name) : undefined
}

/**
 * Returns `headers` as the API accepts them, and `plain` with the stored value in place of each
 * marker.
 */
const readHeaders = (
  planning: PlanningState,
  { path, fields: provided }: DesiredComponent,
  before: LiveComponent | null,
) => {
  const { headers: written, ...fields } = provided
  if (written === undefined) return { fields, headers: undefined, plain: undefined }
  const stored = new Map(
    Object.entries((before?.fields.headers ?? {}) as Record<string, string>).map(
      ([name, value]) => [name.toLowerCase(), value],
    ),
  )
  const headers: Record<string, string> = {}
  const plain: Record<string, string> = {}
  for (const [name, text] of Object.entries((written ?? {}) as Record<string, string>)) {
    const field = `${path}.headers.${name}`
    const storedValue = stored.get(name.toLowerCase())
    const value = isSecretHeader(name) ? readSecret(planning, field, text, storedValue) : text
    headers[name] = value
    plain[name] = value === REDACTED ? (storedValue ?? value) : value
  }
  return { fields, headers, plain }
}

const readSecret = (
  { variables, plan, readVariables }: PlanningState,
  field: string,
  text: string,
  stored: string | undefined,
): string => {
  if (text === REDACTED) return requireStoredSecret(field, stored, plan.issues)
  const name = referencedVariable(text) ?? ''
  const value = variables.get(name)
  if (value !== undefined) {
    readVariables.bytes += Buffer.byteLength(value)
    return value
  }
  plan.unknown.push(unknownVariable(field, name))
  // An unknown variable keeps the value that was stored from it.
  return stored === undefined ? text : REDACTED
}

const isDifferent = (left: unknown, right: unknown): boolean =>
  !isDeepStrictEqual(left ?? null, right ?? null)
