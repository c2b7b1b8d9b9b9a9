/** Settings of Git sync. The credential is write-only and never stored by the browser. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Form } from 'react-aria-components'
import { api } from '../api/client.ts'
import { gitProviders } from '../api/contract.ts'
import type { FieldErrors } from '../api/field-errors.ts'
import { useCheckedWrite } from '../app/checked-write.ts'
import { type MergedForm, useMergedForm } from '../app/merged-form.ts'
import { ProblemNote } from '../app/problem-note.tsx'
import { useFieldErrors } from '../app/use-field-errors.ts'
import { FieldConflicts } from '../incidents/field-conflicts.tsx'
import { SaveActions } from '../integrations/save-actions.tsx'
import { Fields, InlineFields } from '../kit/arrangement.tsx'
import { Checkbox } from '../kit/checkbox.tsx'
import { TextField } from '../kit/field.tsx'
import { Select } from '../kit/select.tsx'
import { useTexts } from '../texts/texts.tsx'
import { GitCredentialFields } from './git-credential-fields.tsx'
import {
  authMethodsOf,
  changeEdit,
  credentialFields,
  credentialOf,
  type GitCredentialValues,
  type GitSyncValues,
  gitSyncValuesOf,
  newEdit,
  newGitSyncValues,
  withoutUserInfo,
} from './git-sync-values.ts'
import { type GitSyncData, gitSyncQuery } from './queries.ts'

interface GitSyncFormProps {
  /** Null before the set-up. */
  settings: GitSyncData | null
  isReadOnly: boolean
  onSecret(secret: string | null): void
  /** Reports that another user has deleted the settings that this one saves. */
  onDeleted?(values: GitSyncValues): void
}

export const GitSyncForm = (props: GitSyncFormProps) => {
  const { settings, isReadOnly } = props
  const { gitSync: texts } = useTexts()
  const { form, credential, setCredential, save, discard } = useGitSyncEdit(props)
  const { values } = form
  const errors = useFieldErrors(save.error)
  const shown = [
    ...Object.keys(values),
    ...credentialFields[values.authMethod].map(({ name }) => `credential.${name}`),
  ]
  const hasCredential = credentialOf(values.authMethod, credential) !== undefined
  return (
    <Form
      onSubmit={(event) => {
        event.preventDefault()
        save.mutate()
      }}
    >
      <Fields>
        <FieldConflicts
          form={form}
          labelOf={(field) => texts.fields[field]}
          textOf={(field, value) => textOf(texts, field, value)}
        />
        <RepositoryFields form={form} errors={errors} isReadOnly={isReadOnly} />
        <AccessChoices form={form} errors={errors} isReadOnly={isReadOnly} />
        {!isReadOnly && (
          <GitCredentialFields
            method={values.authMethod}
            isStored={hasStoredCredential(settings, values)}
            entered={credential}
            errors={errors}
            onChange={(patch) => setCredential({ ...credential, ...patch })}
          />
        )}
        <SyncChoices form={form} errors={errors} isReadOnly={isReadOnly} />
        <SaveActions
          save={save}
          label={settings === null ? texts.setUp : undefined}
          isReadOnly={isReadOnly}
          isDirty={form.isDirty || hasCredential}
          hasConflict={form.conflicts.length > 0}
          onDiscard={discard}
        />
        <ProblemNote error={save.error} fieldErrors={errors} fields={shown} />
      </Fields>
    </Form>
  )
}

/** A stored credential belongs to its repository and its method. */
const hasStoredCredential = (settings: GitSyncData | null, values: GitSyncValues): boolean =>
  settings?.authMethod === values.authMethod && settings.repositoryUrl === values.repositoryUrl

const textOf = (
  texts: ReturnType<typeof useTexts>['gitSync'],
  field: keyof GitSyncValues,
  value: GitSyncValues[keyof GitSyncValues],
): string => {
  if (typeof value === 'boolean') return value ? texts.yes : texts.no
  if (field === 'provider') return texts.providers[value as GitSyncValues['provider']]
  if (field === 'authMethod') return texts.authMethods[value as GitSyncValues['authMethod']]
  return value
}

