/**
 * Unsent incidents of one user in one organization, in the storage of the browser: drafts, and
 * incidents that wait for the service. All are removed 30 days after the last change.
 */
import type { NewIncident } from '@status-page/contracts'
import { readSetting, writeSetting } from '../app/settings.ts'
import { createUnsentStore, type InputOwner } from '../app/unsent-store.ts'
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

export const createUnsentStorage = (owner: InputOwner): UnsentStorage => {
  const store = createUnsentStore<Partial<Unsent>>(owner, 'composer')
  const former = takeFormer(owner)
  if (former !== null && store.read() === null) store.write(former)
  let stored: Partial<Unsent> | null = null
  let unsent = empty
  const read = () => {
    const present = store.read()
    if (present !== stored) {
      stored = present
      unsent = present === null ? empty : withCurrentFields(present)
    }
    return unsent
  }
  return {
    read,
    change(change) {
      unsent = change(read())
      stored = unsent
      store.write(unsent)
    },
    subscribe: store.subscribe,
  }
}

/** Removes and returns what earlier versions of the dashboard stored under another name. */
const takeFormer = ({ organizationId, userId }: InputOwner): Partial<Unsent> | null => {
  const name = `composer.${organizationId}.${userId}`
  const text = readSetting(name)
  if (text === null) return null
  writeSetting(name, null)
  try {
    const former: unknown = JSON.parse(text)
    return isObject(former) ? former : null
  } catch {
    return null
  }
}

/** Entries of an older version of the dashboard lack fields; those of another shape are omitted. */
const withCurrentFields = ({ drafts, queue }: Partial<Unsent>): Unsent => ({
  drafts: objectsOf(drafts).map(withDefaults),
  queue: objectsOf(queue)
    .filter(({ draft }) => isObject(draft))
    .map((one) => ({ ...one, draft: withDefaults(one.draft) })),
})

const withDefaults = (draft: ComposerDraft): ComposerDraft => newDraft(draft.changedAt, draft)

const objectsOf = <Entry extends object>(list: readonly Entry[] | undefined): Entry[] =>
  Array.isArray(list) ? list.filter((one): one is Entry => isObject(one)) : []

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null
