/** Event handler that maintains core's copy of the gateway's members. */
import { eventHandler } from '@status-page/bus'
import { memberAdded, memberRemoved, memberUpdated } from '@status-page/contracts'
import { saveMember } from './store.ts'

export const memberHandler = eventHandler({
  consumer: 'core-members',
  on: [memberAdded, memberUpdated, memberRemoved],
  handle: async (scope, { kind, aggregate, data }) => {
    const { userId, name, email } = data.member
    const { id, version } = aggregate
    await saveMember(scope, {
      id,
      userId,
      name,
      email,
      version,
      isRemoved: kind === 'member.removed',
    })
  },
})
