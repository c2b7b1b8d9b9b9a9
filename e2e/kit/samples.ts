/** Requests generated from the contract, so that a new operation is tested without further code. */
import type { TSchema } from '@sinclair/typebox'
import { type BodyType, isInternal, type Operation, operations } from '@status-page/contracts'

/** Operations that the gateway serves. */
export const apiOperations = operations.filter((candidate) => !isInternal(candidate))

/** An id that no resource has. */
export const UNKNOWN_ID = '0192f0c1-7a5e-7cc3-98f4-2f1d3b4a5c6d'

let sampleCount = 0
const uniqueSuffix = () => `${process.pid}-${++sampleCount}`

/** One value per format of the contract; distinct where the service requires it. */
const formats: Record<string, () => string> = {
  uuid: () => UNKNOWN_ID,
  timestamp: () => '2026-01-02T03:04:05.000Z',
  'one-line': () => `Sample ${uniqueSuffix()}`,
  'long-text': () => 'Line\nand line.',
  'http-url': () => 'https://example.com/path',
  'check-url': () => 'https://example.com/path',
  'https-url': () => 'https://example.com/path',
  'support-url': () => 'mailto:help@example.com',
  mailbox: () => `sample-${uniqueSuffix()}@example.com`,
  password: () => 'correct horse battery',
  phone: () => '+4930901820',
  'time-zone': () => 'Europe/Berlin',
  domain: () => `sample-${uniqueSuffix()}.example.com`,
}

const patterns: Record<string, () => string> = {
  '^[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$': () => `sample-${uniqueSuffix()}`,
  '^#[0-9a-fA-F]{6}$': () => '#12ab9f',
  '^([01][0-9]|2[0-3]):[0-5][0-9]$': () => '09:00',
  '^[a-z0-9][a-z0-9-]{0,31}$': () => `sample-${uniqueSuffix()}`,
  '^(?:private:)?[a-z0-9][a-z0-9-]{0,31}$': () => 'default',
  '^[0-9A-Za-z.+-]{1,32}$': () => '0.1.0',
  '^[A-Za-z0-9_-]{43}$': () => 'A'.repeat(43),
  '^[0-9a-f]{64}$': () => '0'.repeat(64),
  '^[A-Z][A-Z0-9_]{0,63}$': () => 'SAMPLE',
  '^AC[0-9a-f]{32}$': () => `AC${'0'.repeat(32)}`,
  '^[a-zA-Z0-9_-]+$': () => 'sample',
  '^[\\x21-\\x7e]+$': () => 'sixteen-printable-characters',
}

const HOUR_MS = 3_600_000
const hoursAhead = (hours: number) => new Date(Date.now() + hours * HOUR_MS).toISOString()

const EMPTY_CONFIGURATION = `apiVersion: v1
kind: StatusPageConfig
metadata: { name: sample, configVersion: "1" }
spec: {}
`

/** Bodies for operations with rules that a schema cannot express. */
const bodies: Record<string, unknown> = {
  'subscribers.import': { file: 'type,email\nemail,sample@example.com\n' },
  'uploads.create': {
    file: '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"><path d="M0 0h8v8z"/></svg>',
  },
  'subscriptions.confirm': { token: 'unknown-token' },
  // Disabled, and with a reserved host name, so that no sample is sent anywhere.
  'notification-channels.create': {
    name: 'A channel',
    type: 'webhook',
    isEnabled: false,
    config: { url: 'https://hooks.invalid/' },
  },
  // Reserved host name, and never synced, so that nothing is fetched.
  'git-sync.create': { provider: 'generic', repositoryUrl: 'https://git.invalid/acme.git' },
  'git-sync.update': { configPath: 'another.yaml' },
  // Empty, so that no other permission is required.
  'configuration.validate': EMPTY_CONFIGURATION,
  'configuration.apply': EMPTY_CONFIGURATION,
  // Reserved host name, and never queried, so that a sample credential is sent nowhere.
  'integrations.create': {
    name: 'A platform',
    type: 'prometheus',
    isEnabled: false,
    config: { url: 'https://metrics.invalid/', bearerToken: 'a-token' },
  },
  // Without a parent, so that the unknown component is the reason of the refusal.
  'components.place': { componentIds: [UNKNOWN_ID], parentComponentId: null },
  'incidents.create': { title: 'Without a template there is a title.' },
  'incidents.previewAudience': { title: 'Without a template there is a title.' },
  'maintenances.create': {
    title: 'A window lies ahead.',
    scheduledFor: hoursAhead(24),
    scheduledUntil: hoursAhead(25),
  },
  'maintenances.previewRecurrence': {
    scheduledFor: hoursAhead(24),
    scheduledUntil: hoursAhead(25),
    recurrence: { rrule: 'FREQ=DAILY' },
  },
  'incidents.addUpdate': { message: 'One of two must be there.' },
  'maintenances.addUpdate': { message: 'One of two must be there.' },
}

