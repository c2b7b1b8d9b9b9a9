/** Step: mails to the user, which prove that mails of this installation arrive. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api } from '../api/client.ts'
import { meQuery } from '../api/queries.ts'
import { ProblemNote } from '../app/problem-note.tsx'
import { Button } from '../kit/button.tsx'
import { Note } from '../kit/note.tsx'
import { useSession } from '../session/session.tsx'
import { useFormats, useTexts } from '../texts/texts.tsx'
import classes from './first-run.module.css'
import { TestMail } from './test-mail.tsx'

export const MailStep = () => {
  const texts = useTexts().firstRun.mail
  const { fill } = useFormats()
  const { user } = useSession()
  const queryClient = useQueryClient()
  const send = useMutation({ mutationFn: () => api.POST('/api/v1/auth/email/verification') })
  const { email, emailVerified } = user
  if (emailVerified) {
    return (
      <div className={classes.form}>
        <Note state="ok">{fill(texts.done, { email })}</Note>
        <p>{fill(texts.test, { email })}</p>
        <TestMail />
      </div>
    )
  }
  return (
    <div className={classes.form}>
      <p>{fill(texts.before, { email })}</p>
      {send.isSuccess && <Note state="work">{texts.sent}</Note>}
      <div className={classes.actions}>
        <Button
          emphasis={send.isSuccess ? 'secondary' : 'primary'}
          onPress={() => send.mutate()}
          isDisabled={send.isPending}
        >
          {texts.send}
        </Button>
        {send.isSuccess && (
          <Button onPress={() => void queryClient.invalidateQueries(meQuery)}>{texts.check}</Button>
        )}
      </div>
      <ProblemNote error={send.error} />
      <p>{fill(texts.test, { email })}</p>
      <TestMail />
    </div>
  )
}
