/** End of a login in another tab: the tab that waits for it continues, and this one closes. */
import { useEffect } from 'react'
import { Screen } from '../kit/screen.tsx'
import { useTexts } from '../texts/texts.tsx'
import { announceLogin } from './session-end.ts'

export const SignedInScreen = () => {
  const { states } = useTexts()
  useEffect(() => {
    announceLogin()
    window.close()
  }, [])
  return <Screen title={states.signIn} intro={states.signedIn} />
}
