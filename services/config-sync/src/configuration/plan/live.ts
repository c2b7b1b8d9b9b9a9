/**
 * Live state in the terms of a document. Secrets are decrypted here and must not be logged or sent.
 */
import {
  type ComponentDefinition,
  type ComponentType,
  type Cooperative,
  componentBatchOperations,
  type IntegrationDefinition,
  type IntegrationType,
  integrationBatchOperations,
  integrationSecrets,
} from '@status-page/contracts'
import type { Sealer } from '@status-page/secrets'
import { type Caller, type Client, runCooperatively } from '@status-page/service'
import type { ConfigValue } from '../document/document.ts'
import { defaultsOfFields, fieldsOfType } from '../document/schema.ts'

export interface LiveComponent {
  id: string
  version: number
  name: string
  type: ComponentType
  parentId: string | null
  integrationId: string | null
  isManaged: boolean
  /** Fields of the type except the status; `headers` by name. */
  fields: Readonly<Record<string, unknown>>
}

export interface LiveIntegration {
  id: string
  version: number
  name: string
  type: IntegrationType
  isEnabled: boolean
  isManaged: boolean
  config: Readonly<Record<string, ConfigValue>>
}

export interface LiveConfiguration {
  components: readonly LiveComponent[]
  integrations: readonly LiveIntegration[]
}

export interface LiveConfigurationDeps {
  core: Client
  integrations: Client
  sealer: Sealer
}

type CallOptions = { caller: Caller & { organizationId: string }; requestId: string | null }

export const loadLiveConfiguration = async (
  { core, integrations, sealer }: LiveConfigurationDeps,
  options: CallOptions,
): Promise<LiveConfiguration> => {
  const { organizationId } = options.caller
  const components: LiveComponent[] = []
  const { data } = await integrations.call(integrationBatchOperations.definitions, options)
  let after: string | null = null
  do {
    const query: { after?: string } = after === null ? {} : { after }
    const page: { data: ComponentDefinition[]; next: string | null } = await core.call(
      componentBatchOperations.definitions,
      { ...options, query },
    )
    components.push(...(await runCooperatively(componentsOf(page.data, organizationId, sealer))))
    after = page.next
  } while (after !== null)
  return {
    components,
    integrations: data.map((one) => integrationOf(one, organizationId, sealer)),
  }
}

function* componentsOf(
  definitions: readonly ComponentDefinition[],
  organizationId: string,
  sealer: Sealer,
): Cooperative<LiveComponent[]> {
  const components: LiveComponent[] = []
  for (const one of definitions) {
    components.push(componentOf(one, organizationId, sealer))
    yield
  }
  return components
}

const componentOf = (
  definition: ComponentDefinition,
  organizationId: string,
  sealer: Sealer,
): LiveComponent => {
  const { id, version, name, type, parentComponentId, managedByConfig, endpoint, metric } =
    definition
  const stored = endpoint !== null && 'headers' in endpoint ? endpoint.headers : undefined
  const headers = stored?.map(({ name, value, sealedValue }) => {
    const context = headerEncryptionContext(organizationId, id, name)
    return [name, sealedValue === null ? value : sealer.open(sealedValue, context)]
  })
  const values: Record<string, unknown> = { ...definition, ...endpoint, ...metric }
  if (headers !== undefined) values.headers = Object.fromEntries(headers)
  const fields = fieldsOfType[type]
    .filter((field) => field !== 'status')
    .map((field) => [field, values[field] ?? defaultsOfFields[field]])
  return {
    id,
    version,
    name,
    type,
    isManaged: managedByConfig,
    parentId: parentComponentId,
    integrationId: metric?.integrationId ?? null,
    fields: Object.fromEntries(fields),
  }
}

const integrationOf = (
  { managedByConfig: isManaged, config, ...definition }: IntegrationDefinition,
  organizationId: string,
  sealer: Sealer,
): LiveIntegration => {
  const secrets = integrationSecrets[definition.type]
  const entries = Object.entries(config).map(([field, value]) =>
    secrets.includes(field) && typeof value === 'string'
      ? [
          field,
          sealer.open(value, integrationEncryptionContext(organizationId, definition.id, field)),
        ]
      : [field, value],
  )
  return { ...definition, isManaged, config: Object.fromEntries(entries) }
}

/** Encryption context that core uses for the header of a component. */
export const headerEncryptionContext = (
  organizationId: string,
  componentId: string,
  name: string,
) => ({
  organizationId,
  purpose: 'component-header' as const,
  recordId: `${componentId}:${name.toLowerCase()}`,
})

/** Encryption context that integrations uses for a secret field. */
export const integrationEncryptionContext = (
  organizationId: string,
  id: string,
  field: string,
) => ({
  organizationId,
  purpose: 'integration' as const,
  recordId: `${id}:${field}`,
})
