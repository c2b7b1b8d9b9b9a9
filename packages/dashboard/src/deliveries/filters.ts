/** Filters of the delivery log, as they are in the address and in the request. */
import type { Schemas } from '@status-page/client'
import type { DeliveryEvent } from '@status-page/contracts'
import { dayOf, startOfDay } from '../app/days.ts'

export type DeliveryData = Schemas['Delivery']
export type DeliveryStateName = DeliveryData['state']

/** Complete by type, so that a new kind of the contract does not compile without its option. */
const events: Record<DeliveryEvent, true> = {
  'incident.created': true,
  'incident.updated': true,
  'incident.resolved': true,
  'incident.reopened': true,
  'incident.update-overdue': true,
  'incident-draft.created': true,
  'incident-draft.publishing': true,
  'maintenance.scheduled': true,
  'maintenance.started': true,
  'maintenance.updated': true,
  'maintenance.completed': true,
  'maintenance.reminder': true,
  'monitor.down': true,
  'monitor.recovered': true,
  'monitor.degraded': true,
  'sla.at-risk': true,
  'sla.breached': true,
  'sla.recovered': true,
  'sla.response-breached': true,
  'sla.resolution-breached': true,
  'certificate.expiring': true,
  'oncall.triggered': true,
  'oncall.escalated': true,
  'oncall.acknowledged': true,
  'oncall.resolved': true,
  'subscriber.confirmation-requested': true,
  'account.invited': true,
  'account.reset-requested': true,
  'account.verification-requested': true,
  'account.test-requested': true,
  'account.warned': true,
  'destination.ended': true,
  'channel.test': true,
}
export const deliveryEvents = Object.keys(events) as DeliveryEvent[]

const states: Record<DeliveryStateName, true> = {
  pending: true,
  sending: true,
  delivered: true,
  exhausted: true,
  suppressed: true,
  superseded: true,
  cancelled: true,
}
export const deliveryStates = Object.keys(states) as DeliveryStateName[]

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
