/** Composer of the present user, for everything that opens it. */
import { createContext, use, useSyncExternalStore } from 'react'
import type { Outbox, OutboxState } from './outbox.ts'

export interface Composer {
  outbox: Outbox
  isOpen: boolean
  open(): void
  close(): void
}

export const ComposerContext = createContext<Composer | null>(null)

/** Null for users who cannot create incidents. */
export const useComposer = (): Composer | null => use(ComposerContext)

export const useOutboxState = (outbox: Outbox): OutboxState =>
  useSyncExternalStore(outbox.subscribe, outbox.state)
