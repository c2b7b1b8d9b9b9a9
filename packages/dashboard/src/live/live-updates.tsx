/** Updates of all reads by the event stream, and the notice while the stream is interrupted. */
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState, useSyncExternalStore } from 'react'
import { basePath } from '../api/client.ts'
import { meQuery } from '../api/queries.ts'
import { Banner } from '../kit/banner.tsx'
import { useSession } from '../session/session.tsx'
import { followLogins } from '../session/session-end.ts'
import { useFormats, useTexts } from '../texts/texts.tsx'
import { deliveryQueries, hasDeliveries, liveQueries, queriesOf } from './event-queries.ts'
import { createInvalidator } from './invalidation.ts'
import { liveStatus, markContact, stopObservation, subscribeToLiveStatus } from './live-status.ts'
import { followSharedEvents } from './shared-events.ts'

/** Time after an event until its deliveries are read. */
const DELIVERIES_AFTER_MS = 3_000

export const LiveUpdates = () => {
  useLiveUpdates()
  const { states } = useTexts()
  const { fill, time } = useFormats()
  const { isStale, contactAtMs } = useSyncExternalStore(subscribeToLiveStatus, liveStatus)
  return (
    <Banner>
      {isStale && fill(states.stale, { time: time(new Date(contactAtMs).toISOString()) })}
    </Banner>
  )
}

const useLiveUpdates = () => {
  const queryClient = useQueryClient()
  const session = useSession()
  const starts = useStarts()
  useEffect(() => {
    const { organization, user } = session
    const invalidator = createInvalidator(queryClient)
    const readSession = () => void queryClient.invalidateQueries(meQuery)
    let timer: ReturnType<typeof setTimeout> | undefined
    if (starts > 0) invalidator.add(liveQueries)
    const stop = followSharedEvents({
      url: `${location.origin}${basePath}/api/v1/events/stream`,
      name: `dashboard.events.${organization.id}.${user.id}`,
      onContact: markContact,
      onEvent: (event) => {
        invalidator.add(queriesOf(event))
        if (!hasDeliveries(event)) return
        clearTimeout(timer)
        timer = setTimeout(() => invalidator.add(deliveryQueries), DELIVERIES_AFTER_MS)
      },
      onResync: () => invalidator.add(liveQueries),
      onReconnect: readSession,
      onRefused: () => {
        stopObservation()
        readSession()
      },
    })
    return () => {
      clearTimeout(timer)
      stop()
      invalidator.stop()
      stopObservation()
    }
  }, [queryClient, session, starts])
}

/** Number of times after which the stream has to be opened again: logins, and returns of the page. */
const useStarts = (): number => {
  const [starts, setStarts] = useState(0)
  useEffect(() => {
    const start = () => setStarts((count) => count + 1)
    // A page of the back-forward cache has missed events.
    const onShow = ({ persisted }: PageTransitionEvent) => persisted && start()
    const stopFollowing = followLogins(start)
    window.addEventListener('pageshow', onShow)
    return () => {
      stopFollowing()
      window.removeEventListener('pageshow', onShow)
    }
  }, [])
  return starts
}
