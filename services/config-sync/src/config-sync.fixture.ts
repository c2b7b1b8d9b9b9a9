/** Config-sync as it ships, on its own database; core, integrations and notifier are scripted. */
import { createHash } from 'node:crypto'
import { memoryBus } from '@status-page/bus'
import {
  AppError,
  type ChannelBatch,
  type ChannelType,
  type ComponentBatch,
  type ComponentDefinition,
  channelConfigs,
  conflict,
  type DefinitionChanges,
  type IntegrationBatch,
  type IntegrationDefinition,
  type MemberAddress,
  type NewComponent,
  type Operation,
  probeKindOf,
  REDACTED,
  type ResourceDefinition,
} from '@status-page/contracts'
import { type Database, newId } from '@status-page/postgres'
import { createSealer, isSecretHeader } from '@status-page/secrets'
import {
  type Caller,
  type Client,
  createHealth,
  createLogger,
  createMetrics,
  type Environment,
  loadConfig,
} from '@status-page/service'
import {
  type InjectOptions,
  inject,
  shiftedClock,
  testCaller,
  testDatabase,
  testKeys,
} from '@status-page/testing'
import { buildApp } from './app.ts'
import { config } from './config.ts'
import type { Section } from './configuration/definitions/section.ts'
import { sections } from './configuration/definitions/sections.ts'
import type { Parser } from './configuration/document/parser.ts'
import { defaultsOfFields, fieldsOfType } from './configuration/document/schema.ts'
import { locateInYaml, readYaml } from './configuration/document/yaml-reading.ts'
import { writeYaml } from './configuration/document/yaml-writing.ts'

interface Teardown {
  teardown(work: () => unknown): void
}

const ENCRYPTION_KEY = '0123456789abcdef0123456789abcdef'

const settings = {
  DATABASE_URL: 'postgres://unused',
  CALLER_PUBLIC_KEYS: '{}',
  ENCRYPTION_KEY,
  BASE_URL: 'https://status.test',
}

export const configSyncKit = async (t: Teardown, environment: Environment = {}) => {
  const folders = { gateway: import.meta.dirname }
  const databases = await testDatabase(t, { services: ['config-sync', 'gateway'], folders })
  const clock = shiftedClock()
  const database = await databases.connect('config-sync', { clock })
  const owners = fakeOwners()
  const secrets = createSealer({ current: ENCRYPTION_KEY })
  const appOver = (own: Database) => {
    const health = createHealth()
    health.watch({ database: own })
    const app = buildApp({
      service: 'config-sync',
      config: loadConfig(config, settings),
      database: own,
      logger: createLogger({ service: 'config-sync', level: 'silent' }),
      metrics: createMetrics(),
      health,
      metricsToken: null,
      verifier: testKeys().verifier('config-sync'),
      signer: null,
      sealer: secrets,
      client: () => owners.client,
      environment,
      parserOf: () => inProcessParser,
    })
    t.teardown(() => app.http.close())
    return app
  }
  const app = appOver(database)
  const gateway = await databases.database('gateway')
  const bus = memoryBus(t, [
    { database, eventHandlers: [...app.eventHandlers] },
    { database: gateway, eventHandlers: [] },
  ])
  return {
    http: app.http,
    adminUrl: databases.adminUrl,
    database,
    gateway,
    clock,
    owners,
    sealer: secrets,
    bus,
    /** Runs every job once. */
    runDue: async () => {
      for (const work of app.jobs) await work.run(new AbortController().signal)
    },
    as: (caller = testCaller()) => ({
      caller,
      organizationId: caller.organizationId,
      ask: <Op extends Operation>(operation: Op, options: Omit<InjectOptions, 'caller'> = {}) =>
        inject(app.http, operation, { caller, ...options }),
    }),
  }
}

/** Parser that reads and writes in this process, for speed. */
const inProcessParser: Parser = {
  read: async (text) => readYaml(text),
  locate: async (text, paths) => locateInYaml(text, paths),
  write: async (writing) => writeYaml(writing),
}

