/** End of a login in another tab: the tab that waits for it continues, and this one closes. */
import { useEffect } from 'react'
import { Screen } from '../kit/screen.tsx'
import { useTexts } from '../texts/texts.tsx'
import { announceLogin } from './session-end.ts'

/** A tab that closes at once can take its message with it. */
const CLOSE_AFTER_MS = 1_000

export const SignedInScreen = () => {
  const { states } = useTexts()
  useEffect(() => {
    announceLogin()
    const timer = setTimeout(() => window.close(), CLOSE_AFTER_MS)
    return () => clearTimeout(timer)
  }, [])
  return <Screen title={states.signIn} intro={states.signedIn} />
}
