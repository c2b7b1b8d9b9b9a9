/**
 * End of the session while the dashboard is open. The login happens in another tab, so that this
 * one keeps what the user entered.
 */
import { useSyncExternalStore } from 'react'

const CHANNEL = 'dashboard.session'
const SIGNED_IN = 'signed-in'

let hasEnded = false
const listeners = new Set<() => void>()

const set = (value: boolean) => {
  if (hasEnded === value) return
  hasEnded = value
  for (const listener of listeners) listener()
}

export const markSessionEnded = (): void => set(true)

export const useSessionEnded = (): boolean =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => hasEnded,
  )

/**
 * One for the tab: it receives the messages of other tabs only. A tab that announces a login closes
 * and must not continue the work of the one that waits for it.
 */
const channel = new BroadcastChannel(CHANNEL)

/** Publishes a login to the other tabs. */
export const announceLogin = (): void => channel.postMessage(SIGNED_IN)

/** Calls `onLogin` after a login in another tab; returns the function that ends this. */
export const followLogins = (onLogin: () => void): (() => void) => {
  const onMessage = ({ data }: MessageEvent) => {
    if (data !== SIGNED_IN) return
    set(false)
    onLogin()
  }
  channel.addEventListener('message', onMessage)
  return () => channel.removeEventListener('message', onMessage)
}
