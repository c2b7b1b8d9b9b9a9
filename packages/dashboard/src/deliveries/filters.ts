/** Filters of the delivery log, as they are in the address and in the request. */
import type { Schemas } from '@status-page/client'
import type { DeliveryEvent } from '@status-page/contracts'
import { deliveryEvents, deliveryStates } from '../api/contract.ts'
import { dayOf, startOfDay } from '../app/days.ts'

export type DeliveryData = Schemas['Delivery']
export type DeliveryStateName = DeliveryData['state']

export interface DeliveryLogFilters {
  state?: DeliveryStateName
  event?: DeliveryEvent
  channel?: string
  subscriber?: string
  incident?: string
  /** First and last local day, as yyyy-mm-dd. */
  from?: string
  to?: string
  /** Default: 1. */
  page?: number
}

export const PAGE_SIZE = 50
const ID = /^[0-9a-f-]{36}$/

/** Filters of an address; values that are not valid are absent. */
export const readDeliveryFilters = (search: Record<string, unknown>): DeliveryLogFilters => {
  const id = (name: string) => {
    const text = String(search[name] ?? '')
    return ID.test(text) ? text : undefined
  }
  const page = Number(search.page)
  return {
    state: deliveryStates.find((state) => state === search.state),
    event: deliveryEvents.find((event) => event === search.event),
    channel: id('channel'),
    subscriber: id('subscriber'),
    incident: id('incident'),
    from: dayOf(search.from),
    to: dayOf(search.to),
    page: Number.isInteger(page) && page > 1 ? page : undefined,
  }
}

/** Query of the request. */
export const toDeliveryQuery = (filters: DeliveryLogFilters) => {
  const { state, event, channel, subscriber, incident, from, to, page = 1 } = filters
  return {
    page,
    pageSize: PAGE_SIZE,
    ...(state !== undefined && { state }),
    ...(event !== undefined && { event }),
    ...(channel !== undefined && { channelId: channel }),
    ...(subscriber !== undefined && { subscriberId: subscriber }),
    ...(incident !== undefined && { incidentId: incident }),
    ...(from !== undefined && { from: startOfDay(from, 0) }),
    ...(to !== undefined && { to: startOfDay(to, 1) }),
  }
}

/** Returns whether anything but the page is filtered. */
export const isFiltered = ({ page, ...filters }: DeliveryLogFilters): boolean =>
  Object.values(filters).some((value) => value !== undefined)
