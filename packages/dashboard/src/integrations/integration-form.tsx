/** Settings of an integration. Secrets are write-only and never stored by the browser. */
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { Form } from 'react-aria-components'
import type { FieldErrors } from '../api/field-errors.ts'
import { useMergedForm } from '../app/merged-form.ts'
import { ProblemNote } from '../app/problem-note.tsx'
import { useFieldErrors } from '../app/use-field-errors.ts'
import { FieldConflicts } from '../incidents/field-conflicts.tsx'
import { Fields } from '../kit/arrangement.tsx'
import { Checkbox } from '../kit/checkbox.tsx'
import { TextField } from '../kit/field.tsx'
import { Select } from '../kit/select.tsx'
import { useTexts } from '../texts/texts.tsx'
import {
  type IntegrationData,
  type IntegrationValues,
  type PlatformName,
  platformSettings,
  type SecretValues,
  type SettingName,
  settingLabel,
  valuesOf,
} from './platforms.ts'
import { SaveActions } from './save-actions.tsx'

interface IntegrationFormProps {
  type: PlatformName
  /** Null for a new one. */
  integration: IntegrationData | null
  isReadOnly: boolean
  write(values: IntegrationValues, secrets: SecretValues): Promise<unknown>
}

export const IntegrationForm = (props: IntegrationFormProps) => {
  const { type, integration, isReadOnly } = props
  const { integrations: texts } = useTexts()
  const { form, secrets, setSecrets, save, discard } = useIntegrationEdit(props)
  const errors = useFieldErrors(save.error, { uniqueField: 'name' })
  const shown = ['name', ...platformSettings(type).map(({ name }) => `config.${name}`)]
  const isDirty = form.isDirty || Object.values(secrets).some((secret) => secret !== '')
  const labelOf = (field: keyof IntegrationValues) =>
    field === 'name' || field === 'isEnabled' ? texts.fields[field] : settingLabel(field, texts)
  return (
    <Form
      onSubmit={(event) => {
        event.preventDefault()
        save.mutate()
      }}
    >
      <Fields>
        <FieldConflicts form={form} labelOf={labelOf} textOf={(_field, value) => String(value)} />
        <NamedSettings
          type={type}
          isNew={integration === null}
          values={form.values}
          secrets={secrets}
          errors={errors}
          isReadOnly={isReadOnly}
          onChange={form.set}
          onSecret={(patch) => setSecrets({ ...secrets, ...patch })}
        />
        <SaveActions
          save={save}
          isReadOnly={isReadOnly}
          isDirty={isDirty}
          hasConflict={form.conflicts.length > 0}
          onDiscard={discard}
        />
        <ProblemNote error={save.error} fieldErrors={errors} fields={shown} />
      </Fields>
    </Form>
  )
}

/** Name and settings with their write. */
const useIntegrationEdit = ({ type, integration, write }: IntegrationFormProps) => {
  const form = useMergedForm(`integration.${integration?.id ?? type}`, valuesOf(type, integration))
  const [secrets, setSecrets] = useState<SecretValues>({})
  const discard = () => {
    form.discard()
    setSecrets({})
  }
  const save = useMutation({
    mutationFn: () => write(form.values, secrets),
    onMutate: () => form.values,
    onSuccess: (_reply, _input, written) => {
      form.saved(written)
      setSecrets({})
    },
  })
  return { form, secrets, setSecrets, save, discard }
}

const NamedSettings = (props: SettingFieldsProps) => {
  const { values, errors, isReadOnly, onChange } = props
  const { integrations: texts } = useTexts()
  return (
    <>
      <TextField
        label={texts.fields.name}
        error={errors.name}
        value={values.name}
        onChange={(name) => onChange({ name })}
        maxLength={100}
        isReadOnly={isReadOnly}
        isRequired
      />
      <SettingFields {...props} />
      <Checkbox
        label={texts.fields.isEnabled}
        hint={texts.enabledHint}
        isSelected={values.isEnabled}
        onChange={(isEnabled) => onChange({ isEnabled })}
        isDisabled={isReadOnly}
      />
    </>
  )
}

interface SettingFieldsProps {
  type: PlatformName
  isNew: boolean
  values: IntegrationValues
  secrets: SecretValues
  errors: FieldErrors
  isReadOnly: boolean
  onChange(patch: Partial<IntegrationValues>): void
  onSecret(patch: SecretValues): void
}

const SettingFields = (props: SettingFieldsProps) => {
  const { type, isNew, values, secrets, errors, isReadOnly, onChange, onSecret } = props
  const { integrations: texts, componentScreens } = useTexts()
  const errorOf = (name: SettingName) => errors[`config.${name}`] ?? errors[name]
  return platformSettings(type).map(({ name, kind, isSecret, isRequired, choices, maxLength }) => {
    if (kind === 'choice') {
      return (
        <Select
          key={name}
          label={settingLabel(name, texts)}
          options={choices.map((value) => ({ value, label: value }))}
          value={values[name] ?? ''}
          error={errorOf(name)}
          isDisabled={isReadOnly}
          onChange={(value) => onChange({ [name]: value })}
        />
      )
    }
    return (
      <TextField
        key={name}
        label={settingLabel(name, texts)}
        hint={isSecret ? componentScreens.editor.secretHint : undefined}
        placeholder={isSecret && !isNew ? texts.secretStored : undefined}
        error={errorOf(name)}
        type={isSecret ? 'password' : 'text'}
        inputMode={kind === 'number' ? 'numeric' : undefined}
        value={(isSecret ? secrets[name] : values[name]) ?? ''}
        onChange={(value) => (isSecret ? onSecret : onChange)({ [name]: value })}
        maxLength={maxLength ?? undefined}
        isReadOnly={isReadOnly}
        isRequired={isRequired && (isNew || !isSecret)}
        autoComplete="off"
        spellCheck="false"
        dir="ltr"
      />
    )
  })
}
