/**
 * Input that was not sent, stored in this browser per organization and user, so that it survives a
 * reload, a logout and the loss of the network, and no other user is shown it. It is removed once
 * it is sent or discarded, and by the first start of the dashboard 30 days after its last change,
 * incidents in the queue included. A browser without storage retains it as long as its store.
 */
import { readSetting, settingKey, settingNames, writeSetting } from './settings.ts'

const PREFIX = 'unsent.'
const MAX_AGE_MS = 30 * 86_400_000

export interface InputOwner {
  organizationId: string
  userId: string
}

interface UnsentStore<Value> {
  /** The same object as long as the stored text is the same. */
  read(): Value | null
  /** Stores the input; null removes it. */
  write(value: Value | null): void
  /** Calls the listener after changes by other tabs; returns the function that ends this. */
  subscribe(listener: () => void): () => void
}

interface StoredInput {
  savedAtMs: number
  value: unknown
}

/** Store of the input with the name; an unreadable text counts as none. */
export const createUnsentStore = <Value extends object>(
  { organizationId, userId }: InputOwner,
  name: string,
): UnsentStore<Value> => {
  const key = `${PREFIX}${organizationId}.${userId}.${name}`
  let text: string | null = null
  let value: Value | null = null
  return {
    read() {
      const stored = readSetting(key)
      if (stored !== null && stored !== text) {
        text = stored
        value = (storedInputOf(stored)?.value ?? null) as Value | null
      }
      return value
    },
    write(next) {
      const input: StoredInput | null = next && { savedAtMs: Date.now(), value: next }
      value = next
      text = input && JSON.stringify(input)
      writeSetting(key, text)
    },
    subscribe(listener) {
      const onStorage = (event: StorageEvent) => {
        if (event.key === settingKey(key)) listener()
      }
      addEventListener('storage', onStorage)
      return () => removeEventListener('storage', onStorage)
    },
  }
}

/** Removes input that is too old to be sent, of every user of this browser. */
export const removeOldInput = (nowMs = Date.now()): void => {
  for (const name of settingNames().filter((one) => one.startsWith(PREFIX))) {
    const stored = storedInputOf(readSetting(name))
    if (stored === null || nowMs - stored.savedAtMs > MAX_AGE_MS) writeSetting(name, null)
  }
}

const storedInputOf = (text: string | null): StoredInput | null => {
  try {
    const stored = JSON.parse(text ?? 'null') as Partial<StoredInput> | null
    const { savedAtMs, value } = stored ?? {}
    return typeof savedAtMs === 'number' && typeof value === 'object' ? { savedAtMs, value } : null
  } catch {
    return null
  }
}
