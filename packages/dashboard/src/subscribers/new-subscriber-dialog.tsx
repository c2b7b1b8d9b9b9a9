/** Dialog that adds a subscriber. */
import type { Schemas } from '@status-page/client'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Form } from 'react-aria-components'
import { api } from '../api/client.ts'
import { subscriberTypes } from '../api/contract.ts'
import { type FieldErrors, rootFieldOf } from '../api/field-errors.ts'
import { statusPagesQuery } from '../api/queries.ts'
import { ProblemNote } from '../app/problem-note.tsx'
import { useFieldErrors } from '../app/use-field-errors.ts'
import { Button } from '../kit/button.tsx'
import { Dialog, DialogFooter } from '../kit/dialog.tsx'
import { TextField } from '../kit/field.tsx'
import { FilterSelect } from '../kit/filter-select.tsx'
import { Note } from '../kit/note.tsx'
import { Select } from '../kit/select.tsx'
import { useSession } from '../session/session.tsx'
import { useTexts } from '../texts/texts.tsx'
import type { SubscriberData } from './filters.ts'
import { newSecret } from './new-secret.ts'
import { ScopeFields, type SubscriberScope } from './subscriber-fields.tsx'
import classes from './subscribers.module.css'

interface SubscriberDraft extends SubscriberScope {
  type: SubscriberData['type']
  email: string
  phone: string
  webhookUrl: string
  webhookSecret: string
  statusPageId: string | null
}

const emptyDraft: SubscriberDraft = {
  type: 'email',
  email: '',
  phone: '',
  webhookUrl: '',
  webhookSecret: '',
  statusPageId: null,
  componentIds: [],
  events: [],
}

const addressFields = { email: 'email', sms: 'phone', webhook: 'webhookUrl' } as const
const shownFields = ['email', 'phone', 'webhookUrl', 'webhookSecret', 'componentIds', 'events']

const bodyOf = (draft: SubscriberDraft): Schemas['CreateSubscriber'] => {
  const { type, email, phone, webhookUrl, webhookSecret, ...scope } = draft
  if (type === 'email') return { type, email: email.trim(), ...scope }
  if (type === 'sms') return { type, phone: phone.trim(), ...scope }
  const secret = webhookSecret === '' ? {} : { webhookSecret }
  return { type, webhookUrl: webhookUrl.trim(), ...secret, ...scope }
}

export const NewSubscriberDialog = ({ onClose }: { onClose(): void }) => {
  const { subscribers: texts, actions, dialogs } = useTexts()
  const [draft, setDraft] = useState(emptyDraft)
  const create = useCreate(onClose)
  const errors = useFieldErrors(create.error, { uniqueField: addressFields[draft.type] })
  const set = (patch: Partial<SubscriberDraft>) => setDraft({ ...draft, ...patch })
  const shown = Object.keys(errors).filter((field) => shownFields.includes(rootFieldOf(field)))
  return (
    <Dialog title={texts.add} isOpen size="large" onClose={onClose}>
      <Form
        className={classes.form}
        onSubmit={(event) => {
          event.preventDefault()
          create.mutate(bodyOf(draft))
        }}
      >
        <AddressFields draft={draft} errors={errors} onChange={set} />
        <PageChoice draft={draft} onChange={set} />
        <ScopeFields scope={draft} errors={errors} onChange={set} />
        <Note state="slow">{texts.consent}</Note>
        <DialogFooter>
          <ProblemNote error={create.error} fieldErrors={errors} fields={shown} />
          <Button onPress={onClose}>{dialogs.cancel}</Button>
          <Button type="submit" emphasis="primary" isDisabled={create.isPending}>
            {create.isPending ? actions.saving : texts.add}
          </Button>
        </DialogFooter>
      </Form>
    </Dialog>
  )
}

const useCreate = (onCreated: () => void) => {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: (body: Schemas['CreateSubscriber']) => api.POST('/api/v1/subscribers', { body }),
    onSuccess: () => {
      onCreated()
      return queryClient.invalidateQueries({ queryKey: ['subscribers'] })
    },
  })
}

interface DraftProps {
  draft: SubscriberDraft
  onChange(patch: Partial<SubscriberDraft>): void
}

const AddressFields = ({ draft, errors, onChange }: DraftProps & { errors: FieldErrors }) => {
  const { subscribers: texts } = useTexts()
  return (
    <>
      <Select
        label={texts.type}
        options={subscriberTypes.map((value) => ({ value, label: texts.types[value] }))}
        value={draft.type}
        onChange={(type) => onChange({ type })}
      />
      {draft.type === 'email' && (
        <TextField
          label={texts.email}
          error={errors.email}
          value={draft.email}
          onChange={(email) => onChange({ email })}
          type="email"
          maxLength={254}
          autoComplete="off"
          isRequired
        />
      )}
      {draft.type === 'sms' && (
        <TextField
          label={texts.phone}
          hint={texts.phoneHint}
          error={errors.phone}
          value={draft.phone}
          onChange={(phone) => onChange({ phone })}
          type="tel"
          maxLength={20}
          autoComplete="off"
          isRequired
        />
      )}
      {draft.type === 'webhook' && (
        <WebhookFields draft={draft} errors={errors} onChange={onChange} />
      )}
    </>
  )
}

const WebhookFields = ({ draft, errors, onChange }: DraftProps & { errors: FieldErrors }) => {
  const { subscribers: texts } = useTexts()
  return (
    <>
      <TextField
        label={texts.webhookUrl}
        error={errors.webhookUrl}
        value={draft.webhookUrl}
        onChange={(webhookUrl) => onChange({ webhookUrl })}
        inputMode="url"
        maxLength={2048}
        spellCheck="false"
        isRequired
      />
      <div className={classes.withButton}>
        <TextField
          label={texts.webhookSecret}
          hint={texts.webhookSecretHint}
          error={errors.webhookSecret}
          value={draft.webhookSecret}
          onChange={(webhookSecret) => onChange({ webhookSecret })}
          maxLength={256}
          autoComplete="off"
          spellCheck="false"
        />
        <Button onPress={() => onChange({ webhookSecret: newSecret() })}>{texts.generate}</Button>
      </div>
    </>
  )
}

const PageChoice = ({ draft, onChange }: DraftProps) => {
  const { subscribers: texts } = useTexts()
  const { can } = useSession()
  const { data } = useQuery({ ...statusPagesQuery, enabled: can('STATUS_PAGES_VIEW') })
  const pages = data?.data ?? []
  if (pages.length === 0) return null
  return (
    <FilterSelect
      label={texts.page}
      anyLabel={texts.everyPage}
      options={pages.map(({ id, name }) => ({ value: id, label: name }))}
      isSearchable
      value={draft.statusPageId ?? undefined}
      onChange={(id) => onChange({ statusPageId: id ?? null })}
    />
  )
}
