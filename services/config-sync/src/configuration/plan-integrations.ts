/** What an integration of a document comes to. Pure. */
import { integrationConfigs, REDACTED } from '@status-page/contracts'
import {
  type ConfigValue,
  configValueIssues,
  readVariable,
  type WantedIntegration,
} from './document.ts'
import type { LiveIntegration } from './live.ts'
import { keptSecret, type PlannedConfig, type Planning } from './planning.ts'
import { referenceIn, unknownVariable } from './references.ts'

export const integrationChange = (
  planning: Planning,
  wanted: WantedIntegration,
  before: LiveIntegration | null,
): { config: PlannedConfig; fields: string[] } => {
  const config = Object.fromEntries(
    Object.keys(wanted.config).map((name) => [name, readValue(planning, wanted, name, before)]),
  )
  const isOther = Object.entries(config).some(
    ([name, value]) =>
      value !== REDACTED &&
      (value ?? defaultOf(wanted, name)) !== (before?.config[name] ?? defaultOf(wanted, name)),
  )
  const { isEnabled } = wanted
  return {
    config,
    fields: [
      ...(isEnabled === undefined || isEnabled === before?.isEnabled ? [] : ['isEnabled']),
      ...(isOther ? ['config'] : []),
    ],
  }
}

const readValue = (
  { variables, plan }: Planning,
  { place, type, config }: WantedIntegration,
  name: string,
  before: LiveIntegration | null,
): ConfigValue => {
  const given = config[name] ?? null
  const field = `${place}.config.${name}`
  if (given === REDACTED) return keptSecret(field, before?.config[name], plan.issues)
  const variable = referenceIn(given)
  if (variable === null) return given
  const text = variables.get(variable)
  if (text === undefined) {
    plan.unknown.push(unknownVariable(field, variable))
    // What was set by it once stays as it is.
    return before?.config[name] ?? given
  }
  const value = readVariable(type, name, text)
  plan.issues.push(...configValueIssues(type, name, value, `${place}.config`))
  return value
}

const defaultOf = ({ type }: WantedIntegration, name: string): ConfigValue => {
  const { properties } = integrationConfigs[type]
  return (properties as Record<string, { default?: ConfigValue }>)[name]?.default ?? null
}
