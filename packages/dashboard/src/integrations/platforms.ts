/** Settings of each platform, in the order of its form. Secrets are never returned by the service. */
import type { Schemas } from '@status-page/client'
import { datadogSites, newRelicRegions } from '../api/contract.ts'

export type IntegrationData = Schemas['Integration']
export type PlatformName = IntegrationData['type']

export type SettingName =
  | 'site'
  | 'apiKey'
  | 'appKey'
  | 'url'
  | 'username'
  | 'password'
  | 'bearerToken'
  | 'token'
  | 'datasourceUid'
  | 'accountId'
  | 'region'

interface Setting {
  name: SettingName
  kind: 'text' | 'number' | 'secret' | 'choice'
  isRequired?: boolean
  choices?: readonly string[]
}

/** Names of the platforms in every language. */
export const platformNames: Record<PlatformName, string> = {
  prometheus: 'Prometheus',
  datadog: 'Datadog',
  grafana: 'Grafana',
  newrelic: 'New Relic',
}

export const platforms = Object.keys(platformNames) as PlatformName[]

export const platformSettings: Record<PlatformName, readonly Setting[]> = {
  prometheus: [
    { name: 'url', kind: 'text', isRequired: true },
    { name: 'username', kind: 'text' },
    { name: 'password', kind: 'secret' },
    { name: 'bearerToken', kind: 'secret' },
  ],
  datadog: [
    { name: 'site', kind: 'choice', choices: datadogSites },
    { name: 'apiKey', kind: 'secret', isRequired: true },
    { name: 'appKey', kind: 'secret', isRequired: true },
  ],
  grafana: [
    { name: 'url', kind: 'text', isRequired: true },
    { name: 'token', kind: 'secret', isRequired: true },
    { name: 'datasourceUid', kind: 'text', isRequired: true },
  ],
  newrelic: [
    { name: 'accountId', kind: 'number', isRequired: true },
    { name: 'region', kind: 'choice', choices: newRelicRegions },
    { name: 'apiKey', kind: 'secret', isRequired: true },
  ],
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
  for (const { name, kind, choices } of platformSettings[type]) {
    if (kind !== 'secret') values[name] = String(config[name] ?? choices?.[0] ?? '')
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
  for (const { name, kind, isRequired = false } of platformSettings[type]) {
    const text = (kind === 'secret' ? secrets[name] : values[name])?.trim() ?? ''
    const isNumber = kind === 'number' && Number.isFinite(Number(text))
    if (text !== '') config[name] = isNumber ? Number(text) : text
    else if (kind !== 'secret' && !isRequired) config[name] = null
  }
  return config
}
