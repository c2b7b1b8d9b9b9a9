/** Settings of each platform as the form holds them. Secrets are never returned by the service. */
import type { Schemas } from '@status-page/client'
import type { AnyIntegrationConfig } from '@status-page/contracts'
import type { ConfigField } from '../api/config-form.ts'
import { integrationForms } from '../api/contract-forms.ts'
import { identifierWords } from '../texts/identifier-words.ts'
import type { Texts } from '../texts/texts.tsx'

export type IntegrationData = Schemas['Integration']
export type PlatformName = IntegrationData['type']
export type SettingName = keyof AnyIntegrationConfig

export const platforms = Object.keys(integrationForms) as PlatformName[]

/** Proper name, which is the same in every language. */
export const platformName = (type: PlatformName): string => integrationForms[type].title

export const platformSettings = (type: PlatformName): readonly ConfigField<SettingName>[] =>
  integrationForms[type].fields

export const settingLabel = (
  name: SettingName,
  { settings }: Pick<Texts['integrations'], 'settings'>,
): string => {
  const labels: Partial<Record<SettingName, string>> = settings
  return labels[name] ?? identifierWords(name)
}

/** Values of the form but its secrets; empty for a setting without a value. */
export type IntegrationValues = { name: string; isEnabled: boolean } & Partial<
  Record<SettingName, string>
>

export type SecretValues = Partial<Record<SettingName, string>>

export const valuesOf = (type: PlatformName, integration: IntegrationData | null) => {
  const config = (integration?.config ?? {}) as Record<string, unknown>
  const values: IntegrationValues = {
    name: integration?.name ?? '',
    isEnabled: integration?.isEnabled ?? true,
  }
  for (const { name, isSecret, default: initial } of platformSettings(type)) {
    if (!isSecret) values[name] = String(config[name] ?? initial ?? '')
  }
  return values
}

/** Configuration to write: an empty optional setting is removed, an empty secret is not sent. */
export const configOf = (
  type: PlatformName,
  values: IntegrationValues,
  secrets: SecretValues,
): Record<string, string | number | null> => {
  const config: Record<string, string | number | null> = {}
  for (const { name, kind, isSecret, isRequired } of platformSettings(type)) {
    const text = (isSecret ? secrets[name] : values[name])?.trim() ?? ''
    const isNumber = kind === 'number' && Number.isFinite(Number(text))
    if (text !== '') config[name] = isNumber ? Number(text) : text
    else if (!isSecret && !isRequired) config[name] = null
  }
  return config
}
