/** Properties of the parts of a channel's form. */
import type { FieldErrors } from '../api/field-errors.ts'
import type { ChannelData, ChannelTypeName, ChannelValues, SecretDraft } from './draft.ts'

export interface ChannelFormProps {
  kind: ChannelTypeName
  /** Channel as it is stored; empty for a new one. */
  channel: Partial<ChannelData>
  values: ChannelValues
  secrets: SecretDraft
  errors: FieldErrors
  isReadOnly: boolean
  onChange(patch: Partial<ChannelValues>): void
  onSecrets(secrets: SecretDraft): void
}
