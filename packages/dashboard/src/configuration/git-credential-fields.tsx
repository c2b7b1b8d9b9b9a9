/** Fields of the credential with which the service reads the repository. */
import type { FieldErrors } from '../api/field-errors.ts'
import { TextAreaField, TextField } from '../kit/field.tsx'
import { useTexts } from '../texts/texts.tsx'
import {
  credentialFields,
  type GitCredentialValues,
  type GitSyncValues,
} from './git-sync-values.ts'

interface GitCredentialFieldsProps {
  method: GitSyncValues['authMethod']
  /** Whether the service has a credential that remains if none is entered. */
  isStored: boolean
  entered: GitCredentialValues
  errors: FieldErrors
  onChange(patch: GitCredentialValues): void
}

export const GitCredentialFields = (props: GitCredentialFieldsProps) => {
  const { method, isStored, entered, errors, onChange } = props
  const { gitSync: texts } = useTexts()
  return credentialFields[method].map(({ name, isLong, maxLength }, index) => {
    const shared = {
      label: texts.credential[name],
      hint:
        name === 'knownHosts'
          ? texts.knownHostsHint
          : index === 0 && isStored
            ? texts.stored
            : undefined,
      error: errors[`credential.${name}`] ?? (index === 0 ? errors.credential : undefined),
      value: entered[name] ?? '',
      onChange: (value: string) => onChange({ [name]: value }),
      maxLength,
      dir: 'ltr',
      spellCheck: 'false',
      autoComplete: 'off',
    } as const
    if (isLong) return <TextAreaField key={name} {...shared} rows={3} />
    const type = name === 'token' ? 'password' : 'text'
    return <TextField key={name} {...shared} type={type} />
  })
}
