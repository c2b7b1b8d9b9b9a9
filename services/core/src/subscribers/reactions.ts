/** What the notifier learned of an address: it withdrew, cannot be reached, or was told something. */
import { reaction } from '@status-page/bus'
import {
  deliverySummarised,
  subscriberQuarantined,
  subscriberUnsubscribed,
} from '@status-page/contracts'
import { auditSubscriber, endSubscription, stateSubscriber } from './rules.ts'
import { lockSubscriber, saveNotified, saveSubscriber } from './store.ts'

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
  reaction({
    consumer: 'core-deliveries',
    on: [deliverySummarised],
    handle: async (scope, { data }) => {
      await saveNotified(scope, data.subscribers)
      return nothing
    },
  }),
]
