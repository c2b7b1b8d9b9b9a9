/**
 * End of the session while the dashboard is open. The login happens in another tab, so that this
 * one keeps what the user entered.
 */
import { useSyncExternalStore } from 'react'

/** Message about a login, and the reply of a tab that has received it. */
export const SIGNED_IN = 'signed-in'
export const CONTINUED = 'continued'

let hasEnded = false
const listeners = new Set<() => void>()
const loginListeners = new Set<() => void>()

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
export const channel = new BroadcastChannel('dashboard.session')

channel.addEventListener('message', ({ data }) => {
  if (data !== SIGNED_IN || loginListeners.size === 0) return
  channel.postMessage(CONTINUED)
  continueSession()
})

export const continueSession = (): void => {
  set(false)
  for (const listener of loginListeners) listener()
}

/** Calls `onLogin` after a login in another tab; returns the function that ends this. */
export const followLogins = (onLogin: () => void): (() => void) => {
  loginListeners.add(onLogin)
  return () => void loginListeners.delete(onLogin)
}
