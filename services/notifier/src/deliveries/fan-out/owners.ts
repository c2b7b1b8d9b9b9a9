/** Mail to the owners of the organization about an event. */
import type { Envelope } from '@status-page/contracts'
import type { Scope } from '@status-page/postgres'
import { listMembersByRole } from '../../members/store.ts'
import { addDelivery, saveMailDestination } from './add-delivery.ts'
import { priorityOf } from './match.ts'

const OWNERS = ['OWNER']

/** Adds one delivery per owner; the event must be stored. */
export const mailOwners = async (scope: Scope, event: Envelope): Promise<void> => {
  for (const owner of await listMembersByRole(scope, OWNERS)) {
    const destination = await saveMailDestination(scope, owner)
    await addDelivery(scope, event, destination, { priority: priorityOf(event.kind) })
  }
}

/** Gives the event an ordering key of its own, so that events about its component supersede none. */
export const standalone = <Event extends Envelope>(event: Event): Event => ({
  ...event,
  aggregate: { ...event.aggregate, id: event.id },
})
