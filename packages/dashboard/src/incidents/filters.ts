/** Filters of the list of incidents, as they are in the address and in the request. */
import { dayOf, startOfDay } from '../app/days.ts'

export const incidentStates = ['open', 'resolved', 'all'] as const
type StateFilter = (typeof incidentStates)[number]

export interface IncidentFilters {
  /** Default: open. */
  state?: StateFilter
  component?: string
  statusPage?: string
  search?: string
  /** First and last local day, as yyyy-mm-dd. */
  from?: string
  to?: string
  /** Default: 1. */
  page?: number
}

export const PAGE_SIZE = 20
const MAX_SEARCH = 100
const ID = /^[0-9a-f-]{36}$/

/** Filters of an address; values that are not valid are absent. */
export const readFilters = (search: Record<string, unknown>): IncidentFilters => {
  const text = (name: string) => (search[name] === undefined ? '' : String(search[name]))
  const page = Number(search.page)
  const filters: IncidentFilters = {
    state: incidentStates.find((state) => state === search.state && state !== 'open'),
    component: ID.test(text('component')) ? text('component') : undefined,
    statusPage: ID.test(text('statusPage')) ? text('statusPage') : undefined,
    search: text('search').slice(0, MAX_SEARCH) || undefined,
    from: dayOf(search.from),
    to: dayOf(search.to),
    page: Number.isInteger(page) && page > 1 ? page : undefined,
  }
  return filters
}

/** Query of the request. */
export const toIncidentQuery = (filters: IncidentFilters) => {
  const { state = 'open', component, statusPage, search, from, to, page = 1 } = filters
  return {
    page,
    pageSize: PAGE_SIZE,
    ...(state !== 'all' && { resolved: state === 'resolved' }),
    ...(component !== undefined && { componentId: component }),
    ...(statusPage !== undefined && { statusPageId: statusPage }),
    ...(search !== undefined && { search }),
    ...(from !== undefined && { from: startOfDay(from, 0) }),
    ...(to !== undefined && { to: startOfDay(to, 1) }),
  }
}

/** Returns whether anything but the state and the page is filtered. */
export const isFiltered = ({ state, page, ...filters }: IncidentFilters): boolean =>
  Object.values(filters).some((value) => value !== undefined)
