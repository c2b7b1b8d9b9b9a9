/** What a component of a document comes to: the fields of a new one, or the patch of one that is there. Pure. */
import { isDeepStrictEqual } from 'node:util'
import { REDACTED } from '@status-page/contracts'
import { isSecretHeader } from '@status-page/secrets'
import type { DesiredComponent } from './document.ts'
import type { LiveComponent } from './live.ts'
import { type Fields, type Planning, storedSecret } from './planning.ts'
import { referenceIn, unknownVariable } from './references.ts'
import { defaultsOfFields } from './schema.ts'

/** Of one that is to be made: what is null is left to its default. */
export const componentFields = (planning: Planning, desired: DesiredComponent): Fields => {
  const { fields, headers } = readHeaders(planning, desired, null)
  const { group, integration } = idsIn(planning, desired)
  requireFields(planning, desired)
  const provided = Object.entries({ ...fields, ...(headers === undefined ? {} : { headers }) })
  return {
    ...Object.fromEntries(provided.filter(([, value]) => value !== null)),
    ...(group == null ? {} : { parentComponentId: group }),
    // Where it is unknown yet, everything else of the component can be judged all the same.
    ...(desired.type === 'METRIC' ? { integrationId: integration ?? planning.newId() } : {}),
  }
}

/** What differs, as the document calls it and as the API takes it. */
export const componentChange = (
  planning: Planning,
  desired: DesiredComponent,
  before: LiveComponent,
): { patch: Fields; fields: string[] } => {
  const { fields, headers, plain } = readHeaders(planning, desired, before)
  const { group, integration } = idsIn(planning, desired)
  const differing = Object.entries(fields).filter(
    // A sync never overwrites a live status.
    ([name, value]) =>
      name !== 'status' && isDifferent(value ?? defaultsOfFields[name], before.fields[name]),
  )
  const patch: Record<string, unknown> = Object.fromEntries(differing)
  const names = differing.map(([name]) => name)
  if (headers !== undefined && isDifferent(plain, before.fields.headers)) {
    names.push('headers')
  }
  // Another URL needs its secrets told again.
  if (headers !== undefined && (names.includes('headers') || 'url' in patch))
    patch.headers = headers
  if (group !== undefined && group !== before.parentId) {
    patch.parentComponentId = group
    names.push('group')
  }
  if (integration !== undefined && integration !== before.integrationId) {
    patch.integrationId = integration
    names.push('integration')
  }
  return { patch, fields: names }
}

const requireFields = (
  { plan }: Planning,
  { path, type, fields, integration }: DesiredComponent,
) => {
  const missing = requiredOf[type].filter((name) => fields[name] == null)
  if (type === 'METRIC' && integration === undefined) missing.push('integration')
  for (const name of missing) {
    const field = `${path}.${name}`
    plan.issues.push({ field, message: `${field} is required` })
  }
}

const requiredOf: Record<LiveComponent['type'], string[]> = {
  SERVICE: [],
  ENDPOINT: ['url'],
  METRIC: ['query'],
}

/** The parent's and the integration's id; null takes the parent away, undefined keeps. */
const idsIn = (planning: Planning, { path, group, integration, name }: DesiredComponent) => {
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
  return { group: parentId, integration: integrationId }
}

/** A group of the document, else a component of type SERVICE that there is. */
const groupId = ({ groups, stored, componentIds }: Planning, name: string) => {
  const matches = stored.components.get(name) ?? []
  const isStored = matches.length === 1 && matches[0]?.type === 'SERVICE'
  return groups.has(name) || isStored ? componentIds.get(name) : undefined
}

/** `headers` as the API takes them, `plain` with what is stored in the place of each marker. */
const readHeaders = (
  planning: Planning,
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
  { variables, plan, readVariables }: Planning,
  field: string,
  text: string,
  stored: string | undefined,
): string => {
  if (text === REDACTED) return storedSecret(field, stored, plan.issues)
  const name = referenceIn(text) ?? ''
  const value = variables.get(name)
  if (value !== undefined) {
    readVariables.bytes += Buffer.byteLength(value)
    return value
  }
  plan.unknown.push(unknownVariable(field, name))
  // What was set by it once stays as it is.
  return stored === undefined ? text : REDACTED
}

const isDifferent = (left: unknown, right: unknown): boolean =>
  !isDeepStrictEqual(left ?? null, right ?? null)