interface Owned {
  components: Map<string, ComponentDefinition>
  integrations: Map<string, IntegrationDefinition>
  /** Definitions by resource type, in the order of their creation. */
  definitions: Map<string, ResourceDefinition[]>
  members: MemberAddress[]
  channels: { id: string; name: string }[]
  taken: Set<string>
}

type Batch = ComponentBatch | IntegrationBatch | ChannelBatch

/** Stores batches by organization; validates versions and nothing else. */
const fakeOwners = () => {
  const organizations = new Map<string, Owned>()
  let before: (operation: Operation, batch: Batch) => unknown = () => {}
  let after: typeof before = () => {}
  const calls: { operation: string; caller: Caller; batch: Batch }[] = []
  const of = (organizationId: string): Owned => {
    const owned = organizations.get(organizationId) ?? {
      components: new Map(),
      integrations: new Map(),
      definitions: new Map(),
      members: [],
      channels: [],
      taken: new Set<string>(),
    }
    organizations.set(organizationId, owned)
    return owned
  }
  const response = async (operation: Operation, question: Question): Promise<unknown> => {
    const { caller, body: batch, query } = question
    const owned = of(caller.organizationId ?? '')
    switch (operation.id) {
      case 'component-batches.definitions':
        return { data: [...owned.components.values()], next: null }
      case 'component-batches.otherDefinitions':
        return { data: owned.definitions.get(query?.type ?? '') ?? [], next: null }
      case 'component-batches.members':
        return { data: owned.members, next: null }
      case 'channel-references.list':
        return { data: [...owned.channels, ...channelsOf(owned).map(referenceOf)], next: null }
      case 'channel-batches.definitions':
        return { data: channelsOf(owned), next: null }
      case 'integration-batches.definitions':
        return { data: [...owned.integrations.values()] }
      default: {
        calls.push({ operation: operation.id, caller, batch })
        await before(operation, batch)
        const isRepeat = takeBatch(owned, operation, batch)
        after(operation, batch)
        return { isRepeat, retained: retainedBy(owned, batch) }
      }
    }
  }
  const client: Client = {
    call: async (operation, question) =>
      structuredClone(
        await response(operation, structuredClone(question) as unknown as Question),
      ) as never,
    close: async () => {},
  }
  return {
    client,
    of,
    calls,
    /** Runs before a batch is validated; throws to reject the batch. */
    onBatch: (work: typeof before) => {
      before = work
    },
    /** Runs after a batch took effect; throws to lose the response. */
    afterBatch: (work: typeof before) => {
      after = work
    },
  }
}

type Question = { caller: Caller; body: Batch; query?: { type?: string } }

const channelsOf = ({ definitions }: Owned): ResourceDefinition[] =>
  definitions.get('notification_channel') ?? []

const referenceOf = ({ id, fields }: ResourceDefinition) => ({ id, name: String(fields.name) })

const takeBatch = (owned: Owned, operation: Operation, batch: Batch): boolean => {
  if (batch.mode === 'apply' && owned.taken.has(batch.id)) return true
  if (isChannelBatch(operation, batch)) return takeChannelBatch(owned, batch)
  const known = operation.service === 'core' ? owned.components : owned.integrations
  for (const { id, version } of [...batch.update, ...batch.remove]) {
    if (version !== null && known.get(id)?.version !== version) {
      throw conflict('version_mismatch', 'It was changed in the meantime')
    }
  }
  if (batch.mode !== 'apply') return false
  owned.taken.add(batch.id)
  if ('undoes' in batch) changeIntegrations(owned, batch as IntegrationBatch)
  else changeComponents(owned, batch)
  return false
}

const isChannelBatch = ({ service }: Operation, batch: Batch): batch is ChannelBatch =>
  service === 'notifier' && 'undoes' in batch

