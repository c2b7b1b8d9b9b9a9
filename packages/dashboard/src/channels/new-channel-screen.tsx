/** Creation of a notification channel. */
import type { Schemas } from '@status-page/client'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { Form, Label, Radio, RadioGroup } from 'react-aria-components'
import { api } from '../api/client.ts'
import { NoPermission } from '../app/problem.tsx'
import { ProblemNote } from '../app/problem-note.tsx'
import { useFieldErrors } from '../app/use-field-errors.ts'
import { isSame } from '../components/draft.ts'
import editorClasses from '../components/editor.module.css'
import { UnsavedChangesDialog } from '../components/unsaved-changes-dialog.tsx'
import { Button } from '../kit/button.tsx'
import { FormBar, Screen } from '../kit/screen.tsx'
import { useSession } from '../session/session.tsx'
import { useTexts } from '../texts/texts.tsx'
import { ChannelFields } from './channel-fields.tsx'
import {
  type ChannelTypeName,
  channelKinds,
  creationOf,
  noSecrets,
  shownErrors,
  typeHint,
  typeName,
  valuesOf,
} from './draft.ts'

export const NewChannelScreen = () => {
  const { channels: texts } = useTexts()
  const { can } = useSession()
  return (
    <Screen title={texts.new}>
      {can('NOTIFICATIONS_CREATE') ? <NewChannelForm /> : <NoPermission />}
    </Screen>
  )
}

const NewChannelForm = () => {
  const { channels: texts, actions } = useTexts()
  const [kind, setKind] = useState<ChannelTypeName>('slack')
  const [values, setValues] = useState(() => valuesOf({}))
  const [secrets, setSecrets] = useState(noSecrets)
  const create = useCreate()
  const errors = useFieldErrors(create.error, { uniqueField: 'name' })
  const isDirty = !create.isSuccess && !(isSame(values, valuesOf({})) && isSame(secrets, noSecrets))
  return (
    <Form
      className={editorClasses.form}
      onSubmit={(event) => {
        event.preventDefault()
        create.mutate(creationOf(kind, values, secrets))
      }}
    >
      <TypeChoice
        value={kind}
        onChange={(chosen) => {
          setKind(chosen)
          setSecrets(noSecrets)
          create.reset()
        }}
      />
      <ChannelFields
        kind={kind}
        channel={{}}
        values={values}
        secrets={secrets}
        errors={errors}
        isReadOnly={false}
        onChange={(patch) => setValues((before) => ({ ...before, ...patch }))}
        onSecrets={setSecrets}
      />
      <FormBar>
        <ProblemNote error={create.error} fieldErrors={errors} fields={shownErrors(kind, errors)} />
        <Button type="submit" emphasis="primary" isDisabled={create.isPending}>
          {create.isPending ? actions.saving : texts.create}
        </Button>
      </FormBar>
      <UnsavedChangesDialog isDirty={isDirty} />
    </Form>
  )
}

const useCreate = () => {
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  return useMutation({
    mutationFn: async (body: Schemas['CreateChannel']) =>
      (await api.POST('/api/v1/notification-channels', { body })).data,
    onSuccess: async ({ id }) => {
      void queryClient.invalidateQueries({ queryKey: ['notification-channels'] })
      await navigate({ to: '/channels/$id', params: { id }, ignoreBlocker: true })
    },
  })
}

interface TypeChoiceProps {
  value: ChannelTypeName
  onChange(kind: ChannelTypeName): void
}

const TypeChoice = ({ value, onChange }: TypeChoiceProps) => {
  const texts = useTexts()
  return (
    <RadioGroup
      className={editorClasses.types}
      value={value}
      onChange={(kind) => onChange(kind as ChannelTypeName)}
    >
      <Label className={editorClasses.typesLabel}>{texts.channels.type}</Label>
      <div className={editorClasses.typeOptions}>
        {channelKinds.map((kind) => (
          <Radio key={kind} value={kind} className={editorClasses.typeOption}>
            <strong>{typeName(kind, texts)}</strong>
            <span className={editorClasses.quiet}>{typeHint(kind, texts.channels)}</span>
          </Radio>
        ))}
      </div>
    </RadioGroup>
  )
}
