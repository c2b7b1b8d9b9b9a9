/**
 * Unsent incidents of one user in one organization, in the storage of the browser: drafts, and
 * incidents that wait for the service. A browser without storage retains them as long as the page.
 */
import type { NewIncident } from '@status-page/contracts'
import { readSetting, settingKey, writeSetting } from '../app/settings.ts'
import { type ComposerDraft, newDraft } from './draft.ts'

export interface QueuedIncident {
  draft: ComposerDraft
  /** Body of the request, the same in every attempt. */
  body: NewIncident
  attempts: number
  /** Time of the next attempt, in ms. */
  nextAttemptAt: number
}

export interface Unsent {
  /** Latest first. */
  drafts: readonly ComposerDraft[]
  queue: readonly QueuedIncident[]
}

export interface UnsentStorage {
  read(): Unsent
  change(change: (unsent: Unsent) => Unsent): void
  /** Calls the listener after changes by other tabs; returns the function that ends this. */
  subscribe(listener: () => void): () => void
}

const empty: Unsent = { drafts: [], queue: [] }

export const createUnsentStorage = (organizationId: string, userId: string): UnsentStorage => {
  // app/unsent.ts removes entries of another shape whose name begins with `unsent.`.
  const name = `composer.${organizationId}.${userId}`
  let raw: string | null = null
  let unsent = empty
  const read = () => {
    const stored = readSetting(name)
    if (stored !== raw && stored !== null) {
      raw = stored
      unsent = parseUnsent(stored)
    }
    return unsent
  }
  return {
    read,
    change(change) {
      unsent = change(read())
      raw = JSON.stringify(unsent)
      writeSetting(name, raw)
    },
    subscribe(listener) {
      const onStorage = ({ key }: StorageEvent) => {
        if (key === settingKey(name)) listener()
      }
      addEventListener('storage', onStorage)
      return () => removeEventListener('storage', onStorage)
    },
  }
}

/** Entries of an older version of the dashboard lack fields; an unreadable text counts as none. */
const parseUnsent = (text: string): Unsent => {
  try {
    const { drafts = [], queue = [] } = JSON.parse(text) as Partial<Unsent>
    return {
      drafts: drafts.map(withDefaults),
      queue: queue.map((one) => ({ ...one, draft: withDefaults(one.draft) })),
    }
  } catch {
    return empty
  }
}

const withDefaults = (draft: ComposerDraft): ComposerDraft => newDraft(draft.changedAt, draft)