const takeChannelBatch = (owned: Owned, batch: ChannelBatch): boolean => {
  const known = new Map(channelsOf(owned).map((one) => [one.id, one]))
  for (const { id, etag } of [...batch.update, ...batch.remove]) {
    if (etag !== null && known.get(id)?.etag !== etag) {
      throw conflict('version_mismatch', 'It was changed in the meantime')
    }
  }
  if (batch.mode !== 'apply') return false
  owned.taken.add(batch.id)
  if (batch.undoes !== null && !owned.taken.has(batch.undoes)) {
    owned.taken.add(batch.undoes)
    return false
  }
  for (const { id, value } of batch.create) {
    known.set(id, definedAs(id, { ...channelDefaults, ...value, config: configOf(value, {}) }))
  }
  for (const { id, value } of batch.update) {
    const stored = known.get(id)
    if (stored === undefined) continue
    const { type, config } = stored.fields as { type: ChannelType; config: Fields }
    const merged = configOf({ type, config: value.config ?? {} }, config)
    const fields = { ...stored.fields, ...value, config: merged }
    known.set(id, { ...definedAs(id, fields), managedByConfig: stored.managedByConfig })
  }
  for (const { id } of batch.remove) known.delete(id)
  owned.definitions.set('notification_channel', [...known.values()])
  return false
}

const channelDefaults = {
  events: [],
  componentIds: [],
  impacts: [],
  isEnabled: true,
  messageTemplate: null,
}

/** Every field of the type, as notifier stores it; markers keep the stored value. */
const configOf = (given: { type: ChannelType; config: Fields }, stored: Fields): Fields =>
  Object.fromEntries(
    Object.entries(channelConfigs[given.type].properties).map(([field, schema]) => {
      const value = given.config[field] === undefined ? stored[field] : given.config[field]
      return [field, (value === REDACTED ? stored[field] : value) ?? schema.default ?? null]
    }),
  )

const changeIntegrations = (owned: Owned, batch: IntegrationBatch): void => {
  if (batch.undoes !== null && !owned.taken.has(batch.undoes)) {
    owned.taken.add(batch.undoes)
    return
  }
  for (const { id, integration } of batch.create) {
    const { config, ...fields } = integration
    const more = { id, version: 1, isEnabled: true, managedByConfig: true, config }
    owned.integrations.set(id, { ...more, ...fields })
  }
  for (const { id, patch } of batch.update) {
    const stored = owned.integrations.get(id)
    if (stored === undefined) continue
    const given = Object.entries(patch.config ?? {}).filter(([, value]) => value !== REDACTED)
    const next = { ...stored, ...patch, config: { ...stored.config, ...Object.fromEntries(given) } }
    owned.integrations.set(id, { ...next, version: stored.version + 1 })
  }
  for (const { id } of batch.remove) {
    if (batch.undoes === null || !isInUse(owned, id)) owned.integrations.delete(id)
  }
}

const isInUse = ({ components }: Owned, id: string): boolean =>
  [...components.values()].some(({ metric }) => metric?.integrationId === id)

const retainedBy = ({ integrations }: Owned, batch: Batch): string[] => {
  if (!('undoes' in batch) || batch.undoes === null) return []
  return batch.remove.flatMap(({ id }) => integrations.get(id)?.name ?? [])
}

const changeComponents = (owned: Owned, batch: ComponentBatch): void => {
  for (const { id, component } of batch.create) {
    owned.components.set(id, definitionOf(id, component, null))
  }
  for (const { id, patch } of batch.update) {
    const stored = owned.components.get(id) as ComponentDefinition
    owned.components.set(id, definitionOf(id, patch as Fields, stored))
  }
  for (const { id } of batch.remove) owned.components.delete(id)
  for (const section of sections) {
    const { resourceType } = section
    if (resourceType === 'notification_channel') continue
    const changes: DefinitionChanges | undefined = batch.definitions?.[resourceType]
    if (changes !== undefined) changeDefinitions(owned, section, changes)
  }
}

