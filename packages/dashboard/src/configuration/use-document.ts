/** Text of the editor: the present configuration, or the edited text that this browser stores. */
import { useCallback } from 'react'
import { useUnsent } from '../app/unsent.ts'

export interface DocumentEdit {
  text: string
  /** Configuration when the edit began. */
  base: string
  current: string
  isDirty: boolean
  /** Whether the configuration has changed since the edit began. */
  isOutdated: boolean
  change(text: string): void
  discard(): void
}

interface StoredDocument {
  text: string
  base: string
}

export const useDocument = (current: string): DocumentEdit => {
  const [stored, store] = useUnsent<StoredDocument>('configuration')
  const base = stored?.base ?? current
  const change = useCallback(
    (text: string) => store(text === current ? null : { text, base }),
    [store, current, base],
  )
  const discard = useCallback(() => store(null), [store])
  return {
    text: stored?.text ?? current,
    base,
    current,
    isDirty: stored !== null,
    isOutdated: stored !== null && base !== current,
    change,
    discard,
  }
}
