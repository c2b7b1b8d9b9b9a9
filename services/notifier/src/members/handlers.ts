/** Maintains the copy of the members from the gateway's events. */
import { type EventHandler, eventHandler } from '@status-page/bus'
import { memberAdded, memberRemoved, memberUpdated } from '@status-page/contracts'
import { saveMember } from './store.ts'

export const memberHandler: EventHandler = eventHandler({
  consumer: 'notifier-members',
  on: [memberAdded, memberUpdated, memberRemoved],
  handle: async (scope, { kind, aggregate, data }) => {
    const { userId, name, email, role } = data.member
    const { id, version } = aggregate
    const isRemoved = kind === 'member.removed'
    await saveMember(scope, { id, userId, name, email, role, isRemoved, version })
  },
})
