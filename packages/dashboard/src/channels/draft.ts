/**
 * Settings of a channel as a form holds them, and their conversion from and to the API. Secrets are
 * apart: the values of the form are stored in the browser until they are saved, secrets never are.
 */
import type { Schemas } from '@status-page/client'
import type { FieldErrors } from '../api/field-errors.ts'
import { REDACTED } from '../api/redacted.ts'
import type { HeaderDraft } from '../components/draft.ts'
import type { Texts } from '../texts/en/index.ts'

export type ChannelData = Schemas['Channel']
export type ChannelTypeName = ChannelData['type']
type ChannelConfig = ChannelData['config']

/** Numbers and lists are texts, as they are entered; an empty text means the default. */
export interface ChannelConfigValues {
  smtpHost: string
  smtpPort: string
  secure: boolean
  username: string
  fromAddress: string
  fromName: string
  recipients: string
  accountSid: string
  fromNumber: string
  channel: string
  url: string
  method: 'POST' | 'PUT' | 'PATCH'
  bodyTemplate: string
}

export interface ChannelValues extends ChannelConfigValues {
  name: string
  isEnabled: boolean
  events: ChannelData['events']
  componentIds: string[]
  impacts: ChannelData['impacts']
  messageTemplate: string
}

export type ChannelField = keyof ChannelValues
export type SecretName = 'password' | 'bounceSecret' | 'authToken' | 'webhookUrl'
export type ConfigField = keyof ChannelConfigValues | SecretName | 'headers'

/** Fields of the configuration of each type, in the order of the form. */
export const configFields = {
  email: [
    'smtpHost',
    'smtpPort',
    'secure',
    'username',
    'password',
    'fromAddress',
    'fromName',
    'recipients',
    'bounceSecret',
  ],
  sms: ['accountSid', 'authToken', 'fromNumber', 'recipients'],
  slack: ['webhookUrl', 'channel'],
  discord: ['webhookUrl'],
  teams: ['webhookUrl'],
  webhook: ['url', 'method', 'headers', 'bodyTemplate'],
} as const satisfies Record<ChannelTypeName, readonly ConfigField[]>

export const channelKinds = Object.keys(configFields) as ChannelTypeName[]

/** Proper names, which are the same in every language. The texts of the languages have the others. */
const properNames: Record<Exclude<ChannelTypeName, keyof Texts['channels']['types']>, string> = {
  slack: 'Slack',
  discord: 'Discord',
  teams: 'Microsoft Teams',
  webhook: 'Webhook',
}

/** Name of the type of a channel or a destination; the type itself for an unknown one. */
export const typeName = (type: string, { channels: { types } }: Texts): string => {
  const names: Partial<Record<string, string>> = { ...properNames, ...types }
  return names[type] ?? type
}

/** Explanation of the type, for types with one. */
export const typeHint = (
  kind: ChannelTypeName,
  { typeHints }: Texts['channels'],
): string | undefined => {
  const hints: Partial<Record<ChannelTypeName, string>> = typeHints
  return hints[kind]
}

/** Label of a field; its identifier as words for a field without a text: `chatId`, "Chat id". */
export const fieldLabel = (field: string, { fields }: Texts['channels']): string => {
  const labels: Partial<Record<string, string>> = fields
  const words = field.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  return labels[field] ?? words.charAt(0).toUpperCase() + words.slice(1)
}

const secretNames: readonly string[] = [
  'password',
  'bounceSecret',
  'authToken',
  'webhookUrl',
] satisfies SecretName[]

export const isSecret = (field: ConfigField): field is SecretName => secretNames.includes(field)

/** Fields without which the service refuses the channel. */
export const requiredFields: readonly ConfigField[] = [
  'smtpHost',
  'fromAddress',
  'accountSid',
  'authToken',
  'fromNumber',
  'webhookUrl',
  'url',
]

/** Entered secrets. A secret that is absent stays as it is stored; null removes it. */
export interface SecretDraft {
  values: Partial<Record<SecretName, string | null>>
  /** Null: unchanged. */
  headers: HeaderDraft[] | null
}

export const noSecrets: SecretDraft = { values: {}, headers: null }

const textOf = (value: string | number | null | undefined): string => String(value ?? '')

/** Values of a channel; of the defaults of the contract without one. */
export const valuesOf = (channel: Partial<ChannelData>): ChannelValues => {
  const config: Partial<ChannelConfig> = channel.config ?? {}
  return {
    name: channel.name ?? '',
    isEnabled: channel.isEnabled ?? true,
    events: channel.events ?? [],
    componentIds: channel.componentIds ?? [],
    impacts: channel.impacts ?? [],
    messageTemplate: channel.messageTemplate ?? '',
    smtpHost: textOf(config.smtpHost),
    smtpPort: textOf(config.smtpPort),
    secure: config.secure ?? false,
    username: textOf(config.username),
    fromAddress: textOf(config.fromAddress),
    fromName: textOf(config.fromName),
    recipients: (config.recipients ?? []).join('\n'),
    accountSid: textOf(config.accountSid),
    fromNumber: textOf(config.fromNumber),
    channel: textOf(config.channel),
    url: textOf(config.url),
    method: config.method ?? 'POST',
    bodyTemplate: textOf(config.bodyTemplate),
  }
}

