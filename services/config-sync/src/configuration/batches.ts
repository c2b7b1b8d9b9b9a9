/**
 * Batches of a plan for each owner, with encrypted secrets, and the inverse of the batch of
 * integrations.
 */
import {
  type ComponentBatch,
  type ComponentPatch,
  type ConfigResourceType,
  type Cooperative,
  type CoreDefinitionChanges,
  type DefinitionChanges,
  type IntegrationBatch,
  type IntegrationType,
  type Issue,
  type NewComponent,
  REDACTED,
} from '@status-page/contracts'
import {
  headerEncryptionContext,
  integrationEncryptionContext,
  isSecretHeader,
  mapSecrets,
} from '@status-page/secrets'
import type { BatchContext } from './batch-context.ts'
import { channelBatches } from './channel-batches.ts'
import { documentNameOf } from './definitions/id-fields.ts'
import type { ApplyBatches } from './journal.ts'
import type { ConfigurationPlan, PlannedFields } from './plan/planning.ts'
import { sealSecret } from './secret-hashes.ts'
import { type ConfigValues, integrationConfig } from './typed-config.ts'

/** A batch is null when its service has no changes. */
export function* toBatches(
  plan: ConfigurationPlan,
  context: BatchContext,
): Cooperative<ApplyBatches> {
  const { integrations } = plan
  const saved = { create: integrations.create, update: integrations.update }
  const integrationsId = context.newId()
  const savesIntegrations = saved.create.length + saved.update.length > 0
  return {
    integrations: savesIntegrations ? saveIntegrations(plan, context, integrationsId) : null,
    undo: savesIntegrations ? undoIntegrations(plan, context, integrationsId) : null,
    ...(yield* channelBatches(plan, context)),
    components: hasCoreChanges(plan) ? yield* changeComponents(plan, context) : null,
    removals:
      integrations.remove.length === 0
        ? null
        : {
            ...emptyBatch(context.newId()),
            remove: integrations.remove.map(({ id, version }) => ({ id, version })),
          },
  }
}

const hasCoreChanges = (plan: ConfigurationPlan): boolean =>
  [plan.components, ...coreDefinitions(plan).values()].some(
    ({ create, update, remove }) => create.length + update.length + remove.length > 0,
  )

const coreDefinitions = ({ definitions }: ConfigurationPlan): ConfigurationPlan['definitions'] =>
  new Map([...definitions].filter(([, { section }]) => section.owner !== 'notifier'))

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
  plan: ConfigurationPlan,
  context: BatchContext,
): Cooperative<ComponentBatch> {
  const { components } = plan
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
  const id = context.newId()
  const definitions = coreDefinitions(plan)
  if (definitions.size === 0) return { id, mode: 'apply', create, update, remove }
  const others = definitionChanges(definitions, context)
  return { id, mode: 'apply', create, update, remove, definitions: others }
}

/** The plan has been made by the schemas of the resources, so that its values conform to them. */
const definitionChanges = (
  plans: ConfigurationPlan['definitions'],
  context: BatchContext,
): CoreDefinitionChanges =>
  Object.fromEntries(
    [...plans].map(([type, { section, create, update, remove }]): [string, DefinitionChanges] => [
      type,
      {
        create: create.map((one) => ({ id: one.id, value: sealSecret(context, section, one) })),
        update: update.map((one) => ({
          id: one.id,
          etag: one.before.etag,
          value: sealSecret(context, section, one),
        })),
        remove: remove.map(({ id, etag }) => ({ id, etag })),
      },
    ]),
  ) as CoreDefinitionChanges

const sealHeaders = (
  { sealer, organizationId }: BatchContext,
  id: string,
  value: PlannedFields,
): PlannedFields => {
  const headers = value.headers as Record<string, string> | undefined
  if (headers === undefined) return value
  const sealed = Object.entries(headers).map(([name, text]) =>
    isSecretHeader(name) && text !== REDACTED
      ? [
          name,
          sealer.seal(text, headerEncryptionContext({ organizationId, componentId: id }, name)),
        ]
      : [name, text],
  )
  return { ...value, headers: Object.fromEntries(sealed) }
}

const sealConfig = (
  { sealer, organizationId }: BatchContext,
  id: string,
  type: IntegrationType,
  config: ConfigValues,
): IntegrationConfigValues =>
  mapSecrets(integrationConfig.secretsOf(type), config, (text, field) =>
    text === REDACTED
      ? text
      : sealer.seal(text, integrationEncryptionContext({ organizationId, id }, field)),
  ) as IntegrationConfigValues

/** Values that the config of an integration can have. */
type IntegrationConfigValues = IntegrationBatch['create'][number]['integration']['config']

const BATCH_FIELD =
  /^(?:definitions\.(\w+)\.)?(create|update)\[(\d+)\]\.(?:component|patch|integration|value)\b\.?(.*)$/

/** Names of id fields of components in a document. */
const documentNames: Readonly<Record<string, string>> = {
  parentComponentId: 'group',
  integrationId: 'integration',
}

/** Maps an issue of a batch to its field in the document. */
export const toDocumentIssue = (
  issue: Issue,
  plan: ConfigurationPlan,
  batch: 'components' | 'integrations' | 'channels',
): Issue => {
  const [, named, verb, index, rest = ''] = BATCH_FIELD.exec(issue.field) ?? []
  if (verb === undefined) return issue
  const type = batch === 'channels' ? 'notification_channel' : named
  const isDefinition = type !== undefined
  const changes = isDefinition
    ? plan.definitions.get(type as ConfigResourceType)
    : plan[batch === 'integrations' ? batch : 'components']
  const path = changes?.[verb as 'create' | 'update'][Number(index)]?.path ?? 'spec'
  const field = isDefinition
    ? rest.replaceAll(/[A-Za-z]\w*/g, documentNameOf)
    : rest.replace(/^\w+/, (name) => documentNames[name] ?? name)
  const renamed = field === '' ? path : `${path}.${field}`
  // The message of a definition begins with the field of the API.
  const message = issue.message.replace(rest, field)
  return { ...issue, field: renamed, ...(isDefinition ? { message } : {}) }
}
