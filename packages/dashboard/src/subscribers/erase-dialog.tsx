/** Dialog that erases an e-mail address at the request of its owner. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Form } from 'react-aria-components'
import { api } from '../api/client.ts'
import { ProblemNote } from '../app/problem-note.tsx'
import { useFieldErrors } from '../app/use-field-errors.ts'
import { Button } from '../kit/button.tsx'
import { Dialog } from '../kit/dialog.tsx'
import { TextField } from '../kit/field.tsx'
import { Note } from '../kit/note.tsx'
import { useFormats, useTexts } from '../texts/texts.tsx'
import classes from './subscribers.module.css'

const fields = ['email'] as const

export const EraseDialog = ({ onClose }: { onClose(): void }) => {
  const { subscribers, dialogs } = useTexts()
  const { erase: texts } = subscribers
  const { plural } = useFormats()
  const [email, setEmail] = useState('')
  const erase = useErase()
  const errors = useFieldErrors(erase.error)
  return (
    <Dialog title={texts.title} isOpen onClose={onClose}>
      <p>{texts.hint}</p>
      <Form
        className={classes.form}
        onSubmit={(event) => {
          event.preventDefault()
          erase.mutate(email.trim(), { onSuccess: () => setEmail('') })
        }}
      >
        <TextField
          label={subscribers.email}
          error={errors.email}
          value={email}
          onChange={setEmail}
          type="email"
          maxLength={254}
          autoComplete="off"
          isRequired
        />
        {erase.isSuccess && email === '' && (
          <Note state="ok">{plural(texts.done, erase.data)}</Note>
        )}
        <div className={classes.actions}>
          <Button
            type="submit"
            emphasis="danger"
            isDisabled={erase.isPending || email.trim() === ''}
          >
            {texts.confirm}
          </Button>
          <Button onPress={onClose}>
            {erase.isSuccess ? subscribers.secret.close : dialogs.cancel}
          </Button>
        </div>
        <ProblemNote error={erase.error} fieldErrors={errors} fields={fields} />
      </Form>
    </Dialog>
  )
}

/** The result is the number of deleted subscriptions. */
const useErase = () => {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: async (email: string) =>
      (await api.POST('/api/v1/subscribers/erase', { body: { email } })).data.subscribers,
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['subscribers'] }),
  })
}
