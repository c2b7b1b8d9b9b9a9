/**
 * Settings: each is declared with its type, read once from the environment and validated at start.
 */
import { readFileSync, statSync } from 'node:fs'
import { type Static, type TObject, type TProperties, type TSchema, Type } from '@sinclair/typebox'
import { NATS_PREFIX_PATTERN, NATS_PREFIX_RULE } from '@status-page/bus/nats-names'
import { natsServersOf } from '@status-page/bus/nats-servers'
import { type ServiceName, services } from '@status-page/contracts'
import { databaseAddressesOf } from '@status-page/postgres'
import { compileValidator } from './validate.ts'

const Secret = Type.Optional(Type.String({ minLength: 16, maxLength: 4096 }))
const Origin = Type.Optional(Type.String({ format: 'http-url' }))
const TextList = Type.Unsafe<string[]>({ type: 'array', items: { type: 'string' }, default: [] })

/** Key of a service, or the keys that are valid during a rotation. */
const PublicKeys = {
  anyOf: [
    { type: 'string' },
    { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: 10 },
  ],
}

/** Settings of every service; an empty value counts as unset. */
export const baseConfig = {
  HOST: Type.String({ default: '127.0.0.1', description: 'Address to listen on' }),
  PORT: Type.Integer({ minimum: 0, maximum: 65_535, default: 0, description: '0: any free port' }),
  DATABASE_URL: Type.String({
    pattern: '^postgres(ql)?://',
    description: "Database, with the service's own role",
  }),
  DATABASE_DIRECT_URL: Type.Optional(
    Type.String({
      pattern: '^postgres(ql)?://',
      description: 'Database without a pooler in transaction mode, for LISTEN and session locks',
    }),
  ),
  DATABASE_POOL_SIZE: Type.Integer({
    minimum: 1,
    maximum: 100,
    default: 10,
    description: 'Connections for statements; batches use up to 4 more, LISTEN and locks 2',
  }),
  DATABASE_CA: Type.Optional(
    Type.String({ description: 'Certificates in PEM that sign those of Postgres' }),
  ),
  NATS_URL: Type.Optional(
    Type.String({
      description: 'Servers, comma-separated; unset: events are delivered through Postgres',
    }),
  ),
  NATS_CA: Type.Optional(
    Type.String({ description: 'Certificates in PEM that sign those of the NATS servers' }),
  ),
  NATS_CREDENTIALS: Type.Optional(
    Type.String({ description: 'Content of a credentials file: JWT and key of the NATS user' }),
  ),
  NATS_REPLICAS: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 5, description: 'Replicas of the streams in a cluster' }),
  ),
  NATS_PREFIX: Type.String({
    default: '',
    pattern: NATS_PREFIX_PATTERN,
    description: `Prefix of streams, subjects and users in NATS: ${NATS_PREFIX_RULE}`,
  }),
  BUS_INTERVAL_PERCENT: Type.Integer({
    minimum: 1,
    maximum: 100,
    default: 100,
    description: 'Percentage of the intervals at which events are retried, swept and redelivered',
  }),
  LOG_LEVEL: Type.Unsafe<LogLevel>({
    type: 'string',
    enum: ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
    default: 'info',
  }),
  METRICS_TOKEN: Secret,
  OTEL_EXPORTER_OTLP_ENDPOINT: Type.Optional(
    Type.String({ format: 'http-url', description: 'Collector of traces; unset: no traces' }),
  ),
  OTEL_TRACES_SAMPLER_ARG: Type.Number({
    minimum: 0,
    maximum: 1,
    default: 1,
    description: 'Share of requests with a trace',
  }),
  CALLER_PUBLIC_KEYS: Type.Unsafe<Partial<Record<ServiceName, string | string[]>>>({
    type: 'object',
    properties: Object.fromEntries(services.map((name) => [name, PublicKeys])),
    description: 'JSON: service → base64 of its Ed25519 public key (SPKI), or a list of several',
  }),
  CALLER_PRIVATE_KEY: Type.Optional(
    Type.String({
      description: 'Base64 of the Ed25519 key (PKCS#8); only for services that call others',
    }),
  ),
  ENCRYPTION_KEY: Type.String({ description: 'Exactly 32 bytes of text' }),
  ENCRYPTION_KEY_PREVIOUS: Type.Optional(
    Type.String({ description: 'Former ENCRYPTION_KEY during a rotation' }),
  ),
  BASE_URL: Type.String({ format: 'http-url', description: 'Public URL of the gateway' }),
  OUTBOUND_ALLOW_CIDRS: TextList,
  ERASURE_SETTLE_SECONDS: Type.Integer({
    minimum: 0,
    maximum: 86_400,
    default: 300,
    description: 'Time without a row found before the deletion of an organization is complete',
  }),
  GATEWAY_URL: Origin,
  CORE_URL: Origin,
  MONITOR_URL: Origin,
  NOTIFIER_URL: Origin,
  INTEGRATIONS_URL: Origin,
  CONFIG_SYNC_URL: Origin,
}

