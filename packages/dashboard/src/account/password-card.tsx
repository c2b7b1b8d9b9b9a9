/** Change of the password. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type ComponentProps, useState } from 'react'
import { Form } from 'react-aria-components'
import { api } from '../api/client.ts'
import { ProblemNote } from '../app/problem-note.tsx'
import { useFieldErrors } from '../app/use-field-errors.ts'
import { Actions, CardBody, Fields } from '../kit/arrangement.tsx'
import { Button } from '../kit/button.tsx'
import { Card } from '../kit/card.tsx'
import { TextField } from '../kit/field.tsx'
import { Note } from '../kit/note.tsx'
import { useTexts } from '../texts/texts.tsx'
import { sessionsQuery } from './queries.ts'

const fields = ['currentPassword', 'newPassword'] as const
const empty = { currentPassword: '', newPassword: '' }

export const PasswordCard = () => (
  <Card title={useTexts().ownAccount.password.title}>
    <CardBody>
      <PasswordForm />
    </CardBody>
  </Card>
)

const PasswordForm = () => {
  const { password: texts } = useTexts().ownAccount
  const queryClient = useQueryClient()
  const [body, setBody] = useState(empty)
  const change = useMutation({
    mutationFn: () => api.POST('/api/v1/auth/password', { body }),
    onSuccess: () => {
      setBody(empty)
      return queryClient.invalidateQueries(sessionsQuery)
    },
  })
  const errors = useFieldErrors(change.error)
  const isIncomplete = body.currentPassword === '' || body.newPassword === ''
  return (
    <Form
      onSubmit={(event) => {
        event.preventDefault()
        change.mutate()
      }}
    >
      <Fields>
        <PasswordField
          autoComplete="current-password"
          label={texts.current}
          error={errors.currentPassword}
          value={body.currentPassword}
          onChange={(currentPassword) => setBody({ ...body, currentPassword })}
        />
        <PasswordField
          autoComplete="new-password"
          label={texts.next}
          hint={texts.hint}
          error={errors.newPassword}
          value={body.newPassword}
          onChange={(newPassword) => setBody({ ...body, newPassword })}
        />
        <Actions>
          <Button type="submit" emphasis="primary" isDisabled={isIncomplete || change.isPending}>
            {texts.save}
          </Button>
        </Actions>
        <ProblemNote error={change.error} fieldErrors={errors} fields={fields} />
        {change.isSuccess && <Note state="ok">{texts.saved}</Note>}
      </Fields>
    </Form>
  )
}

const PasswordField = (props: ComponentProps<typeof TextField>) => (
  <TextField {...props} type="password" isRequired />
)
