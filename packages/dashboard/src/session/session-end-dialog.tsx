/** Request to log in again, above the view as the user left it. */
import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { dashboardPath } from '../api/client.ts'
import { meQuery } from '../api/queries.ts'
import { buttonClass } from '../kit/button.tsx'
import { Dialog } from '../kit/dialog.tsx'
import { useTexts } from '../texts/texts.tsx'
import { signInUrl } from './session.tsx'
import { continueSession, followLogins, useSessionEnded } from './session-end.ts'

export const SessionEndDialog = () => {
  const { states } = useTexts()
  const hasEnded = useSessionEnded()
  const queryClient = useQueryClient()
  useEffect(() => followLogins(() => void queryClient.invalidateQueries()), [queryClient])
  useEffect(() => {
    if (!hasEnded) return
    // The message about a login can be lost.
    const readSession = () =>
      void queryClient
        .fetchQuery({ ...meQuery, staleTime: 0 })
        .then(continueSession, () => undefined)
    addEventListener('focus', readSession)
    addEventListener('visibilitychange', readSession)
    return () => {
      removeEventListener('focus', readSession)
      removeEventListener('visibilitychange', readSession)
    }
  }, [hasEnded, queryClient])
  return (
    <Dialog title={states.sessionEnded} isOpen={hasEnded}>
      <p>{states.sessionEndedHint}</p>
      <p>
        <a
          className={buttonClass('primary')}
          href={signInUrl(`${dashboardPath}/signed-in`)}
          target="_blank"
          rel="noopener opener"
        >
          {states.signIn}
        </a>
      </p>
    </Dialog>
  )
}
