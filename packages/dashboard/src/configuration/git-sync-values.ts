/** Values of the form of Git sync. Secrets are apart: they are never stored by the browser. */
import type { GitCredential, Right } from '@status-page/contracts'
import type { GitSyncData } from './queries.ts'

export type GitSyncValues = Pick<
  GitSyncData,
  'provider' | 'repositoryUrl' | 'branch' | 'configPath' | 'authMethod' | 'autoSync' | 'writeBack'
>

type GitCredentialName = keyof GitCredential
export type GitCredentialValues = Partial<Record<GitCredentialName, string>>

/** Names of the unsent input: of the set-up, and of changed settings. */
export const newEdit = 'git-sync.new'
export const changeEdit = 'git-sync'

export const newGitSyncValues: GitSyncValues = {
  provider: 'github',
  repositoryUrl: '',
  branch: 'main',
  configPath: 'statuspage.yaml',
  authMethod: 'token',
  autoSync: true,
  writeBack: false,
}

export const gitSyncValuesOf = (settings: GitSyncData): GitSyncValues => ({
  provider: settings.provider,
  repositoryUrl: settings.repositoryUrl,
  branch: settings.branch,
  configPath: settings.configPath,
  authMethod: settings.authMethod,
  autoSync: settings.autoSync,
  writeBack: settings.writeBack,
})

/** Only GitHub has apps with credentials of their own. */
export const authMethodsOf = (
  provider: GitSyncValues['provider'],
): GitSyncValues['authMethod'][] =>
  provider === 'github' ? ['none', 'token', 'ssh_key', 'app'] : ['none', 'token', 'ssh_key']

interface CredentialField {
  name: GitCredentialName
  /** Several lines, such as a key; they end with a line break, for which one character is free. */
  isLong: boolean
  maxLength: number
}

const token = { name: 'token', isLong: false, maxLength: 4096 } as const
const privateKey = { name: 'privateKey', isLong: true, maxLength: 16_383 } as const
const knownHosts = { name: 'knownHosts', isLong: true, maxLength: 8191 } as const
const appId = { name: 'appId', isLong: false, maxLength: 20 } as const
const installationId = { name: 'installationId', isLong: false, maxLength: 20 } as const

/** Fields of the credential of each method. */
export const credentialFields: Record<GitSyncValues['authMethod'], readonly CredentialField[]> = {
  none: [],
  token: [token],
  ssh_key: [privateKey, knownHosts],
  app: [appId, installationId, privateKey],
}

/**
 * Removes user information, such as a token, from an https URL: the form is stored by the browser,
 * and the service refuses such a URL.
 */
export const withoutUserInfo = (url: string): string =>
  url.replace(/^(\s*https?:\/\/)[^/?#]*@/i, '$1')

/** Entered fields of the method; undefined if none is entered, so that the stored one remains. */
export const credentialOf = (
  method: GitSyncValues['authMethod'],
  entered: GitCredentialValues,
): GitCredentialValues | undefined => {
  const given = credentialFields[method].flatMap(({ name, isLong }) => {
    const text = entered[name]?.trim() ?? ''
    // A private key without its last line break is refused by ssh.
    return text === '' ? [] : [[name, isLong ? `${text}\n` : text] as const]
  })
  return given.length === 0 ? undefined : Object.fromEntries(given)
}

/** A repository can change all resources of a document, so its settings require their rights. */
export const documentRights: readonly Right[] = [
  'COMPONENTS_CREATE',
  'COMPONENTS_UPDATE',
  'INTEGRATIONS_CREATE',
  'INTEGRATIONS_UPDATE',
  'STATUS_PAGES_CREATE',
  'STATUS_PAGES_UPDATE',
  'INCIDENTS_CREATE',
  'INCIDENTS_UPDATE',
  'MAINTENANCES_CREATE',
  'MAINTENANCES_UPDATE',
  'SLA_CREATE',
  'SLA_UPDATE',
  'NOTIFICATIONS_CREATE',
  'NOTIFICATIONS_UPDATE',
  'ONCALL_CREATE',
  'ONCALL_UPDATE',
]
