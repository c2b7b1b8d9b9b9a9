/** Creation of an API key, which is shown once. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Form } from 'react-aria-components'
import { api } from '../api/client.ts'
import { ProblemNote } from '../app/problem-note.tsx'
import { useFieldErrors } from '../app/use-field-errors.ts'
import { Actions, Fields, InlineFields } from '../kit/arrangement.tsx'
import { Button } from '../kit/button.tsx'
import { CopyField } from '../kit/copy-field.tsx'
import { DateTimeField } from '../kit/date-time-field.tsx'
import { Dialog, DialogFooter } from '../kit/dialog.tsx'
import { TextField } from '../kit/field.tsx'
import { Note } from '../kit/note.tsx'
import { Select } from '../kit/select.tsx'
import { useTexts } from '../texts/texts.tsx'
import { PermissionLevels } from './permission-levels.tsx'
import { type AccessLevels, permissionsOf } from './permissions.ts'

type Expiry = keyof ReturnType<typeof useTexts>['access']['keys']['expiries']

const DAY_MS = 86_400_000
const days: Partial<Record<Expiry, number>> = { days30: 30, days90: 90, days365: 365 }
const fields = ['name', 'permissions', 'expiresAt'] as const

interface NewKeyDialogProps {
  onClose(): void
}

export const NewKeyDialog = ({ onClose }: NewKeyDialogProps) => {
  const { keys: texts } = useTexts().access
  const { dialogs } = useTexts()
  const [key, setKey] = useState<string | null>(null)
  // The secret is lost with the dialog, so only its button closes it.
  return key === null ? (
    <Dialog title={texts.create} isOpen onClose={onClose} closeLabel={dialogs.cancel} size="large">
      <NewKeyForm onCreated={setKey} onClose={onClose} />
    </Dialog>
  ) : (
    <Dialog title={texts.created} isOpen>
      <Note state="part">{texts.once}</Note>
      <CopyField label={texts.key} value={key} />
      <Actions>
        <Button emphasis="primary" onPress={onClose}>
          {texts.done}
        </Button>
      </Actions>
    </Dialog>
  )
}

const expiryOf = (expiry: Expiry, at: string | null): string | null => {
  const period = days[expiry]
  if (period !== undefined) return new Date(Date.now() + period * DAY_MS).toISOString()
  return expiry === 'other' ? at : null
}

interface KeyDraft {
  name: string
  levels: AccessLevels
  expiry: Expiry
  at: string | null
}

const emptyDraft: KeyDraft = { name: '', levels: {}, expiry: 'days90', at: null }

const isIncomplete = ({ name, levels, expiry, at }: KeyDraft): boolean =>
  name.trim() === '' || permissionsOf(levels).length === 0 || (expiry === 'other' && at === null)

const useCreateKey = (draft: KeyDraft, onCreated: (key: string) => void) => {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: async () => {
      const { name, levels, expiry, at } = draft
      const permissions = permissionsOf(levels)
      const body = { name, permissions, expiresAt: expiryOf(expiry, at) }
      return (await api.POST('/api/v1/api-keys', { body })).data
    },
    onSuccess: ({ key }) => {
      onCreated(key)
      return queryClient.invalidateQueries({ queryKey: ['api-keys'] })
    },
    // The secret does not remain in memory once the dialog is closed.
    gcTime: 0,
  })
}

const NewKeyForm = (props: NewKeyDialogProps & { onCreated(key: string): void }) => {
  const { dialogs, access } = useTexts()
  const { keys: texts } = access
  const [draft, setDraft] = useState(emptyDraft)
  const set = (patch: Partial<KeyDraft>) => setDraft((before) => ({ ...before, ...patch }))
  const create = useCreateKey(draft, props.onCreated)
  const errors = useFieldErrors(create.error)
  return (
    <Form
      onSubmit={(event) => {
        event.preventDefault()
        if (!isIncomplete(draft)) create.mutate()
      }}
    >
      <Fields>
        <TextField
          label={texts.name}
          hint={texts.nameHint}
          error={errors.name}
          value={draft.name}
          onChange={(name) => set({ name })}
          maxLength={100}
          isRequired
        />
        <ExpiryFields draft={draft} error={errors.expiresAt} onChange={set} />
        <PermissionLevels
          levels={draft.levels}
          error={errors.permissions}
          onChange={(levels) => set({ levels })}
        />
        <DialogFooter>
          <ProblemNote error={create.error} fieldErrors={errors} fields={fields} />
          <Button emphasis="quiet" onPress={props.onClose}>
            {dialogs.cancel}
          </Button>
          <Button
            type="submit"
            emphasis="primary"
            isDisabled={isIncomplete(draft) || create.isPending}
          >
            {texts.submit}
          </Button>
        </DialogFooter>
      </Fields>
    </Form>
  )
}

interface ExpiryFieldsProps {
  draft: KeyDraft
  error?: string
  onChange(patch: Partial<KeyDraft>): void
}

const ExpiryFields = ({ draft: { expiry, at }, error, onChange }: ExpiryFieldsProps) => {
  const { keys: texts } = useTexts().access
  const options = Object.entries(texts.expiries).map(([value, label]) => ({
    value: value as Expiry,
    label,
  }))
  return (
    <InlineFields>
      <Select
        label={texts.expiry}
        options={options}
        value={expiry}
        error={expiry === 'other' ? undefined : error}
        onChange={(chosen) => onChange({ expiry: chosen })}
      />
      {expiry === 'other' && (
        <DateTimeField
          label={texts.expiresAt}
          error={error}
          value={at}
          onChange={(chosen) => onChange({ at: chosen })}
          isRequired
        />
      )}
    </InlineFields>
  )
}
