/** Handlers of notifier events about addresses: opted out, unreachable, or notified. */
import { eventHandler } from '@status-page/bus'
import {
  deliverySummarised,
  subscriberQuarantined,
  subscriberResubscribed,
  subscriberUnsubscribed,
} from '@status-page/contracts'
import { auditSubscriber, subscriberEvent } from './rules.ts'
import { lockSubscriber, saveNotificationTimes, saveSubscriber } from './store.ts'
import { endSubscription, resumeSubscription } from './subscription-end.ts'

export const subscriberHandlers = [
  eventHandler({
    consumer: 'core-subscribers',
    on: [subscriberUnsubscribed, subscriberQuarantined, subscriberResubscribed],
    handle: async (scope, { kind, data }) => {
      const before = await lockSubscriber(scope, data.subscriberId)
      if (before === undefined) return
      const at = new Date(data.at)
      const status = kind === 'subscriber.unsubscribed' ? 'unsubscribed' : 'quarantined'
      const after =
        'reason' in data
          ? endSubscription(before, { status, reason: data.reason, at }, scope.now)
          : resumeSubscription(before, at, scope.now)
      if (after === null) return
      await saveSubscriber(scope, after)
      if (after.version === before.version) return
      return {
        events: [subscriberEvent('updated', after)],
        audit: [auditSubscriber('update', before, after)],
      }
    },
  }),
  eventHandler({
    consumer: 'core-deliveries',
    on: [deliverySummarised],
    handle: async (scope, { data }) => {
      await saveNotificationTimes(scope, data.subscribers)
    },
  }),
]