/** Smallest value that is valid for the schema. */
export const sampleOf = (schema: TSchema): unknown => {
  if (schema.const !== undefined) return schema.const
  if (schema.enum !== undefined) return schema.enum[0]
  const members: TSchema[] | undefined = schema.anyOf ?? schema.oneOf
  const [member] = (members ?? []).filter(({ type }) => type !== 'null')
  if (member !== undefined) return sampleOf(member)
  return ofType[schema.type as string]?.(schema)
}

const ofType: Record<string, (schema: TSchema) => unknown> = {
  string: (schema) => textOf(schema),
  integer: ({ default: value, minimum }) => value ?? minimum ?? 1,
  number: ({ default: value, minimum }) => value ?? minimum ?? 1,
  boolean: ({ default: value }) => value ?? true,
  null: () => null,
  array: ({ items, minItems = 0 }) => Array.from({ length: minItems }, () => sampleOf(items)),
  object: ({ properties = {}, required = [] }) =>
    Object.fromEntries(required.map((name: string) => [name, sampleOf(properties[name])])),
}

const textOf = ({ format, pattern, minLength = 1 }: TSchema): string => {
  const make = format === undefined ? patterns[pattern ?? ''] : formats[format]
  if (make !== undefined) return make()
  if (format === undefined && pattern === undefined) return 'x'.repeat(minLength)
  throw new Error(`e2e/kit/samples.ts has no sample of ${format ?? pattern}`)
}

/** Valid body of the operation, or undefined; the body of a PATCH changes something. */
export const bodyOf = (operation: Operation): unknown => {
  if (operation.body === undefined) return undefined
  const sample = bodies[operation.id] ?? sampleOf(operation.body)
  if (operation.method !== 'PATCH') return sample
  const named = Object.entries<TSchema>(operation.body.properties ?? {}).find(
    ([, { format }]) => format === 'one-line',
  )
  return named === undefined ? sample : { [named[0]]: sampleOf(named[1]) }
}

const mediaTypes: Record<BodyType, string> = {
  json: 'application/json',
  yaml: 'application/yaml',
  form: 'application/x-www-form-urlencoded',
  multipart: 'multipart/form-data; boundary=sample',
  raw: 'application/json',
  'raw-form': 'application/x-www-form-urlencoded',
  any: 'text/plain',
}

/** Request with the body in the content type of the operation. */
export const requestOf = (operation: Operation, body: unknown): RequestInit => {
  if (body === undefined) return {}
  const type = operation.bodyType ?? 'json'
  return { headers: { 'content-type': mediaTypes[type] }, body: texts[type](body) }
}

const asText = (body: unknown): string => (typeof body === 'string' ? body : JSON.stringify(body))

/** Encodes every field as a file; an invalid body stays invalid in this form. */
const asParts = (body: unknown): string => {
  const parts = Object.entries(Object(body)).map(
    ([name, value]) =>
      `--sample\r\ncontent-disposition: form-data; name="${name}"; filename="${name}"\r\n\r\n${asText(value)}\r\n`,
  )
  return `${parts.join('')}--sample--\r\n`
}

const texts: Record<BodyType, (body: unknown) => string> = {
  json: asText,
  yaml: asText,
  form: (body) => new URLSearchParams(body as Record<string, string>).toString(),
  multipart: asParts,
  raw: asText,
  'raw-form': asText,
  any: asText,
}
