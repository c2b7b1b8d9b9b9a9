/** Notice while the browser has no network. */
import { onlineManager } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import { Banner } from '../kit/banner.tsx'
import { useTexts } from '../texts/texts.tsx'

const useOnline = (): boolean =>
  useSyncExternalStore(
    (listener) => onlineManager.subscribe(listener),
    () => onlineManager.isOnline(),
  )

export const OfflineBanner = () => {
  const { states } = useTexts()
  const isOnline = useOnline()
  return <Banner>{!isOnline && states.offline}</Banner>
}
