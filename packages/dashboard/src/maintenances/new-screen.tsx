/** Creation of a maintenance; the input is stored in this browser until it is sent. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useRef, useState } from 'react'
import { Form } from 'react-aria-components'
import { api } from '../api/client.ts'
import { NoPermission } from '../app/problem.tsx'
import { ProblemNote } from '../app/problem-note.tsx'
import { useUnsent } from '../app/unsent.ts'
import { useFieldErrors } from '../app/use-field-errors.ts'
import { isUnanswered, newIdempotencyKey } from '../incidents/send.ts'
import { Button } from '../kit/button.tsx'
import { FormBar, Screen, Skeleton } from '../kit/screen.tsx'
import { useSession } from '../session/session.tsx'
import { useTexts } from '../texts/texts.tsx'
import { type MaintenanceValues, newValues, shownErrors } from './draft.ts'
import { EditorFields } from './editor-fields.tsx'
import classes from './maintenances.module.css'
import { useDefaultTimeZone } from './zone-field.tsx'

export const NewMaintenanceScreen = () => {
  const { maintenance: texts } = useTexts()
  const { can } = useSession()
  const timeZone = useDefaultTimeZone()
  const isAllowed = can('MAINTENANCES_CREATE')
  return (
    <Screen title={texts.new}>
      {!isAllowed && <NoPermission />}
      {isAllowed && timeZone === null && <Skeleton rows={8} />}
      {isAllowed && timeZone !== null && <NewMaintenanceForm defaultTimeZone={timeZone} />}
    </Screen>
  )
}

interface StoredMaintenance {
  values: MaintenanceValues
  timeZone: string
}

const NewMaintenanceForm = ({ defaultTimeZone }: { defaultTimeZone: string }) => {
  const { maintenance: texts, actions } = useTexts()
  const [stored, store] = useUnsent<StoredMaintenance>('maintenance.new')
  const [defaults] = useState(() => newValues(defaultTimeZone))
  const values = { ...defaults, ...stored?.values }
  const timeZone = stored?.timeZone ?? defaultTimeZone
  const create = useCreate(() => store(null))
  const errors = useFieldErrors(create.error, { labels: { scheduledFor: texts.form.start } })
  return (
    <Form
      className={classes.form}
      onSubmit={(event) => {
        event.preventDefault()
        if (!create.isPending) create.mutate(values)
      }}
    >
      <EditorFields
        maintenance={null}
        values={values}
        errors={errors}
        timeZone={timeZone}
        set={(patch) => store({ values: { ...values, ...patch }, timeZone })}
        setTimeZone={(zone) => {
          const { recurrence } = values
          const moved = recurrence && { ...recurrence, timezone: zone }
          store({ values: { ...values, recurrence: moved }, timeZone: zone })
        }}
      />
      <FormBar>
        <ProblemNote error={create.error} fieldErrors={errors} fields={shownErrors(errors)} />
        <Button type="submit" emphasis="primary" isDisabled={create.isPending}>
          {create.isPending ? actions.saving : texts.form.create}
        </Button>
        {stored !== null && (
          <UnsentInput
            onDiscard={() => {
              store(null)
              create.reset()
            }}
          />
        )}
      </FormBar>
    </Form>
  )
}

const UnsentInput = ({ onDiscard }: { onDiscard(): void }) => {
  const { form: texts } = useTexts().maintenance
  return (
    <>
      <Button emphasis="quiet" onPress={onDiscard}>
        {texts.discard}
      </Button>
      <span className={classes.quiet}>{texts.stored}</span>
    </>
  )
}

const useCreate = (onCreated: () => void) => {
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const sent = useRef({ content: '', key: '' })
  return useMutation({
    mutationFn: async (body: MaintenanceValues) => {
      const content = JSON.stringify(body)
      // The same content has the same key, so that a repetition after a lost reply creates no other.
      if (sent.current.content !== content) sent.current = { content, key: newIdempotencyKey() }
      const params = { header: { 'Idempotency-Key': sent.current.key } }
      return (await api.POST('/api/v1/maintenances', { params, body })).data
    },
    // The service stores refusals as well: the next request needs a key of its own.
    onError: (error) => {
      if (!isUnanswered(error)) sent.current = { content: '', key: '' }
    },
    onSuccess: async ({ id }) => {
      onCreated()
      void queryClient.invalidateQueries({ queryKey: ['maintenances'] })
      void queryClient.invalidateQueries({ queryKey: ['overview'] })
      await navigate({ to: '/maintenances/$id', params: { id } })
    },
  })
}
