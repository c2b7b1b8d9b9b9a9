/** Saves published subscribers unless later versions are stored. */
import type { SubscriberEventData } from '@status-page/contracts'
import type { Scope } from '@status-page/postgres'
import { cancelDeliveriesToDestination, saveAudiences, saveDestinations } from './store.ts'

export const saveSubscribers = async (
  scope: Scope,
  updates: readonly { subscriber: SubscriberEventData; version: number }[],
): Promise<void> => {
  const published = new Map(updates.map(({ subscriber }) => [subscriber.id, subscriber]))
  const saved = await saveDestinations(
    scope,
    updates.map((one) => ({ ...one, state: one.subscriber.status })),
  )
  await saveAudiences(
    scope,
    saved.flatMap(({ id, subscriberId }) => {
      const data = published.get(subscriberId)
      return data === undefined ? [] : [{ ...data, destinationId: id }]
    }),
  )
  for (const { id, state } of saved) {
    if (state === 'unsubscribed') await cancelDeliveriesToDestination(scope, id, 'unsubscribed')
  }
}
