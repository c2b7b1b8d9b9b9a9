/** Secret of a channel. A stored one is never shown; it is replaced or removed. */
import { Button } from '../kit/button.tsx'
import { TextField } from '../kit/field.tsx'
import { useTexts } from '../texts/texts.tsx'
import classes from './channels.module.css'
import { configErrorOf, fieldLabel, hasStored, requiredFields, type SecretName } from './draft.ts'
import type { ChannelFormProps } from './form-props.ts'

interface SecretFieldProps extends ChannelFormProps {
  name: SecretName
}

export const SecretField = (props: SecretFieldProps) => {
  const { name, channel, secrets, errors } = props
  const { channels: texts } = useTexts()
  const isStored = hasStored(channel, name)
  const entered = secrets.values[name]
  const error = configErrorOf(errors, name)
  if (isStored && entered === undefined && error === undefined) return <StoredSecret {...props} />
  const set = (value: string | null) => changeSecret(props, value)
  return (
    <div className={classes.secret}>
      <TextField
        label={fieldLabel(name, texts)}
        hint={name === 'bounceSecret' ? texts.hints.bounceSecret : undefined}
        error={error}
        type={name === 'webhookUrl' ? 'url' : 'password'}
        value={entered ?? ''}
        onChange={set}
        maxLength={name === 'webhookUrl' ? 2048 : 256}
        autoComplete="new-password"
        spellCheck="false"
        isReadOnly={props.isReadOnly}
        isRequired={requiredFields.includes(name)}
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
  const { name, isReadOnly } = props
  const { channels: texts } = useTexts()
  const label = fieldLabel(name, texts)
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be a grid in every browser
    <div className={classes.stored} role="group" aria-label={label}>
      <span className={classes.label}>{label}</span>
      <span className={classes.quiet}>{texts.secretStored}</span>
      {!isReadOnly && (
        <div className={classes.buttons}>
          <Button onPress={() => changeSecret(props, '')}>{texts.replace}</Button>
          {!requiredFields.includes(name) && (
            <Button emphasis="quiet" onPress={() => changeSecret(props, null)}>
              {texts.clear}
            </Button>
          )}
        </div>
      )}
    </div>
  )
}

const changeSecret = ({ name, secrets, onSecrets }: SecretFieldProps, value: string | null): void =>
  onSecrets({ ...secrets, values: { ...secrets.values, [name]: value } })

const keepStored = ({ name, secrets, onSecrets }: SecretFieldProps): void => {
  const { [name]: _dropped, ...values } = secrets.values
  onSecrets({ ...secrets, values })
}
