/** Fields of the connection of a channel; the contract decides the fields of each type. */

import type { ConfigField } from '../api/config-form.ts'
import { entryErrorOf } from '../api/field-errors.ts'
import { HeadersField } from '../components/headers-field.tsx'
import { Checkbox } from '../kit/checkbox.tsx'
import { TextAreaField, TextField } from '../kit/field.tsx'
import { Select } from '../kit/select.tsx'
import { useTexts } from '../texts/texts.tsx'
import {
  type ConfigFieldName,
  configErrorOf,
  configFields,
  entriesOf,
  fieldLabel,
  storedHeaders,
} from './draft.ts'
import type { ChannelFormProps } from './form-props.ts'
import { SecretField } from './secret-field.tsx'

export const ConfigFields = (props: ChannelFormProps) => {
  return configFields(props.kind)
    .filter(({ name }) => name !== 'bodyTemplate')
    .map((field) => <ConfigFieldInput key={field.name} {...props} field={field} />)
}

type FieldProps = ChannelFormProps & { field: ConfigField<ConfigFieldName> }

const ConfigFieldInput = (props: FieldProps) => {
  const { channels: texts } = useTexts()
  const { field, values, errors, isReadOnly, onChange } = props
  const { name, kind, choices } = field
  const label = fieldLabel(name, texts)
  if (kind === 'headers') return <ChannelHeaders {...props} />
  if (field.isSecret) return <SecretField {...props} />
  if (kind === 'boolean') {
    return (
      <Checkbox
        label={label}
        isSelected={values[name] === true}
        onChange={(isSelected) => onChange({ [name]: isSelected })}
        isDisabled={isReadOnly}
      />
    )
  }
  if (kind === 'choice') {
    return (
      <Select
        label={label}
        error={configErrorOf(errors, name)}
        options={choices.map((value) => ({ value, label: value }))}
        value={String(values[name] ?? '')}
        onChange={(chosen) => onChange({ [name]: chosen })}
        isDisabled={isReadOnly}
      />
    )
  }
  return <TextInput {...props} />
}

const TextInput = ({ field, values, errors, isReadOnly, onChange }: FieldProps) => {
  const { channels: texts } = useTexts()
  const { name, kind, isRequired, maxLength, default: initial } = field
  const hints: Partial<Record<string, string>> = texts.hints
  const value = String(values[name] ?? '')
  const text = {
    label: fieldLabel(name, texts),
    hint: hints[name],
    error: configErrorOf(errors, name),
    value,
    onChange: (entered: string) => onChange({ [name]: entered }),
    maxLength: maxLength ?? undefined,
    isReadOnly,
    isRequired,
    spellCheck: 'false' as const,
    autoComplete: 'off',
  }
  if (kind === 'longText') return <TextAreaField {...text} rows={3} />
  if (kind === 'list') {
    const error = entryErrorOf(errors, `config.${name}`, entriesOf(value))
    return <TextAreaField {...text} error={error} rows={3} />
  }
  return (
    <TextField
      {...text}
      placeholder={initial === null ? undefined : String(initial)}
      inputMode={kind === 'number' ? 'numeric' : undefined}
    />
  )
}

const ChannelHeaders = ({ channel, secrets, errors, isReadOnly, onSecrets }: ChannelFormProps) => {
  const stored = Object.entries(storedHeaders(channel))
  const headers =
    secrets.headers ?? stored.map(([name, value], index) => ({ key: -1 - index, name, value }))
  return (
    <HeadersField
      headers={headers}
      error={configErrorOf(errors, 'headers')}
      isReadOnly={isReadOnly}
      onChange={(next) => onSecrets({ ...secrets, headers: next })}
    />
  )
}
