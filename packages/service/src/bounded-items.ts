/**
 * Ajv keyword for lists: validates entries one by one until a bounded number of problems is found.
 * With `allErrors` alone Ajv creates an error for each problem of each entry first: 3.2 s for 1.7
 * million entries, of which the reply contains 50.
 */
import { MAX_ISSUES } from '@status-page/contracts'
import type { Ajv, AnySchema, ErrorObject, FuncKeywordDefinition, ValidateFunction } from 'ajv'

export const BOUNDED_ITEMS = 'boundedItems'

export interface BoundedItems {
  items: AnySchema
  /** Longer lists are rejected for their length alone. */
  maxItems: number | undefined
  isUnique: boolean
}

/** Schema of a list with its entries moved to the keyword. */
export const withBoundedItems = (schema: Record<string, unknown>): Record<string, unknown> => {
  const { items, uniqueItems, ...rest } = schema
  if (schema.type !== 'array' || items === undefined) return schema
  const bounded = { items, maxItems: rest.maxItems, isUnique: uniqueItems === true }
  return { ...rest, [BOUNDED_ITEMS]: bounded }
}

/**
 * Registers the keyword; `relevant` selects the errors that the reply contains, so that others do
 * not count. The schema of the entries is compiled at the first entry: the batch of a configuration
 * has 56 lists, most of them empty, and compiling all of them held the event loop for 200 ms.
 */
export const addBoundedItems = (
  ajv: Ajv,
  relevant: (errors: readonly ErrorObject[]) => ErrorObject[],
): void => {
  ajv.addKeyword({
    keyword: BOUNDED_ITEMS,
    type: 'array',
    schemaType: 'object',
    errors: 'full',
    compile: (schema: BoundedItems) =>
      listValidator(schema, () => ajv.compile(schema.items) as ValidateFunction, relevant),
  })
}

type KeywordValidator = ReturnType<NonNullable<FuncKeywordDefinition['compile']>>

const listValidator = (
  { maxItems = Number.POSITIVE_INFINITY, isUnique }: BoundedItems,
  compileEntry: () => ValidateFunction,
  relevant: (errors: readonly ErrorObject[]) => ErrorObject[],
): KeywordValidator => {
  let compiled: ValidateFunction | undefined
  const validate: KeywordValidator = (list: unknown[], context) => {
    const errors: ErrorObject[] = []
    const path = context?.instancePath ?? ''
    if (list.length > maxItems) return true
    for (const [index, entry] of list.entries()) {
      const position = { parentData: list, parentDataProperty: index }
      const instancePath = `${path}/${index}`
      const entryContext = {
        rootData: list,
        dynamicAnchors: {},
        ...context,
        ...position,
        instancePath,
      }
      compiled ??= compileEntry()
      if (compiled(entry, entryContext)) continue
      errors.push(...relevant(compiled.errors ?? []).slice(0, MAX_ISSUES))
      if (errors.length >= MAX_ISSUES) break
    }
    if (isUnique && hasDuplicates(list)) errors.push(uniqueItemsError(path, list))
    validate.errors = errors
    return errors.length === 0
  }
  return validate
}

/** Whether an entry repeats; lists with unique entries contain scalars. */
const hasDuplicates = (list: readonly unknown[]): boolean => new Set(list).size < list.length

const uniqueItemsError = (instancePath: string, data: unknown): ErrorObject => ({
  keyword: 'uniqueItems',
  instancePath,
  schemaPath: '#/uniqueItems',
  params: {},
  data,
})
