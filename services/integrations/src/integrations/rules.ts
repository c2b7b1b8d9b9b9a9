/** Rules of integrations: creation, change and events. Configs have decrypted secrets. Pure. */
import {
  type AnyIntegrationConfig,
  auditChanges,
  draftEvent,
  type EventDraft,
  Integration,
  type IntegrationPatch,
  integrationCreated,
  integrationDeleted,
  integrationSecrets,
  integrationUpdated,
  type NewIntegration,
  REDACTED,
  viewOf,
} from '@status-page/contracts'
import type { IntegrationRow } from '../tables.ts'
import { redactConfig } from './secrets.ts'

interface Making {
  id: string
  organizationId: string
  config: AnyIntegrationConfig
  /** True when a configuration document defines the integration. */
  managedByConfig: boolean
  now: Date
}

export const createIntegration = (body: NewIntegration, making: Making): IntegrationRow => {
  const { id, organizationId, config, managedByConfig, now } = making
  return {
    id,
    organizationId,
    version: 1,
    name: body.name,
    type: body.type,
    isEnabled: body.isEnabled ?? true,
    config,
    managedByConfig,
    lastTestAt: null,
    lastTestSuccess: null,
    createdAt: now,
    updatedAt: now,
  }
}

/** Changed row; null when the change has no effect. Both configs have their fields in one order. */
export const changeIntegration = (
  row: IntegrationRow,
  { name = row.name, isEnabled = row.isEnabled }: Pick<IntegrationPatch, 'name' | 'isEnabled'>,
  { config, now }: Pick<Making, 'config' | 'now'>,
): IntegrationRow | null => {
  const changed = { ...row, name, isEnabled, config }
  return JSON.stringify(changed) === JSON.stringify(row)
    ? null
    : { ...changed, version: row.version + 1, updatedAt: now }
}

/** Event with the existence and name of an integration, the only data that other services get. */
export const integrationEvent = (
  verb: 'created' | 'updated' | 'deleted',
  { id, name, type, version }: IntegrationRow,
): EventDraft => {
  const data = { integration: { id, name, type } }
  if (verb === 'created') return draftEvent(integrationCreated, { id, version }, data)
  return verb === 'updated'
    ? draftEvent(integrationUpdated, { id, version }, data)
    : draftEvent(integrationDeleted, { id, version: version + 1 }, data)
}

/** API representation; secrets of `row`, encrypted or decrypted, are redacted. */
export const integrationReplyOf = (row: IntegrationRow): Integration =>
  viewOf(Integration, { ...row, config: redactConfig(row.type, row.config) })

export const integrationAuditEntry = auditChanges(
  'integration',
  (row: IntegrationRow) => auditedOf(row),
  (before, after) => secretsChanged(before, after),
)

const auditedOf = ({ name, type, isEnabled, config }: IntegrationRow) => ({
  name,
  type,
  isEnabled,
  config: redactConfig(type, config),
})

/** Audit change of secrets without their names or values. Both rows have decrypted secrets. */
const secretsChanged = (before: IntegrationRow | null, after: IntegrationRow) => {
  if (before === null) return {}
  const secretsOf = ({ type, config }: IntegrationRow) =>
    JSON.stringify(
      integrationSecrets[type].map((field) => config[field as keyof AnyIntegrationConfig]),
    )
  return secretsOf(before) === secretsOf(after) ? {} : { secrets: { from: REDACTED, to: REDACTED } }
}
