/** Takes what core says of a subscriber, unless a later version is here already. */
import type { SubscriberFact } from '@status-page/contracts'
import type { Scope } from '@status-page/postgres'
import { cancelWaiting } from '../deliveries/fan-out.ts'
import { saveAudience, saveDestination } from './store.ts'

export const takeSubscriber = async (
  scope: Scope,
  subscriber: SubscriberFact,
  version: number,
): Promise<void> => {
  const saved = await saveDestination(scope, subscriber, version, subscriber.status)
  if (saved === null) return
  await saveAudience(scope, saved.id, subscriber)
  if (saved.state === 'unsubscribed') await cancelWaiting(scope, saved.id, 'unsubscribed')
}
