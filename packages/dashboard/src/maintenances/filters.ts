/** View and filters of the maintenances, as they are in the address and in the requests. */

export const maintenanceViews = ['list', 'month', 'week'] as const
export type MaintenanceView = (typeof maintenanceViews)[number]

export const maintenanceStates = ['upcoming', 'active', 'past', 'all'] as const
type StateFilter = (typeof maintenanceStates)[number]

export interface MaintenanceFilters {
  /** Default: list. */
  view?: MaintenanceView
  /** Default: upcoming; of the list only. */
  state?: StateFilter
  component?: string
  search?: string
  /** Day that the calendar shows, as yyyy-mm-dd; default: today. */
  day?: string
  /** Default: 1. */
  page?: number
}

export const PAGE_SIZE = 20
const MAX_SEARCH = 100
const DAY = /^\d{4}-\d{2}-\d{2}$/
const ID = /^[0-9a-f-]{36}$/

/** Filters of an address; values that are not valid are absent. */
export const readFilters = (search: Record<string, unknown>): MaintenanceFilters => {
  const text = (name: string) => (search[name] === undefined ? '' : String(search[name]))
  const page = Number(search.page)
  const filters: MaintenanceFilters = {
    view: maintenanceViews.find((view) => view === search.view && view !== 'list'),
    state: maintenanceStates.find((state) => state === search.state && state !== 'upcoming'),
    component: ID.test(text('component')) ? text('component') : undefined,
    search: text('search').slice(0, MAX_SEARCH) || undefined,
    day: isDay(text('day')) ? text('day') : undefined,
    page: Number.isInteger(page) && page > 1 ? page : undefined,
  }
  return filters
}

const isDay = (text: string): boolean => {
  const date = new Date(text)
  return DAY.test(text) && !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text)
}

/** Past ones have no filter of their own: they are neither upcoming nor active. */
const stateQueries = {
  upcoming: { upcoming: true, sortOrder: 'asc' },
  active: { active: true, sortOrder: 'asc' },
  past: { upcoming: false, active: false, sortOrder: 'desc' },
  all: { sortOrder: 'desc' },
} as const

/** Query of the list. */
export const toMaintenanceQuery = (filters: MaintenanceFilters) => {
  const { state = 'upcoming', page = 1 } = filters
  return {
    page,
    pageSize: PAGE_SIZE,
    sortBy: 'scheduledFor' as const,
    ...stateQueries[state],
    ...sharedQuery(filters),
  }
}

/** Part of the query that the list and the calendar have in common. */
export const sharedQuery = ({ component, search }: MaintenanceFilters) => ({
  ...(component !== undefined && { componentId: component }),
  ...(search !== undefined && { search }),
})

/** Returns whether the entries are filtered, other than by their state. */
export const isFiltered = ({ component, search }: MaintenanceFilters): boolean =>
  component !== undefined || search !== undefined
