/**
 * Value of the secret field of an entry, and whether it differs from the stored one, of which only
 * a digest is known. Pure.
 */
import { Type } from '@sinclair/typebox'
import { REDACTED } from '@status-page/contracts'
import { compileValidator } from '@status-page/service'
import type { DesiredDefinition } from '../definitions/desired.ts'
import type { LiveDefinition } from '../definitions/live.ts'
import type { DocumentFields } from '../definitions/section.ts'
import { sections } from '../definitions/sections.ts'
import { referencedVariable, unknownVariable } from '../references.ts'
import { type PlanningState, requireStoredSecret } from './planning.ts'

const validators = new Map(
  sections.flatMap(({ key, secret, fields }) => {
    const schema = fields.get(secret?.field ?? '')?.apiSchema
    if (secret === undefined || schema === undefined) return []
    return [[key, compileValidator(Type.Object({ [secret.field]: schema }), 'entry')] as const]
  }),
)

/** Fields with the secret in plain text, or without it when the stored one stays. */
export const planSecret = (
  { plan, variables }: PlanningState,
  { section, path, fields }: DesiredDefinition,
  before: LiveDefinition | null,
): { fields: DocumentFields; isChanged: boolean } => {
  const name = section.secret?.field ?? ''
  const { [name]: given, ...others } = fields
  const stored = before?.fields[name] ?? null
  if (section.secret === undefined || given === undefined) return { fields, isChanged: false }
  if (given === null) return { fields, isChanged: stored !== null }
  const field = `${path}.${name}`
  const variable = referencedVariable(given)
  if (given === REDACTED || variable === null) {
    requireStoredSecret(field, stored, plan.issues)
    return { fields: others, isChanged: false }
  }
  const text = variables.get(variable)
  if (text === undefined) {
    plan.unknown.push(unknownVariable(field, variable))
    return { fields: others, isChanged: false }
  }
  const issues = validators.get(section.key)?.({ [name]: text }) ?? []
  plan.issues.push(...issues.map(({ message }) => ({ field, message: `${path}.${message}` })))
  const isChanged = section.secret.digestOf(before?.id ?? '', text) !== stored
  return { fields: { ...others, [name]: text }, isChanged }
}
