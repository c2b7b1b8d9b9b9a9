/** Request to log in again, above the view as the user left it. */
import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { dashboardPath } from '../api/client.ts'
import { buttonClass } from '../kit/button.tsx'
import { Dialog } from '../kit/dialog.tsx'
import { useTexts } from '../texts/texts.tsx'
import { signInUrl } from './session.tsx'
import { followLogins, useSessionEnded } from './session-end.ts'

export const SessionEndDialog = () => {
  const { states } = useTexts()
  const hasEnded = useSessionEnded()
  const queryClient = useQueryClient()
  useEffect(() => followLogins(() => void queryClient.invalidateQueries()), [queryClient])
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
