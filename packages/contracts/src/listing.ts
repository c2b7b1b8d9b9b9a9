/** Lists: query parameters for paging and sorting, and the envelope of the reply. */
import { type TProperties, type TSchema, Type } from '@sinclair/typebox'
import { OneOf, Timestamp } from './scalars.ts'

export const DEFAULT_PAGE_SIZE = 20
export const MAX_PAGE_SIZE = 100
export const MAX_PAGE = 100_000

export const listOf = <Item extends TSchema>(item: Item) =>
  Type.Object({
    data: Type.Array(item),
    meta: Type.Object({ total: Type.Integer(), page: Type.Integer(), pageSize: Type.Integer() }),
  })

/**
 * Query schema of a list: `page`, `pageSize`, `sortBy` (default: the first key), `sortOrder` and
 * filters.
 */
export const listQuery = <
  const SortBy extends readonly [string, ...string[]],
  Filters extends TProperties,
>(
  sortBy: SortBy,
  filters: Filters,
) =>
  Type.Object({
    page: Type.Integer({
      minimum: 1,
      maximum: MAX_PAGE,
      default: 1,
      description: 'Number of the page; the first is 1',
    }),
    pageSize: Type.Integer({
      minimum: 1,
      default: DEFAULT_PAGE_SIZE,
      description: 'Entries per page; larger values are reduced to 100',
    }),
    sortBy: OneOf(sortBy, { default: sortBy[0] as SortBy[number] }),
    sortOrder: Type.Optional(
      OneOf(['asc', 'desc'], { description: 'Default: desc for times, asc for other keys' }),
    ),
    ...filters,
  })

export const Search = Type.Optional(Type.String({ minLength: 1, maxLength: 100 }))

/** Time range; `from` is inclusive, `to` exclusive. */
export const TimeRange = {
  from: Type.Optional(Type.String({ ...Timestamp, description: 'Start of the range, inclusive' })),
  to: Type.Optional(Type.String({ ...Timestamp, description: 'End of the range, exclusive' })),
}

/** Query parameter `include`: comma-separated names of optional parts of the reply. */
export const includeParameter = <const Names extends readonly string[]>(names: Names) =>
  Type.Optional(
    Type.Unsafe<Names[number][]>({
      type: 'array',
      items: { type: 'string', enum: [...names] },
      minItems: 1,
      style: 'form',
      explode: false,
    }),
  )

export interface ListInput {
  page: number
  pageSize: number
  sortBy: string
  sortOrder?: 'asc' | 'desc'
}

/** Default sort order: descending for times, ascending otherwise. */
export const sortOrderOf = ({ sortBy, sortOrder }: Omit<ListInput, 'page' | 'pageSize'>) =>
  sortOrder ??
  (sortBy.endsWith('At') || sortBy === 'timestamp' || sortBy === 'scheduledFor' ? 'desc' : 'asc')

/** LIMIT and OFFSET of a page. */
export const limitAndOffset = ({ page, pageSize }: Pick<ListInput, 'page' | 'pageSize'>) => {
  const limit = Math.min(pageSize, MAX_PAGE_SIZE)
  return { limit, offset: (page - 1) * limit }
}

export const listReply = <Item>(
  { page, pageSize }: Pick<ListInput, 'page' | 'pageSize'>,
  total: number,
  data: Item[],
) => ({ data, meta: { total, page, pageSize: Math.min(pageSize, MAX_PAGE_SIZE) } })
