/** Test message of a channel, with its result. */
import type { Schemas } from '@status-page/client'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { Form } from 'react-aria-components'
import { api } from '../api/client.ts'
import { ProblemNote } from '../app/problem-note.tsx'
import { useFieldErrors } from '../app/use-field-errors.ts'
import { Button } from '../kit/button.tsx'
import { Card } from '../kit/card.tsx'
import { TextField } from '../kit/field.tsx'
import { Note } from '../kit/note.tsx'
import { useFormats, useTexts } from '../texts/texts.tsx'
import classes from './channels.module.css'
import type { ChannelData } from './draft.ts'

const fields = ['recipient'] as const

export const TestCard = ({ channel: { id, type } }: { channel: ChannelData }) => {
  const { sections, test: texts } = useTexts().channels
  const [recipient, setRecipient] = useState('')
  const send = useSend(id)
  const errors = useFieldErrors(send.error)
  return (
    <Card title={sections.test}>
      <Form
        className={classes.fields}
        onSubmit={(event) => {
          event.preventDefault()
          send.mutate(recipient.trim())
        }}
      >
        <p className={classes.quiet}>{texts.hint}</p>
        {(type === 'email' || type === 'sms') && (
          <TextField
            label={texts.recipient}
            hint={texts.recipientHint}
            error={errors.recipient}
            value={recipient}
            onChange={setRecipient}
            maxLength={254}
            autoComplete="off"
          />
        )}
        <p>
          <Button type="submit" isDisabled={send.isPending}>
            {send.isPending ? texts.sending : texts.send}
          </Button>
        </p>
        <ProblemNote error={send.error} fieldErrors={errors} fields={fields} />
        {send.data !== undefined && <TestResult result={send.data} />}
      </Form>
    </Card>
  )
}

const useSend = (id: string) => {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: async (recipient: string) => {
      const body = recipient === '' ? {} : { recipient }
      const params = { path: { id } }
      return (await api.POST('/api/v1/notification-channels/{id}/test', { params, body })).data
    },
    onSettled: () => {
      void queryClient.invalidateQueries({ queryKey: ['deliveries'] })
      return queryClient.invalidateQueries({ queryKey: ['notification-channels'] })
    },
  })
}

const TestResult = ({ result }: { result: Schemas['ChannelTest'] }) => {
  const { channels, deliveries } = useTexts()
  const { fill, number } = useFormats()
  const { success, statusCode, responseTime, error, message, deliveryId } = result
  const ms = number(responseTime)
  const cause = error === null ? deliveries.outcomes.unknown : channels.testErrors[error]
  const facts = [
    statusCode === null ? null : fill(deliveries.status, { code: statusCode }),
    message,
  ].filter((fact) => fact !== null)
  return (
    <Note state={success ? 'ok' : 'down'} role={success ? 'status' : 'alert'}>
      <p>
        {success
          ? fill(channels.test.success, { ms })
          : fill(channels.test.failure, { ms, error: cause })}
      </p>
      {facts.length > 0 && <p className={classes.quiet}>{facts.join(' · ')}</p>}
      <Link to="/deliveries/$id" params={{ id: deliveryId }}>
        {channels.test.delivery}
      </Link>
    </Note>
  )
}
