/**
 * Settings of a channel as a form holds them, and their conversion from and to the API. Secrets are
 * apart: the values of the form are stored in the browser until they are saved, secrets never are.
 */
import type { Schemas } from '@status-page/client'
import type { AnyChannelConfig } from '@status-page/contracts'
import type { ConfigField } from '../api/config-form.ts'
import { channelForms } from '../api/contract-forms.ts'
import type { FieldErrors } from '../api/field-errors.ts'
import { REDACTED } from '../api/redacted.ts'
import type { HeaderDraft } from '../components/draft.ts'
import type { Texts } from '../texts/en/index.ts'
import { identifierWords } from '../texts/identifier-words.ts'

export type ChannelData = Schemas['Channel']
export type ChannelTypeName = ChannelData['type']
type ChannelConfig = ChannelData['config']

export type ConfigFieldName = keyof AnyChannelConfig

/**
 * Settings without secrets and headers. Numbers and lists are texts, as they are entered; an empty
 * text means the default.
 */
export type ChannelConfigValues = {
  [Name in ConfigFieldName]?: NonNullable<AnyChannelConfig[Name]> extends boolean ? boolean : string
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

export const channelKinds = Object.keys(channelForms) as ChannelTypeName[]

export const configFields = (kind: ChannelTypeName): readonly ConfigField<ConfigFieldName>[] =>
  channelForms[kind].fields

/** Translated or proper name of the type of a channel or a destination; unknown types remain. */
export const typeName = (type: string, { channels: { types } }: Texts): string => {
  const names: Partial<Record<string, string>> = types
  const forms: Partial<Record<string, { title: string }>> = channelForms
  return names[type] ?? forms[type]?.title ?? type
}

/** Explanation of the type, for types with one. */
export const typeHint = (
  kind: ChannelTypeName,
  { typeHints }: Texts['channels'],
): string | undefined => {
  const hints: Partial<Record<ChannelTypeName, string>> = typeHints
  return hints[kind]
}

/** Label of a field; its identifier as words for a field without a text. */
export const fieldLabel = (field: string, { fields }: Texts['channels']): string => {
  const labels: Partial<Record<string, string>> = fields
  return labels[field] ?? identifierWords(field)
}

/** Entered secrets. A secret that is absent stays as it is stored; null removes it. */
export interface SecretDraft {
  values: Partial<Record<ConfigFieldName, string | null>>
  /** Null: unchanged. */
  headers: HeaderDraft[] | null
}

export const noSecrets: SecretDraft = { values: {}, headers: null }

/** Values of a channel; of the defaults of the contract without one. */
export const valuesOf = (channel: Partial<ChannelData>): ChannelValues => {
  const config: ChannelConfig = channel.config ?? {}
  const fields = channelKinds.flatMap(configFields).filter((field) => !isEnteredApart(field))
  return {
    name: channel.name ?? '',
    isEnabled: channel.isEnabled ?? true,
    events: channel.events ?? [],
    componentIds: channel.componentIds ?? [],
    impacts: channel.impacts ?? [],
    messageTemplate: channel.messageTemplate ?? '',
    ...Object.fromEntries(fields.map((field) => [field.name, inputOf(field, config[field.name])])),
  }
}

/** Secrets and headers are entered in a draft of their own. */
const isEnteredApart = ({ kind, isSecret }: ConfigField) => isSecret || kind === 'headers'

/** Stored value as the form holds it. A number without a value shows its default as placeholder. */
const inputOf = ({ kind, default: initial }: ConfigField, value: unknown): string | boolean => {
  if (kind === 'boolean') return Boolean(value ?? initial)
  if (kind === 'list') return ((value ?? []) as string[]).join('\n')
  return String(value ?? (kind === 'number' ? null : initial) ?? '')
}

/** Stored request headers, whose values are markers. */
export const storedHeaders = (channel: Partial<ChannelData>): Record<string, string> =>
  channel.config?.headers ?? {}

/** Returns whether the service stores a secret of this name. */
export const hasStored = (channel: Partial<ChannelData>, name: ConfigFieldName): boolean =>
  channel.config?.[name] === REDACTED

/** A text that is no number is sent as it is: the service refuses it with its own message. */
const numberOf = (text: string) => {
  const plain = text.trim()
  if (plain === '') return null
  return Number.isFinite(Number(plain)) ? Number(plain) : plain
}

/** Entries of the text of a list. */
export const entriesOf = (text: string): string[] =>
  text.split(/[\n,;]/).flatMap((line) => line.trim() || [])

const configValue = (kind: ConfigField['kind'], value: string | boolean): unknown => {
  if (typeof value === 'boolean') return value
  if (kind === 'number') return numberOf(value)
  if (kind === 'list') return entriesOf(value)
  return (kind === 'longText' ? value : value.trim()) || null
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
  for (const { name, kind: fieldKind, isSecret } of configFields(kind)) {
    const changed = changes[name]
    if (fieldKind === 'headers') {
      if (secrets.headers !== null) config[name] = headersOf(secrets.headers)
    } else if (isSecret) {
      if (secrets.values[name] !== undefined) config[name] = secrets.values[name] || null
    } else if (changed !== undefined) config[name] = configValue(fieldKind, changed)
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
export const configErrorOf = (errors: FieldErrors, field: string): string | undefined =>
  Object.entries(errors).find(([name]) => /^config\.([^.[]+)/.exec(name)?.[1] === field)?.[1]

/** Errors that the form of the type shows at their fields. */
export const shownErrors = (kind: ChannelTypeName, errors: FieldErrors): string[] => {
  const choices: readonly string[] = [...choiceFields, 'messageTemplate']
  const fields: readonly string[] = configFields(kind).map(({ name }) => `config.${name}`)
  return Object.keys(errors).filter((name) => {
    const [root = '', part = ''] = name.split(/[.[]/)
    return choices.includes(root) || fields.includes(`${root}.${part}`)
  })
}
