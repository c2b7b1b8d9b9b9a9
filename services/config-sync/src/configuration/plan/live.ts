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
  kindFieldOf,
} from '@status-page/contracts'
import {
  headerEncryptionContext,
  integrationEncryptionContext,
  mapSecrets,
  type Sealer,
} from '@status-page/secrets'
import { type Caller, type Client, runCooperatively } from '@status-page/service'
import type { NameLookup, ReferencedNoun } from '../definitions/id-fields.ts'
import {
  type LiveDefinition,
  loadDefinitions,
  loadReferables,
  type Referable,
  toLiveDefinitions,
} from '../definitions/live.ts'
import { findRepeatedNames } from '../definitions/repeated-names.ts'
import type { Section } from '../definitions/section.ts'
import { defaultsOfFields, fieldsOfType } from '../document/schema.ts'
import type { ConfigValues } from '../typed-config.ts'

export interface LiveComponent {
  id: string
  version: number
  name: string
  type: ComponentType
  parentId: string | null
  dependencyIds: readonly string[]
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
  config: ConfigValues
}

export interface LiveConfiguration {
  components: readonly LiveComponent[]
  integrations: readonly LiveIntegration[]
  definitions: readonly LiveDefinition[]
  /** Ids of resources that definitions refer to, by name; null: several have the name. */
  references: Readonly<
    Record<'member' | 'notification_channel', ReadonlyMap<string, string | null>>
  >
}

export interface LiveConfigurationDeps {
  core: Client
  integrations: Client
  notifier: Client
  sealer: Sealer
}

type CallOptions = { caller: Caller & { organizationId: string }; requestId: string | null }

/** `included` are the sections whose definitions are needed. */
export const loadLiveConfiguration = async (
  { core, integrations, notifier, sealer }: LiveConfigurationDeps,
  options: CallOptions,
  included: readonly Section[],
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
    ...(await loadLiveDefinitions({ core, notifier, sealer, components, included }, options)),
  }
}

const loadLiveDefinitions = async (
  input: Pick<LiveConfigurationDeps, 'core' | 'notifier' | 'sealer'> & {
    components: readonly LiveComponent[]
    included: readonly Section[]
  },
  options: CallOptions,
): Promise<Pick<LiveConfiguration, 'definitions' | 'references'>> => {
  const { components, included } = input
  const isReferring = included.some(({ resourceType }) => resourceType === 'oncall_schedule')
  const referables = isReferring
    ? await loadReferables(input, options)
    : { member: [], notification_channel: [] }
  const names = nameLookup({ component: components, ...referables })
  const definitions: LiveDefinition[] = []
  for (const section of included) {
    const stored = await loadDefinitions(input, section, options)
    definitions.push(...(await toLiveDefinitions(section, stored, names)))
  }
  const references = {
    member: idsByName(referables.member),
    notification_channel: idsByName(referables.notification_channel),
  }
  return { definitions, references }
}

const idsByName = (resources: readonly Referable[]): ReadonlyMap<string, string | null> => {
  const repeated = findRepeatedNames(resources)
  return new Map(resources.map(({ id, name }) => [name, repeated.has(name) ? null : id]))
}

/** A document cannot name a resource whose name another one has. */
const nameLookup = (
  resources: Readonly<Record<ReferencedNoun, readonly Referable[]>>,
): NameLookup => {
  const index = (all: readonly Referable[]) => ({
    repeated: findRepeatedNames(all),
    names: new Map(all.map(({ id, name }) => [id, name])),
  })
  const indexes = {
    component: index(resources.component),
    member: index(resources.member),
    notification_channel: index(resources.notification_channel),
  }
  return {
    nameOf(noun, id) {
      const name = indexes[noun].names.get(id) ?? null
      return name !== null && indexes[noun].repeated.has(name) ? undefined : name
    },
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
  const { id, version, name, type, parentComponentId, dependsOn, managedByConfig } = definition
  const { endpoint, metric } = definition
  const stored = endpoint !== null && 'headers' in endpoint ? endpoint.headers : undefined
  const headers = stored?.map(({ name, value, sealedValue }) => {
    const context = headerEncryptionContext({ organizationId, componentId: id }, name)
    return [name, sealedValue === null ? value : sealer.open(sealedValue, context)]
  })
  const kind = endpoint === null ? null : kindFieldOf(endpoint.kind)
  const values: Record<string, unknown> = { ...definition, ...endpoint, ...metric, kind }
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
    dependencyIds: dependsOn,
    integrationId: metric?.integrationId ?? null,
    fields: Object.fromEntries(fields),
  }
}

const integrationOf = (
  { managedByConfig: isManaged, config, ...definition }: IntegrationDefinition,
  organizationId: string,
  sealer: Sealer,
): LiveIntegration => {
  const owner = { organizationId, id: definition.id }
  const opened = mapSecrets(integrationSecrets[definition.type], config, (sealed, field) =>
    sealer.open(sealed, integrationEncryptionContext(owner, field)),
  )
  return { ...definition, isManaged, config: opened }
}
