/** What the notifier learned of an address: it withdrew, or it cannot be reached. */
import { reaction } from '@status-page/bus'
import { subscriberQuarantined, subscriberUnsubscribed } from '@status-page/contracts'
import { auditSubscriber, endSubscription, stateSubscriber } from './rules.ts'
import { lockSubscriber, saveSubscriber } from './store.ts'

const nothing = { result: undefined, events: [], audit: [] }

export const subscriberReactions = [
  reaction({
    consumer: 'core-subscribers',
    on: [subscriberUnsubscribed, subscriberQuarantined],
    handle: async (scope, { kind, data }) => {
      const before = await lockSubscriber(scope, data.subscriberId)
      if (before === undefined) return nothing
      const status = kind === 'subscriber.unsubscribed' ? 'unsubscribed' : 'quarantined'
      const ending = { status, reason: data.reason, at: new Date(data.at) } as const
      const after = endSubscription(before, ending, scope.now)
      if (after === null) return nothing
      await saveSubscriber(scope, after)
      return {
        result: undefined,
        events: [stateSubscriber('updated', after)],
        audit: [auditSubscriber('update', before, after)],
      }
    },
  }),
]