const changeDefinitions = (owned: Owned, section: Section, changes: DefinitionChanges): void => {
  const stored = owned.definitions.get(section.resourceType) ?? []
  const removed = new Set(changes.remove.map(({ id }) => id))
  const updates = new Map(changes.update.map(({ id, value }) => [id, value as Fields]))
  const remaining = stored.filter(({ id }) => !removed.has(id))
  const created = changes.create.map(({ id, value }) => {
    const defaults = [...section.fields.values()].map(({ apiName, fallback }) => [
      apiName,
      fallback,
    ])
    return definedAs(id, { ...Object.fromEntries(defaults), ...storedFields(value as Fields) })
  })
  owned.definitions.set(section.resourceType, [
    ...remaining.map((one) => ({
      ...definedAs(one.id, { ...one.fields, ...storedFields(updates.get(one.id) ?? {}) }),
      managedByConfig: one.managedByConfig,
    })),
    ...created,
  ])
}

/** Core stores the digest of a password as it arrives. */
const storedFields = (value: Fields): Fields => {
  const password = value.password as { digest: string } | null | undefined
  return password ? { ...value, password: password.digest } : value
}

/** Definition of a resource that an apply created. */
export const definedAs = (id: string, fields: Fields): ResourceDefinition => ({
  id,
  etag: createHash('sha256').update(JSON.stringify(fields)).digest('hex'),
  managedByConfig: true,
  fields,
})

type Fields = Record<string, unknown>

/** Approximation of the component definition that core returns. */
export const definitionOf = (
  id: string,
  given: NewComponent | Fields,
  stored: ComponentDefinition | null,
): ComponentDefinition => {
  const fields = given as Fields
  const type = (stored?.type ?? fields.type) as ComponentDefinition['type']
  const before: Fields = { ...stored, ...stored?.endpoint, ...stored?.metric }
  const own = fieldsOfType[type].filter((name) => !['status', 'headers'].includes(name))
  const values = Object.fromEntries(
    own.map((name) => {
      const value = fields[name] === undefined ? before[name] : fields[name]
      return [name, value ?? defaultsOfFields[name]]
    }),
  )
  const endpoint = stored?.endpoint ?? null
  const storedHeaders = endpoint !== null && 'headers' in endpoint ? endpoint.headers : []
  const old = new Map(storedHeaders.map((one) => [one.name, one]))
  const headers = Object.entries((fields.headers ?? {}) as Record<string, string>).map(
    ([name, value]) => {
      if (value === REDACTED) return old.get(name) as NonNullable<ReturnType<typeof old.get>>
      return isSecretHeader(name)
        ? { name, value: null, sealedValue: value }
        : { name, value, sealedValue: null }
    },
  )
  const kept = fields.headers === undefined ? [...old.values()] : headers
  const parent = fields.parentComponentId
  return {
    ...(values as unknown as ComponentDefinition),
    id,
    type,
    version: (stored?.version ?? 0) + 1,
    name: (fields.name ?? stored?.name) as string,
    parentComponentId: (parent === undefined
      ? (stored?.parentComponentId ?? null)
      : parent) as null,
    managedByConfig: stored?.managedByConfig ?? true,
    dependsOn: (fields.dependsOn ?? stored?.dependsOn ?? []) as string[],
    endpoint:
      type === 'ENDPOINT'
        ? ({ ...values, kind: probeKindOf(values), headers: kept } as never)
        : null,
    metric:
      type === 'METRIC'
        ? ({ ...values, integrationId: fields.integrationId ?? before.integrationId } as never)
        : null,
    upstream: (values.upstream ?? null) as ComponentDefinition['upstream'],
  }
}

/** Component that was created through the API. */
export const byHand = (given: Fields): ComponentDefinition => ({
  ...definitionOf(newId(), given, null),
  managedByConfig: false,
})

export const lostResponse = () => new AppError('UPSTREAM_TIMEOUT', 'It did not respond in time')
