/** Config and changed fields of an integration in a document. Pure. */
import { integrationConfigs, REDACTED } from '@status-page/contracts'
import {
  type ConfigValue,
  configValueIssues,
  type DesiredIntegration,
  readVariable,
} from '../document/document.ts'
import { referencedVariable, unknownVariable } from '../document/references.ts'
import type { LiveIntegration } from './live.ts'
import { type PlannedConfig, type PlanningState, requireStoredSecret } from './planning.ts'

export const integrationChange = (
  planning: PlanningState,
  desired: DesiredIntegration,
  before: LiveIntegration | null,
): { config: PlannedConfig; fields: string[] } => {
  const config = Object.fromEntries(
    Object.keys(desired.config).map((name) => [name, readValue(planning, desired, name, before)]),
  )
  const isConfigChanged = Object.entries(config).some(
    ([name, value]) =>
      value !== REDACTED &&
      (value ?? defaultOf(desired, name)) !== (before?.config[name] ?? defaultOf(desired, name)),
  )
  const { isEnabled } = desired
  return {
    config,
    fields: [
      ...(isEnabled === undefined || isEnabled === before?.isEnabled ? [] : ['isEnabled']),
      ...(isConfigChanged ? ['config'] : []),
    ],
  }
}

const readValue = (
  { variables, plan }: PlanningState,
  { path, type, config }: DesiredIntegration,
  name: string,
  before: LiveIntegration | null,
): ConfigValue => {
  const configured = config[name] ?? null
  const field = `${path}.config.${name}`
  if (configured === REDACTED) return requireStoredSecret(field, before?.config[name], plan.issues)
  const variable = referencedVariable(configured)
  if (variable === null) return configured
  const text = variables.get(variable)
  if (text === undefined) {
    plan.unknown.push(unknownVariable(field, variable))
    // An unknown variable keeps the value that was stored from it.
    return before?.config[name] ?? configured
  }
  const value = readVariable(type, name, text)
  plan.issues.push(...configValueIssues(type, name, value, `${path}.config`))
  return value
}

const defaultOf = ({ type }: DesiredIntegration, name: string): ConfigValue => {
  const { properties } = integrationConfigs[type]
  return (properties as Record<string, { default?: ConfigValue }>)[name]?.default ?? null
}
