/**
 * Batches of a plan for core and integrations, with encrypted secrets, and the inverse of each
 * integration batch.
 */
import {
  type ComponentBatch,
  type ComponentPatch,
  type Cooperative,
  type IntegrationBatch,
  type IntegrationType,
  type Issue,
  integrationSecrets,
  type NewComponent,
  REDACTED,
} from '@status-page/contracts'
import { isSecretHeader, type Sealer } from '@status-page/secrets'
import type { ApplyBatches } from './journal.ts'
import { headerEncryptionContext, integrationEncryptionContext } from './plan/live.ts'
import type { ConfigurationPlan, PlannedConfig, PlannedFields } from './plan/planning.ts'

interface BatchContext {
  organizationId: string
  sealer: Sealer
  newId: () => string
}

/** A batch is null when its service has no changes. */
export function* toBatches(
  plan: ConfigurationPlan,
  context: BatchContext,
): Cooperative<ApplyBatches> {
  const { components, integrations } = plan
  const saved = { create: integrations.create, update: integrations.update }
  const integrationsId = context.newId()
  const savesIntegrations = saved.create.length + saved.update.length > 0
  return {
    integrations: savesIntegrations ? saveIntegrations(plan, context, integrationsId) : null,
    undo: savesIntegrations ? undoIntegrations(plan, context, integrationsId) : null,
    components:
      components.create.length + components.update.length + components.remove.length > 0
        ? yield* changeComponents(plan, context)
        : null,
    removals:
      integrations.remove.length === 0
        ? null
        : {
            ...emptyBatch(context.newId()),
            remove: integrations.remove.map(({ id, version }) => ({ id, version })),
          },
  }
}

const emptyBatch = (id: string): IntegrationBatch => ({
  id,
  mode: 'apply',
  undoes: null,
  create: [],
  update: [],
  remove: [],
})

const saveIntegrations = (
  plan: ConfigurationPlan,
  context: BatchContext,
  batchId: string,
): IntegrationBatch => ({
  ...emptyBatch(batchId),
  create: plan.integrations.create.map(({ id, value }) => ({
    id,
    integration: { ...value, config: sealConfig(context, id, value.type, value.config) },
  })),
  update: plan.integrations.update.map(({ id, value: { config, ...value }, before }) => ({
    id,
    version: before.version,
    patch: {
      ...value,
      ...(config === undefined ? {} : { config: sealConfig(context, id, before.type, config) }),
    },
  })),
})

/**
 * Restores the changed fields to their previous values; concurrent changes of other fields remain.
 */
const undoIntegrations = (
  plan: ConfigurationPlan,
  context: BatchContext,
  undoes: string,
): IntegrationBatch => ({
  ...emptyBatch(context.newId()),
  undoes,
  update: plan.integrations.update.map(({ id, value, before }) => ({
    id,
    version: null,
    patch: {
      ...(value.isEnabled === undefined ? {} : { isEnabled: before.isEnabled }),
      ...(value.config === undefined
        ? {}
        : { config: sealConfig(context, id, before.type, before.config) }),
    },
  })),
  remove: plan.integrations.create.map(({ id }) => ({ id, version: null })),
})

function* changeComponents(
  { components }: ConfigurationPlan,
  context: BatchContext,
): Cooperative<ComponentBatch> {
  const create: ComponentBatch['create'] = []
  for (const { id, value } of components.create) {
    create.push({ id, component: sealHeaders(context, id, value) as NewComponent })
    yield
  }
  const update: ComponentBatch['update'] = []
  for (const { id, value, before } of components.update) {
    const patch = sealHeaders(context, id, value) as ComponentPatch
    update.push({ id, version: before.version, patch })
    yield
  }
  const remove = components.remove.map(({ id, version }) => ({ id, version }))
  return { id: context.newId(), mode: 'apply', create, update, remove }
}

const sealHeaders = (
  { sealer, organizationId }: BatchContext,
  id: string,
  value: PlannedFields,
): PlannedFields => {
  const headers = value.headers as Record<string, string> | undefined
  if (headers === undefined) return value
  const sealed = Object.entries(headers).map(([name, text]) =>
    isSecretHeader(name) && text !== REDACTED
      ? [name, sealer.seal(text, headerEncryptionContext(organizationId, id, name))]
      : [name, text],
  )
  return { ...value, headers: Object.fromEntries(sealed) }
}

const sealConfig = (
  { sealer, organizationId }: BatchContext,
  id: string,
  type: IntegrationType,
  config: PlannedConfig,
): PlannedConfig => {
  const sealed = Object.entries(config).map(([field, value]) =>
    integrationSecrets[type].includes(field) && typeof value === 'string' && value !== REDACTED
      ? [field, sealer.seal(value, integrationEncryptionContext(organizationId, id, field))]
      : [field, value],
  )
  return Object.fromEntries(sealed)
}

const BATCH_FIELD = /^(create|update)\[(\d+)\]\.(?:component|patch|integration)\b\.?(.*)$/

/** Names of id fields in a document. */
const documentNames: Readonly<Record<string, string>> = {
  parentComponentId: 'group',
  integrationId: 'integration',
}

/** Maps an issue of a batch to its field in the document. */
export const toDocumentIssue = (
  issue: Issue,
  resources: Pick<
    ConfigurationPlan['components'] | ConfigurationPlan['integrations'],
    'create' | 'update'
  >,
): Issue => {
  const [, verb, index, rest = ''] = BATCH_FIELD.exec(issue.field) ?? []
  if (verb === undefined) return issue
  const path = resources[verb as 'create' | 'update'][Number(index)]?.path ?? 'spec'
  const field = rest.replace(/^\w+/, (name) => documentNames[name] ?? name)
  return { ...issue, field: field === '' ? path : `${path}.${field}` }
}