export type LogLevel = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent'

export type BaseConfig = Static<TObject<typeof baseConfig>>

/** Settings of a service: the base and its own. */
export const defineConfig = <const Own extends TProperties>(own: Own) =>
  Type.Object({ ...baseConfig, ...own })

/** Internal hosts, which no tenant's URL may reach, whatever the operator allows. */
export const ownHostsOf = (config: BaseConfig): string[] => {
  const { DATABASE_URL, DATABASE_DIRECT_URL, NATS_URL } = config
  const databases = [DATABASE_URL, DATABASE_DIRECT_URL].filter((url) => url !== undefined)
  return [
    ...databases.flatMap(databaseAddressesOf).map(({ host, port }) => hostWithPort(host, port)),
    ...(NATS_URL === undefined ? [] : natsServersOf(NATS_URL)),
    config.GATEWAY_URL,
    config.CORE_URL,
    config.MONITOR_URL,
    config.NOTIFIER_URL,
    config.INTEGRATIONS_URL,
    config.CONFIG_SYNC_URL,
  ].filter((url) => url !== undefined)
}

const hostWithPort = (host: string, port: number): string =>
  host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`

export type Environment = Readonly<Record<string, string | undefined>>

/** Error of invalid settings, with one sentence per problem. */
export class ConfigError extends Error {
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(problems.join(' '))
    this.name = 'ConfigError'
    this.problems = problems
  }
}

/** Maximum size of a file that holds a setting: a bundle of certificates fits. */
const MAX_FILE_BYTES = 1024 * 1024

/**
 * Text of a setting: the variable itself, or the content of the file that `<name>_FILE` names, as
 * container platforms mount secrets. Undefined when neither is set.
 */
export const settingText = (name: string, environment: Environment): string | undefined => {
  const text = environment[name] || undefined
  const path = environment[`${name}_FILE`] || undefined
  if (path === undefined) return text
  if (text !== undefined) throw new ConfigError([`${name} and ${name}_FILE are both set.`])
  try {
    if (statSync(path).size > MAX_FILE_BYTES) throw new Error('it is larger than 1 MiB')
    // Editors and `echo` end a file with a line break, which is no part of the value.
    return readFileSync(path, 'utf8').replace(/\r?\n$/, '') || undefined
  } catch (error) {
    throw new ConfigError([`${name}_FILE cannot be read: ${(error as Error).message}.`])
  }
}

/** Texts of the settings that are set; throws `ConfigError` with the problems of all of them. */
export const settingTexts = <Name extends string>(
  names: readonly Name[],
  environment: Environment,
): Partial<Record<Name, string>> => {
  const problems: string[] = []
  const texts: Partial<Record<Name, string>> = {}
  for (const name of names) {
    try {
      const text = settingText(name, environment)
      if (text !== undefined) texts[name] = text
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error
      problems.push(...error.problems)
    }
  }
  if (problems.length > 0) throw new ConfigError(problems)
  return texts
}

export const loadConfig = <Schema extends TObject>(
  schema: Schema,
  environment: Environment,
): Static<Schema> => {
  const texts = settingTexts(Object.keys(schema.properties), environment)
  const settings = Object.entries(schema.properties).flatMap(([name, field]) => {
    const text = texts[name]
    const value = text === undefined ? field.default : readText(field, text)
    return value === undefined ? [] : [[name, value]]
  })
  const config: unknown = Object.fromEntries(settings)
  const issues = compileValidator(schema, 'The environment')(config)
  if (issues.length > 0) throw new ConfigError(issues.map(({ message }) => `${message}.`))
  return config as Static<Schema>
}

/**
 * Converts a text to the field's type; an unconvertible text stays as it is and fails validation.
 */
const readText = (field: TSchema, text: string): unknown => {
  switch (field.type) {
    case 'integer':
    case 'number':
      return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text
    case 'boolean':
      return text === 'true' ? true : text === 'false' ? false : text
    case 'array':
      return text.split(',').map((entry) => entry.trim())
    case 'object':
      return jsonOr(text)
    default:
      return text
  }
}

const jsonOr = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
