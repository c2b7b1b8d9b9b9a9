/** End of a login in another tab: the tab that waits for it continues, and this one closes. */
import { useEffect } from 'react'
import { Screen } from '../kit/screen.tsx'
import { useTexts } from '../texts/texts.tsx'
import { CONTINUED, channel, SIGNED_IN } from './session-end.ts'

export const SignedInScreen = () => {
  const { states } = useTexts()
  useEffect(() => {
    // A tab that closes before its message is received can take the message with it.
    const onMessage = ({ data }: MessageEvent) => {
      if (data === CONTINUED) window.close()
    }
    channel.addEventListener('message', onMessage)
    channel.postMessage(SIGNED_IN)
    return () => channel.removeEventListener('message', onMessage)
  }, [])
  return <Screen title={states.signIn} intro={states.signedIn} />
}