const useGitSyncEdit = ({ settings, onSecret, onDeleted }: GitSyncFormProps) => {
  const queryClient = useQueryClient()
  const current = settings === null ? newGitSyncValues : gitSyncValuesOf(settings)
  const form = useMergedForm(settings === null ? newEdit : changeEdit, current)
  const [credential, setCredential] = useState<GitCredentialValues>({})
  const discard = () => {
    form.discard()
    setCredential({})
  }
  const onReply = async ({ webhookSecret }: GitSyncData) => {
    setCredential({})
    if (webhookSecret !== undefined) onSecret(webhookSecret)
    await queryClient.invalidateQueries({ queryKey: ['configuration', 'git-sync'] })
  }
  const entered = credentialOf(form.values.authMethod, credential)
  const create = useMutation({
    async mutationFn() {
      const body = { ...form.values, credential: entered }
      await onReply((await api.POST('/api/v1/config/git-sync', { body })).data)
    },
    onSuccess: form.discard,
  })
  const update = useCheckedWrite({
    form,
    async read() {
      const present = await queryClient.fetchQuery({ ...gitSyncQuery, staleTime: 0 })
      if (present !== null) return gitSyncValuesOf(present)
      onDeleted?.(form.values)
      throw new Error('Git sync was deleted')
    },
    async write(changes) {
      const body = { ...changes, credential: entered }
      await onReply((await api.PATCH('/api/v1/config/git-sync', { body })).data)
    },
    onSaved: () => undefined,
  })
  return { form, credential, setCredential, save: settings === null ? create : update, discard }
}

interface FormPartProps {
  form: MergedForm<GitSyncValues>
  errors: FieldErrors
  isReadOnly: boolean
}

const RepositoryFields = ({ form: { values, set }, errors, isReadOnly }: FormPartProps) => {
  const { gitSync: texts } = useTexts()
  const text = { isReadOnly, dir: 'ltr', spellCheck: 'false', autoComplete: 'off' } as const
  return (
    <>
      <TextField
        {...text}
        label={texts.fields.repositoryUrl}
        hint={texts.repositoryHint}
        error={errors.repositoryUrl}
        value={values.repositoryUrl}
        onChange={(url) => set({ repositoryUrl: withoutUserInfo(url) })}
        maxLength={2048}
        isRequired
      />
      <InlineFields>
        <TextField
          {...text}
          label={texts.fields.branch}
          error={errors.branch}
          value={values.branch}
          onChange={(branch) => set({ branch })}
          maxLength={200}
          isRequired
        />
        <TextField
          {...text}
          label={texts.fields.configPath}
          error={errors.configPath}
          value={values.configPath}
          onChange={(configPath) => set({ configPath })}
          maxLength={1024}
          isRequired
        />
      </InlineFields>
    </>
  )
}

const AccessChoices = ({ form: { values, set }, errors, isReadOnly }: FormPartProps) => {
  const { gitSync: texts } = useTexts()
  const methods = authMethodsOf(values.provider)
  const choose = (provider: GitSyncValues['provider']) => {
    const isKnown = authMethodsOf(provider).includes(values.authMethod)
    set({ provider, authMethod: isKnown ? values.authMethod : 'token' })
  }
  return (
    <InlineFields>
      <Select
        label={texts.fields.provider}
        options={gitProviders.map((value) => ({ value, label: texts.providers[value] }))}
        value={values.provider}
        error={errors.provider}
        isDisabled={isReadOnly}
        onChange={choose}
      />
      <Select
        label={texts.fields.authMethod}
        options={methods.map((value) => ({ value, label: texts.authMethods[value] }))}
        value={values.authMethod}
        error={errors.authMethod}
        isDisabled={isReadOnly}
        onChange={(authMethod) => set({ authMethod })}
      />
    </InlineFields>
  )
}

const SyncChoices = ({ form: { values, set }, errors, isReadOnly }: FormPartProps) => {
  const { gitSync: texts } = useTexts()
  return (
    <>
      <Checkbox
        label={texts.fields.autoSync}
        hint={texts.autoSyncHint}
        isSelected={values.autoSync}
        onChange={(autoSync) => set({ autoSync })}
        isDisabled={isReadOnly}
      />
      <Checkbox
        label={texts.fields.writeBack}
        hint={errors.writeBack ?? texts.writeBackHint}
        isSelected={values.writeBack}
        isInvalid={errors.writeBack !== undefined}
        onChange={(writeBack) => set({ writeBack })}
        isDisabled={isReadOnly}
      />
    </>
  )
}
