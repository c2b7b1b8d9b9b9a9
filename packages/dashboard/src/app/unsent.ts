/** Input that was not sent, of the signed-in user in the present organization. */
import { useCallback, useMemo, useState } from 'react'
import { useSession } from '../session/session.tsx'
import { createUnsentStore } from './unsent-store.ts'

/** Stored input of the name, and the function that stores another one; null removes it. */
export const useUnsent = <Value extends object>(
  name: string,
): [value: Value | null, store: (value: Value | null) => void] => {
  const { organization, user } = useSession()
  const unsent = useMemo(
    () => createUnsentStore<Value>({ organizationId: organization.id, userId: user.id }, name),
    [organization.id, user.id, name],
  )
  const [value, setValue] = useState(unsent.read)
  const store = useCallback(
    (next: Value | null) => {
      setValue(next)
      unsent.write(next)
    },
    [unsent],
  )
  return [value, store]
}