/** Stored request headers, whose values are markers. */
export const storedHeaders = (channel: Partial<ChannelData>): Record<string, string> =>
  channel.config?.headers ?? {}

/** Returns whether the service stores a secret of this name. */
export const hasStored = (channel: Partial<ChannelData>, name: SecretName): boolean =>
  channel.config?.[name] === REDACTED

/** A text that is no number is sent as it is: the service refuses it with its own message. */
const numberOf = (text: string) => {
  const plain = text.trim()
  if (plain === '') return null
  return Number.isFinite(Number(plain)) ? Number(plain) : plain
}

/** Addresses of the text of the recipients. */
export const recipientsOf = (text: string): string[] =>
  text.split(/[\n,;]/).flatMap((line) => line.trim() || [])

const toApi: Partial<Record<ConfigField, (value: string) => unknown>> = {
  smtpPort: numberOf,
  recipients: recipientsOf,
  bodyTemplate: (text) => text || null,
}

const configValue = (field: keyof ChannelConfigValues, values: Partial<ChannelValues>): unknown => {
  const value = values[field]
  if (typeof value !== 'string') return value
  return toApi[field]?.(value) ?? (toApi[field] === undefined ? value.trim() || null : null)
}

const headersOf = (headers: readonly HeaderDraft[]) =>
  Object.fromEntries(
    headers.filter(({ name }) => name !== '').map(({ name, value }) => [name, value]),
  )

/** Fields of the configuration that are among the changes or the entered secrets. */
const configOf = (
  kind: ChannelTypeName,
  changes: Partial<ChannelValues>,
  secrets: SecretDraft,
): Record<string, unknown> => {
  const config: Record<string, unknown> = {}
  for (const field of configFields[kind] as readonly ConfigField[]) {
    if (field === 'headers') {
      if (secrets.headers !== null) config.headers = headersOf(secrets.headers)
    } else if (isSecret(field)) {
      if (secrets.values[field] !== undefined) config[field] = secrets.values[field] || null
    } else if (changes[field] !== undefined) config[field] = configValue(field, changes)
  }
  return config
}

const choiceFields = ['name', 'isEnabled', 'events', 'componentIds', 'impacts'] as const

const choicesOf = (changes: Partial<ChannelValues>): Record<string, unknown> => {
  const { messageTemplate } = changes
  return {
    ...Object.fromEntries(
      choiceFields.flatMap((field) =>
        changes[field] === undefined ? [] : [[field, changes[field]]],
      ),
    ),
    ...(messageTemplate !== undefined && { messageTemplate: messageTemplate || null }),
  }
}

/** Body that changes the channel. */
export const patchOf = (
  kind: ChannelTypeName,
  changes: Partial<ChannelValues>,
  secrets: SecretDraft,
): Schemas['ChannelPatch'] => {
  const config = configOf(kind, changes, secrets)
  const isConfigured = Object.keys(config).length > 0
  return { ...choicesOf(changes), ...(isConfigured && { config }) } as Schemas['ChannelPatch']
}

/** Body that creates the channel; fields without a value get their default. */
export const creationOf = (
  type: ChannelTypeName,
  values: ChannelValues,
  secrets: SecretDraft,
): Schemas['CreateChannel'] => {
  const given = Object.entries(configOf(type, values, secrets)).filter(
    ([, value]) => value !== null,
  )
  const body = { type, ...choicesOf(values), config: Object.fromEntries(given) }
  return body as Schemas['CreateChannel']
}

/** First error of a field of the configuration or of a part of it. */
export const configErrorOf = (errors: FieldErrors, field: ConfigField): string | undefined =>
  Object.entries(errors).find(([name]) => /^config\.([^.[]+)/.exec(name)?.[1] === field)?.[1]

/** Errors that the form of the type shows at their fields. */
export const shownErrors = (kind: ChannelTypeName, errors: FieldErrors): string[] => {
  const choices: readonly string[] = [...choiceFields, 'messageTemplate']
  const fields: readonly string[] = configFields[kind].map((field) => `config.${field}`)
  return Object.keys(errors).filter((name) => {
    const [root = '', part = ''] = name.split(/[.[]/)
    return choices.includes(root) || fields.includes(`${root}.${part}`)
  })
}
