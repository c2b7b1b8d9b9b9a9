/** Settings of an existing channel. Unsaved values survive a reload; entered secrets do not. */
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Form } from 'react-aria-components'
import { api } from '../api/client.ts'
import { useCheckedWrite } from '../app/checked-write.ts'
import { type MergedForm, useMergedForm } from '../app/merged-form.ts'
import { ProblemNote } from '../app/problem-note.tsx'
import { useFieldErrors } from '../app/use-field-errors.ts'
import { isSame } from '../components/draft.ts'
import editorClasses from '../components/editor.module.css'
import { FieldConflicts } from '../incidents/field-conflicts.tsx'
import { Button } from '../kit/button.tsx'
import { Note } from '../kit/note.tsx'
import { FormBar } from '../kit/screen.tsx'
import { useSession } from '../session/session.tsx'
import { useTexts } from '../texts/texts.tsx'
import { ChannelFields } from './channel-fields.tsx'
import {
  type ChannelData,
  type ChannelValues,
  noSecrets,
  patchOf,
  type SecretDraft,
  shownErrors,
  valuesOf,
} from './draft.ts'
import { channelQuery } from './queries.ts'
import { useValueTexts } from './use-value-texts.ts'

export const ChannelForm = ({ channel }: { channel: ChannelData }) => {
  const { can } = useSession()
  const form = useMergedForm(`channel.${channel.id}`, valuesOf(channel))
  const [secrets, setSecrets] = useState<SecretDraft>(noSecrets)
  const save = useSave({ channel, form, secrets, onSaved: () => setSecrets(noSecrets) })
  const errors = useFieldErrors(save.error, { uniqueField: 'name' })
  const { labelOf, textOf } = useValueTexts()
  return (
    <Form
      className={editorClasses.form}
      onSubmit={(event) => {
        event.preventDefault()
        save.mutate()
      }}
    >
      <FieldConflicts form={form} labelOf={labelOf} textOf={textOf} />
      <ChannelFields
        kind={channel.type}
        channel={channel}
        values={form.values}
        secrets={secrets}
        errors={errors}
        isReadOnly={!can('NOTIFICATIONS_UPDATE')}
        onChange={form.set}
        onSecrets={setSecrets}
      />
      {can('NOTIFICATIONS_UPDATE') && (
        <SaveBar
          channel={channel}
          form={form}
          save={save}
          isDirty={form.isDirty || !isSame(secrets, noSecrets)}
          onDiscard={() => {
            form.discard()
            setSecrets(noSecrets)
            save.reset()
          }}
        />
      )}
    </Form>
  )
}

interface SaveOptions {
  channel: ChannelData
  form: MergedForm<ChannelValues>
  secrets: SecretDraft
  onSaved(): void
}

const useSave = ({ channel: { id, type }, form, secrets, onSaved }: SaveOptions) => {
  const queryClient = useQueryClient()
  return useCheckedWrite({
    form,
    read: async () => valuesOf(await queryClient.fetchQuery({ ...channelQuery(id), staleTime: 0 })),
    write: (changes) => {
      const body = patchOf(type, changes, secrets)
      return api.PATCH('/api/v1/notification-channels/{id}', { params: { path: { id } }, body })
    },
    onSaved: () => {
      onSaved()
      return queryClient.invalidateQueries({ queryKey: ['notification-channels'] })
    },
  })
}

interface SaveBarProps extends Pick<SaveOptions, 'channel' | 'form'> {
  save: ReturnType<typeof useSave>
  isDirty: boolean
  onDiscard(): void
}

const SaveBar = ({ channel, form, save, isDirty, onDiscard }: SaveBarProps) => {
  const { channels: texts, actions } = useTexts()
  const errors = useFieldErrors(save.error, { uniqueField: 'name' })
  const hasConflict = form.conflicts.length > 0
  return (
    <FormBar>
      <ProblemNote
        error={save.error}
        fieldErrors={errors}
        fields={shownErrors(channel.type, errors)}
      />
      {save.data === true && !isDirty && <Note state="ok">{texts.saved}</Note>}
      <Button
        type="submit"
        emphasis="primary"
        isDisabled={!isDirty || hasConflict || save.isPending}
      >
        {save.isPending ? actions.saving : texts.save}
      </Button>
      {isDirty && (
        <Button onPress={onDiscard} isDisabled={save.isPending}>
          {texts.discard}
        </Button>
      )}
    </FormBar>
  )
}
