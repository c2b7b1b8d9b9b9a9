/** Config with the values of its variables, and whether it differs from the stored one. Pure. */
import { isDeepStrictEqual } from 'node:util'
import { REDACTED } from '@status-page/contracts'
import { referencedVariable, unknownVariable } from '../references.ts'
import { type ConfigValues, isMap, mapConfig, type TypedConfig, valueAt } from '../typed-config.ts'
import { type PlanningState, requireStoredSecret } from './planning.ts'

export interface DesiredConfig {
  typed: TypedConfig
  type: string
  /** Path of the config in the document. */
  path: string
  config: ConfigValues
  /** Stored config with decrypted secrets; null for a new resource. */
  stored: ConfigValues | null
}

/** Secrets of the returned config are in plain text or the marker. */
export const planConfig = (
  planning: PlanningState,
  desired: DesiredConfig,
): { config: ConfigValues; isChanged: boolean } => {
  const { typed, type, path, stored } = desired
  const config = mapConfig(desired.config, (value, field) =>
    readValue(planning, desired, value, field),
  )
  for (const [field, value] of Object.entries(config)) {
    if (isDeepStrictEqual(value, desired.config[field])) continue
    if (value !== REDACTED)
      planning.plan.issues.push(...typed.valueIssues(type, field, value, path))
  }
  const isChanged = Object.entries(config).some(([field, value]) => {
    const fallback = typed.defaultOf(type, field)
    const before = stored?.[field] ?? fallback
    return !isDeepStrictEqual(withStored(value, before) ?? fallback, before)
  })
  return { config, isChanged }
}

const readValue = (
  { variables, plan, readVariables }: PlanningState,
  { typed, type, path, stored }: DesiredConfig,
  value: unknown,
  name: string,
): unknown => {
  const field = `${path}.${name}`
  const before = stored === null ? undefined : valueAt(stored, name)
  if (value === REDACTED) return requireStoredSecret(field, before, plan.issues)
  const variable = referencedVariable(value)
  if (variable === null) return value
  const text = variables.get(variable)
  if (text !== undefined) {
    readVariables.bytes += Buffer.byteLength(text)
    return typed.readVariable(type, name, text)
  }
  plan.unknown.push(unknownVariable(field, variable))
  // An unknown variable keeps the value that was stored from it.
  return before ?? value
}

/** Value with the stored secret in place of each marker. */
const withStored = (value: unknown, stored: unknown): unknown => {
  if (value === REDACTED) return stored
  if (!isMap(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      member === REDACTED && isMap(stored) ? stored[name] : member,
    ]),
  )
}
