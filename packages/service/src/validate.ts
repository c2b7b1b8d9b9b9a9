/** Validation of decoded values by their schema; every problem becomes an issue of the contract. */

import type { TSchema } from '@sinclair/typebox'
import { type Issue, MAX_ISSUES } from '@status-page/contracts'
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import { keyPatternOf } from './any-key.ts'
import { addBoundedItems, withBoundedItems } from './bounded-items.ts'
import { textFormats } from './formats.ts'
import { addTextLengths } from './text-lengths.ts'

export type Validator = (value: unknown) => Issue[]

const ajv = new Ajv({
  allErrors: true,
  coerceTypes: false,
  discriminator: true,
  removeAdditional: false,
  strictNumbers: true,
  strictTypes: false,
  strictRequired: false,
  useDefaults: false,
  // `contract.test.ts` validates the schemas: the compilation of their meta-schema takes 30 ms of
  // processor time in each process.
  validateSchema: false,
  verbose: true,
  // The optimization of the generated code takes half of the compilation, 2 ms for a schema, and
  // does not make it faster.
  code: { optimize: false },
})
/** Annotations of the contract without effect on validation. */
ajv.addVocabulary(['style', 'explode', 'example', 'secret', 'documented'])
for (const [name, format] of Object.entries(textFormats)) ajv.addFormat(name, format.accepts)
addTextLengths(ajv)
addBoundedItems(ajv, (errors) => namedErrors(errors))

/** Compiled schemas, which operations share. */
const compiled = new WeakMap<TSchema, ValidateFunction>()

/**
 * Compiles a validator; `root` names the value itself for a problem of no single field: `body`,
 * `query`. Compiles at the first value, since the compilation of all operations dominated the start
 * of a service.
 */
export const compileValidator =
  (schema: TSchema, root: string): Validator =>
  (value) => {
    const validate = compiled.get(schema) ?? ajv.compile(prepared(schema))
    compiled.set(schema, validate)
    return validate(value) ? [] : issuesOf(validate.errors ?? [], root)
  }

/** Rewrites unions, so that each problem is reported once instead of once per branch. */
const prepared = (schema: unknown): Record<string, unknown> => {
  const entries = Object.entries(schema as Record<string, unknown>).map(([key, value]) => [
    key,
    key === 'patternProperties'
      ? mapKeys(mapValues(value))
      : key === 'properties'
        ? mapValues(value)
        : isSchema(key, value)
          ? preparedAny(value)
          : value,
  ])
  return withBoundedItems(withoutUnion(Object.fromEntries(entries)))
}

const schemaKeys = new Set(['items', 'anyOf', 'oneOf', 'allOf', 'not', 'additionalProperties'])
const isSchema = (key: string, value: unknown) =>
  schemaKeys.has(key) && typeof value === 'object' && value !== null

const preparedAny = (value: unknown): unknown =>
  Array.isArray(value) ? value.map(prepared) : prepared(value)

const mapValues = (value: unknown) =>
  Object.fromEntries(
    Object.entries(value as object).map(([name, member]) => [name, prepared(member)]),
  )

const mapKeys = (patterns: object) =>
  Object.fromEntries(
    Object.entries(patterns).map(([pattern, member]) => [keyPatternOf(pattern), member]),
  )

const withoutUnion = (schema: Record<string, unknown>): Record<string, unknown> => {
  const { anyOf, ...rest } = schema
  if (!Array.isArray(anyOf)) return schema
  const members: Record<string, unknown>[] = anyOf.filter((member) => member.type !== 'null')
  const [only] = members
  const isNullable = members.length < anyOf.length
  if (members.every((member) => 'const' in member)) {
    return {
      ...rest,
      enum: [...members.map((member) => member.const), ...(isNullable ? [null] : [])],
    }
  }
  if (members.length !== 1 || only === undefined) return schema
  return isNullable ? { ...rest, if: { type: 'null' }, else: only } : { ...rest, ...only }
}

const issuesOf = (errors: readonly ErrorObject[], root: string): Issue[] => {
  const issues = new Map<string, Issue>()
  for (const error of namedErrors(errors)) {
    if (issues.size >= MAX_ISSUES) break
    const issue = issueOf(error, root)
    const known = issues.get(issue.field)
    if (known === undefined) issues.set(issue.field, issue)
    else if (known.expected === undefined && issue.expected !== undefined) {
      issues.set(issue.field, { ...known, expected: issue.expected })
    }
  }
  return [...issues.values()]
}

