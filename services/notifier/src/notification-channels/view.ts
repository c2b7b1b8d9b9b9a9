/** Representation of a channel in the API and the audit log, without its secrets. */
import {
  type AnyChannelConfig,
  auditChanges,
  Channel,
  REDACTED,
  viewOf,
} from '@status-page/contracts'
import { channels } from '../channels/index.ts'
import { redactConfig } from '../channels/secrets.ts'
import { unknownPlaceholders } from '../messages/template.ts'
import type { ChannelRow } from '../tables.ts'
import type { ChannelState } from './rules.ts'

/** Works on the stored row: encrypted secrets are redacted, too. */
export const presentChannel = ({ row, isPaused }: ChannelState): Channel =>
  viewOf(Channel, {
    ...row,
    config: redactConfig(row.type, row.config),
    status: row.disabledReason !== null ? 'disabled' : isPaused ? 'paused' : 'active',
  })

/** Unknown placeholder names in the channel's templates. */
export const templateWarnings = ({
  messageTemplate,
  config,
}: Pick<ChannelRow, 'messageTemplate' | 'config'>): string[] =>
  unknownPlaceholders(messageTemplate, config.bodyTemplate)

export const auditChannel = auditChanges(
  'notification_channel',
  (row: ChannelRow) => auditedOf(row),
  (before, after) => secretsChanged(before, after),
)

const auditedOf = (row: ChannelRow) => ({
  name: row.name,
  type: row.type,
  config: redactConfig(row.type, row.config),
  events: row.events,
  componentIds: row.componentIds,
  impacts: row.impacts,
  isEnabled: row.isEnabled,
  messageTemplate: row.messageTemplate,
})

/** Shows that a secret changed, not which one. Both rows have decrypted secrets. */
const secretsChanged = (before: ChannelRow | null, after: ChannelRow) => {
  if (before === null) return {}
  const secretsOf = ({ type, config }: ChannelRow) =>
    JSON.stringify(
      channels[type].secrets.map(
        (path) => config[path.replace('.*', '') as keyof AnyChannelConfig],
      ),
    )
  return secretsOf(before) === secretsOf(after) ? {} : { secrets: { from: REDACTED, to: REDACTED } }
}
