/** Stored definitions in the terms of a document. */
import {
  type Cooperative,
  channelBatchOperations,
  channelReferenceOperations,
  componentBatchOperations,
  type ResourceDefinition,
} from '@status-page/contracts'
import {
  channelEncryptionContext,
  mapSecrets,
  pagePasswordContext,
  type Sealer,
} from '@status-page/secrets'
import { type Caller, type Client, runCooperatively } from '@status-page/service'
import { type ConfigValues, channelConfig } from '../typed-config.ts'
import { type NameLookup, toDocumentValue } from './id-fields.ts'
import { canonicalValue, type DocumentFields, type Section } from './section.ts'

export interface LiveDefinition {
  id: string
  etag: string
  section: Section
  name: string
  isManaged: boolean
  /** Canonical values; a field that a document cannot express is absent. */
  fields: DocumentFields
  /** Fields as stored, by their names in the API. */
  stored: DocumentFields
}

type CallOptions = { caller: Caller & { organizationId: string }; requestId: string | null }

type Page<Item> = { data: Item[]; next: string | null }

/** Reads every page of a list. */
const readPages = async <Item>(
  readPage: (query: { after?: string }) => Promise<Page<Item>>,
): Promise<Item[]> => {
  const items: Item[] = []
  let after: string | null = null
  do {
    const page: Page<Item> = await readPage(after === null ? {} : { after })
    items.push(...page.data)
    after = page.next
  } while (after !== null)
  return items
}

/** Resource that a definition can refer to. */
export interface Referable {
  id: string
  name: string
}

/** Members, by their addresses, and notification channels. */
export const loadReferables = async (
  { core, notifier }: { core: Client; notifier: Client },
  options: CallOptions,
): Promise<Record<'member' | 'notification_channel', Referable[]>> => {
  const { members } = componentBatchOperations
  const { list } = channelReferenceOperations
  const all = await readPages((query) => core.call(members, { ...options, query }))
  return {
    member: all.map(({ userId: id, email: name }) => ({ id, name })),
    notification_channel: await readPages((query) => notifier.call(list, { ...options, query })),
  }
}

/** Definitions with decrypted secrets; a page has the digest of its password. */
export const loadDefinitions = async (
  { core, notifier, sealer }: { core: Client; notifier: Client; sealer: Sealer },
  section: Section,
  options: CallOptions,
): Promise<ResourceDefinition[]> => {
  const { resourceType: type } = section
  if (type === 'notification_channel') {
    const { definitions } = channelBatchOperations
    const channels = await readPages((query) => notifier.call(definitions, { ...options, query }))
    const { organizationId } = options.caller
    return channels.map((channel) => withOpenedConfig(sealer, organizationId, channel))
  }
  const { otherDefinitions } = componentBatchOperations
  const definitions = await readPages((query) =>
    core.call(otherDefinitions, { ...options, query: { ...query, type } }),
  )
  const { secret } = section
  if (secret === undefined) return definitions
  const { organizationId } = options.caller
  return definitions.map(({ fields, ...one }) => {
    const sealed = fields[secret.field]
    if (typeof sealed !== 'string') return { ...one, fields }
    const digest = sealer.open(sealed, pagePasswordContext(organizationId, one.id))
    return { ...one, fields: { ...fields, [secret.field]: digest } }
  })
}

const withOpenedConfig = (
  sealer: Sealer,
  organizationId: string,
  { fields, ...definition }: ResourceDefinition,
): ResourceDefinition => {
  const { type, config } = fields as { type: string; config: ConfigValues }
  const context = channelEncryptionContext({ organizationId, id: definition.id })
  const opened = mapSecrets(channelConfig.secretsOf(type), config, (sealed) =>
    sealer.open(sealed, context),
  )
  return { ...definition, fields: { ...fields, config: opened } }
}

/** Converts definitions to the terms of a document. */
export const toLiveDefinitions = (
  section: Section,
  definitions: readonly ResourceDefinition[],
  names: NameLookup,
): Promise<LiveDefinition[]> => runCooperatively(convertAll(section, definitions, names))

function* convertAll(
  section: Section,
  definitions: readonly ResourceDefinition[],
  names: NameLookup,
): Cooperative<LiveDefinition[]> {
  const live: LiveDefinition[] = []
  for (const { id, etag, managedByConfig, fields: stored } of definitions) {
    const name = String(stored[section.identity])
    const fields = documentFieldsOf(section, stored, names)
    live.push({ id, etag, section, name, isManaged: managedByConfig, fields, stored })
    yield
  }
  return live
}

const documentFieldsOf = (
  section: Section,
  stored: DocumentFields,
  names: NameLookup,
): DocumentFields =>
  Object.fromEntries(
    [...section.fields].flatMap(([name, { apiName, apiSchema, schema }]) => {
      const value = toDocumentValue(apiName, apiSchema, stored[apiName], names)
      return value === undefined ? [] : [[name, canonicalValue(schema, value)]]
    }),
  )
