/**
 * Input that was not sent, stored in this browser per organization and user, so that it survives a
 * reload, a logout and the loss of the network, and no other user is shown it. It is removed once
 * it is sent or discarded.
 */
import { useCallback, useState } from 'react'
import { useSession } from '../session/session.tsx'
import { readSetting, settingNames, writeSetting } from './settings.ts'

const PREFIX = 'unsent.'
const MAX_AGE_MS = 30 * 86_400_000

interface StoredInput {
  savedAtMs: number
  value: unknown
}

/** Stored input of the name, and the function that stores another one; null removes it. */
export const useUnsent = <Value extends object>(
  name: string,
): [value: Value | null, store: (value: Value | null) => void] => {
  const { organization, user } = useSession()
  const key = `${PREFIX}${organization.id}.${user.id}.${name}`
  const [value, setValue] = useState(() => readUnsent(key) as Value | null)
  const store = useCallback(
    (next: Value | null) => {
      setValue(next)
      const stored: StoredInput | null = next && { savedAtMs: Date.now(), value: next }
      writeSetting(key, stored && JSON.stringify(stored))
    },
    [key],
  )
  return [value, store]
}

const readUnsent = (key: string): unknown => storedInputOf(readSetting(key))?.value ?? null

const storedInputOf = (text: string | null): StoredInput | null => {
  try {
    const stored = JSON.parse(text ?? 'null') as Partial<StoredInput> | null
    const { savedAtMs, value } = stored ?? {}
    return typeof savedAtMs === 'number' && typeof value === 'object' ? { savedAtMs, value } : null
  } catch {
    return null
  }
}

/** Removes input that is too old to be sent, of every user of this browser. */
export const removeOldInput = (nowMs = Date.now()): void => {
  for (const name of settingNames().filter((one) => one.startsWith(PREFIX))) {
    const stored = storedInputOf(readSetting(name))
    if (stored === null || nowMs - stored.savedAtMs > MAX_AGE_MS) writeSetting(name, null)
  }
}
