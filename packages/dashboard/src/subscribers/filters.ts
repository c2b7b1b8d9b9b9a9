/** Filters of the list of subscribers, as they are in the address and in the request. */
import type { Schemas } from '@status-page/client'
import { subscriberSources, subscriberStatuses, subscriberTypes } from '../api/contract.ts'

export type SubscriberData = Schemas['Subscriber']

export interface SubscriberFilters {
  search?: string
  type?: SubscriberData['type']
  status?: SubscriberData['status']
  source?: SubscriberData['source']
  component?: string
  statusPage?: string
  /** Default: 1. */
  page?: number
}

export const PAGE_SIZE = 20
const MAX_SEARCH = 100
const ID = /^[0-9a-f-]{36}$/

/** Filters of an address; values that are not valid are absent. */
export const readSubscriberFilters = (search: Record<string, unknown>): SubscriberFilters => {
  const text = (name: string) => (search[name] === undefined ? '' : String(search[name]))
  const id = (name: string) => (ID.test(text(name)) ? text(name) : undefined)
  const page = Number(search.page)
  return {
    search: text('search').slice(0, MAX_SEARCH) || undefined,
    type: subscriberTypes.find((type) => type === search.type),
    status: subscriberStatuses.find((status) => status === search.status),
    source: subscriberSources.find((source) => source === search.source),
    component: id('component'),
    statusPage: id('statusPage'),
    page: Number.isInteger(page) && page > 1 ? page : undefined,
  }
}

/** Query of the request, without the page. */
export const toSubscriberQuery = (filters: SubscriberFilters) => {
  const { search, type, status, source, component, statusPage } = filters
  return {
    ...(search !== undefined && { search }),
    ...(type !== undefined && { type }),
    ...(status !== undefined && { status }),
    ...(source !== undefined && { source }),
    ...(component !== undefined && { componentId: component }),
    ...(statusPage !== undefined && { statusPageId: statusPage }),
  }
}

/** Returns whether anything but the page is filtered. */
export const isFiltered = (filters: SubscriberFilters): boolean =>
  Object.keys(toSubscriberQuery(filters)).length > 0
