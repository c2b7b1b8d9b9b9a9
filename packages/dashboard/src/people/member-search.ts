/** Search and page of the list of members, as they are in the address. */

export interface MemberSearch {
  search?: string
  page?: number
}

const MAX_SEARCH_LENGTH = 100

/** Search of an address; values that are not valid are absent. */
export const memberSearchOf = (search: Record<string, unknown>): MemberSearch => {
  const text = search.search === undefined ? '' : String(search.search)
  const page = Number(search.page)
  return {
    search: text.slice(0, MAX_SEARCH_LENGTH) || undefined,
    page: Number.isInteger(page) && page > 1 ? page : undefined,
  }
}
