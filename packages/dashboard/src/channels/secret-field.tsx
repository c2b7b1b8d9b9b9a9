/** Secret of a channel. A stored one is never shown; it is replaced or removed. */
import type { ConfigField } from '../api/config-form.ts'
import { Button } from '../kit/button.tsx'
import { TextField } from '../kit/field.tsx'
import { useTexts } from '../texts/texts.tsx'
import classes from './channels.module.css'
import { type ConfigFieldName, configErrorOf, fieldLabel, hasStored } from './draft.ts'
import type { ChannelFormProps } from './form-props.ts'

interface SecretFieldProps extends ChannelFormProps {
  field: ConfigField<ConfigFieldName>
}

export const SecretField = (props: SecretFieldProps) => {
  const { field, channel, secrets, errors } = props
  const { name, maxLength, isRequired } = field
  const { channels: texts } = useTexts()
  const hints: Partial<Record<string, string>> = texts.hints
  const isStored = hasStored(channel, name)
  const entered = secrets.values[name]
  const error = configErrorOf(errors, name)
  if (isStored && entered === undefined && error === undefined) return <StoredSecret {...props} />
  const set = (value: string | null) => changeSecret(props, value)
  return (
    <div className={classes.secret}>
      <TextField
        label={fieldLabel(name, texts)}
        hint={hints[name]}
        error={error}
        type={name === 'webhookUrl' ? 'url' : 'password'}
        value={entered ?? ''}
        onChange={set}
        maxLength={maxLength ?? undefined}
        autoComplete="new-password"
        spellCheck="false"
        isReadOnly={props.isReadOnly}
        isRequired={isRequired}
      />
      {isStored && (
        <Button emphasis="quiet" onPress={() => keepStored(props)}>
          {texts.keep}
        </Button>
      )}
    </div>
  )
}

const StoredSecret = (props: SecretFieldProps) => {
  const { field, isReadOnly } = props
  const { channels: texts } = useTexts()
  const label = fieldLabel(field.name, texts)
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be a grid in every browser
    <div className={classes.stored} role="group" aria-label={label}>
      <span className={classes.label}>{label}</span>
      <span className={classes.quiet}>{texts.secretStored}</span>
      {!isReadOnly && (
        <div className={classes.buttons}>
          <Button onPress={() => changeSecret(props, '')}>{texts.replace}</Button>
          {!field.isRequired && (
            <Button emphasis="quiet" onPress={() => changeSecret(props, null)}>
              {texts.clear}
            </Button>
          )}
        </div>
      )}
    </div>
  )
}

const changeSecret = (
  { field, secrets, onSecrets }: SecretFieldProps,
  value: string | null,
): void => onSecrets({ ...secrets, values: { ...secrets.values, [field.name]: value } })

const keepStored = ({ field, secrets, onSecrets }: SecretFieldProps): void => {
  const { [field.name]: _dropped, ...values } = secrets.values
  onSecrets({ ...secrets, values })
}
