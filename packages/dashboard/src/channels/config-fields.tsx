/** Fields of the connection of a channel; the contract decides the fields of each type. */
import { entryErrorOf } from '../api/field-errors.ts'
import { HeadersField } from '../components/headers-field.tsx'
import { Checkbox } from '../kit/checkbox.tsx'
import { TextAreaField, TextField } from '../kit/field.tsx'
import { Select } from '../kit/select.tsx'
import { useTexts } from '../texts/texts.tsx'
import {
  type ChannelConfigValues,
  type ConfigField,
  configErrorOf,
  configFields,
  fieldLabel,
  isSecret,
  recipientsOf,
  requiredFields,
  storedHeaders,
} from './draft.ts'
import type { ChannelFormProps } from './form-props.ts'
import { SecretField } from './secret-field.tsx'

const methods = ['POST', 'PUT', 'PATCH'] as const satisfies ChannelConfigValues['method'][]

const maxLengths: Partial<Record<ConfigField, number>> = {
  smtpHost: 253,
  smtpPort: 5,
  username: 256,
  fromAddress: 254,
  fromName: 100,
  accountSid: 34,
  fromNumber: 20,
  channel: 80,
  url: 2048,
}

export const ConfigFields = (props: ChannelFormProps) => {
  const fields: readonly ConfigField[] = configFields[props.kind]
  return fields
    .filter((field) => field !== 'bodyTemplate')
    .map((field) => <ConfigFieldInput key={field} {...props} field={field} />)
}

type FieldProps = ChannelFormProps & { field: ConfigField }

const ConfigFieldInput = ({ field, ...props }: FieldProps) => {
  const { channels: texts } = useTexts()
  const { values, errors, isReadOnly, onChange } = props
  const label = fieldLabel(field, texts)
  const error = configErrorOf(errors, field)
  if (isSecret(field)) return <SecretField {...props} name={field} />
  if (field === 'headers') return <ChannelHeaders {...props} />
  if (field === 'secure') {
    return (
      <Checkbox
        label={label}
        isSelected={values.secure}
        onChange={(secure) => onChange({ secure })}
        isDisabled={isReadOnly}
      />
    )
  }
  if (field === 'method') {
    return (
      <Select
        label={label}
        error={error}
        options={methods.map((value) => ({ value, label: value }))}
        value={values.method}
        onChange={(method) => onChange({ method })}
        isDisabled={isReadOnly}
      />
    )
  }
  return <TextInput {...props} field={field} />
}

type TextFieldName = Exclude<keyof ChannelConfigValues, 'secure' | 'method'>

const TextInput = ({ field, ...props }: ChannelFormProps & { field: TextFieldName }) => {
  const { channels: texts } = useTexts()
  const hints: Partial<Record<ConfigField, string>> = texts.hints
  const { values, errors, isReadOnly, onChange } = props
  const text = {
    label: fieldLabel(field, texts),
    hint: hints[field],
    error: configErrorOf(errors, field),
    value: values[field],
    onChange: (value: string) => onChange({ [field]: value }),
    maxLength: maxLengths[field],
    isReadOnly,
    isRequired: requiredFields.includes(field),
    spellCheck: 'false' as const,
    autoComplete: 'off',
  }
  const entries = recipientsOf(values.recipients)
  return field === 'recipients' ? (
    <TextAreaField {...text} error={entryErrorOf(errors, 'config.recipients', entries)} rows={3} />
  ) : (
    <TextField
      {...text}
      placeholder={field === 'smtpPort' ? '587' : undefined}
      inputMode={field === 'smtpPort' ? 'numeric' : undefined}
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