/** Errors that the reply contains: the error of a union, not those of its branches. */
const namedErrors = (errors: readonly ErrorObject[]): ErrorObject[] => {
  const unions = errors.filter((error) => error.keyword === 'anyOf')
  return errors.filter((error) => error.keyword !== 'if' && !isInsideUnion(error, unions))
}

const isInsideUnion = (error: ErrorObject, unions: readonly ErrorObject[]) =>
  unions.some((union) => error !== union && error.schemaPath.startsWith(`${union.schemaPath}/`))

const issueOf = (error: ErrorObject, root: string): Issue => {
  const field = fieldOf(error, root)
  const expected = expectedOf(error)
  const { keyword, params } = error
  const issue: Issue = { field, message: `${field} ${problemOf(error, expected)}`, keyword }
  if (expected !== undefined) issue.expected = expected
  if (typeof params.limit === 'number') issue.limit = params.limit
  if (keyword === 'format') issue.format = params.format
  return issue
}

/** Path of the field: `/conditions/0/target` → `conditions[0].target`. */
const fieldOf = (error: ErrorObject, root: string): string => {
  const steps = error.instancePath.split('/').slice(1).map(unescapePointer)
  if (error.keyword === 'required') steps.push(error.params.missingProperty)
  if (error.keyword === 'additionalProperties') steps.push(error.params.additionalProperty)
  if (error.keyword === 'discriminator') steps.push(error.params.tag)
  return fieldPathOf(steps) || root
}

const unescapePointer = (step: string) => step.replaceAll('~1', '/').replaceAll('~0', '~')

/** Path in the contract's notation; a step of digits is an index. */
export const fieldPathOf = (steps: readonly string[]): string =>
  steps.reduce((path, step) => {
    if (/^\d+$/.test(step)) return `${path}[${step}]`
    return path === '' ? step : `${path}.${step}`
  }, '')

const expectedOf = ({ keyword, params, parentSchema }: ErrorObject) => {
  if (keyword === 'enum') return params.allowedValues as unknown[]
  if (keyword === 'const') return [params.allowedValue as unknown]
  if (keyword !== 'discriminator') return undefined
  const variants: TSchema[] = parentSchema?.oneOf ?? []
  return variants.map((variant) => variant.properties[params.tag].const)
}

const typeNames: Record<string, string> = {
  string: 'a string',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  null: 'null',
}

/** Completes "<field> …". */
const problemOf = (error: ErrorObject, expected: readonly unknown[] | undefined): string => {
  if (expected !== undefined) {
    return expected.length === 1
      ? `must be ${expected[0]}`
      : `must be one of ${expected.map(String).join(', ')}`
  }
  const { keyword, params } = error
  return problems[keyword]?.(params) ?? 'is not valid'
}

const problems: Record<string, (params: Record<string, unknown>) => string> = {
  required: () => 'is required',
  type: ({ type }) =>
    `must be ${[type]
      .flat()
      .map((name) => typeNames[String(name)])
      .join(' or ')}`,
  format: ({ format }) => `must be ${textFormats[String(format)]?.expectation}`,
  minLength: ({ limit }) =>
    limit === 1 ? 'must not be empty' : `must have at least ${limit} characters`,
  maxLength: ({ limit }) => `must have at most ${limit} characters`,
  pattern: ({ pattern }) => `must match ${pattern}`,
  minimum: ({ limit }) => `must be at least ${limit}`,
  maximum: ({ limit }) => `must be at most ${limit}`,
  exclusiveMinimum: ({ limit }) => `must be greater than ${limit}`,
  exclusiveMaximum: ({ limit }) => `must be less than ${limit}`,
  multipleOf: ({ multipleOf }) => `must be a multiple of ${multipleOf}`,
  minItems: ({ limit }) => `must have at least ${limit} ${limit === 1 ? 'entry' : 'entries'}`,
  maxItems: ({ limit }) => `must have at most ${limit} entries`,
  uniqueItems: () => 'must not contain duplicates',
  minProperties: ({ limit }) => `must have at least ${limit} ${limit === 1 ? 'entry' : 'entries'}`,
  maxProperties: ({ limit }) => `must have at most ${limit} entries`,
  additionalProperties: () => 'does not have a valid name',
  anyOf: () => 'does not match any of the allowed forms',
}
