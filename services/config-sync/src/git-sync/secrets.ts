/** Credential and webhook secret of Git sync, encrypted and decrypted. */
import type { GitCredential } from '@status-page/contracts'
import type { Outbound } from '@status-page/outbound'
import type { SealContext, Sealer } from '@status-page/secrets'
import type { Remote } from '../git/remote.ts'
import type { GitAccess } from '../git/workspace.ts'
import { providers, shippedKnownHosts } from '../providers/providers.ts'
import type { GitSyncRow } from '../tables.ts'
import type { GitSyncSettings } from './settings.ts'

type Owned = Pick<GitSyncRow, 'organizationId' | 'id'>

export const credentialContext = ({ organizationId, id }: Owned): SealContext => ({
  organizationId,
  purpose: 'git',
  recordId: id,
})

export const secretContext = ({ organizationId, id }: Owned): SealContext => ({
  organizationId,
  purpose: 'git',
  recordId: `${id}:webhook`,
})

export const encryptCredential = (
  sealer: Sealer,
  owned: Owned,
  credential: GitCredential | null,
): string | null =>
  credential === null ? null : sealer.seal(JSON.stringify(credential), credentialContext(owned))

export const decryptCredential = (sealer: Sealer, row: GitSyncRow): GitCredential | null =>
  row.credential === null ? null : JSON.parse(sealer.open(row.credential, credentialContext(row)))

/** Secrets that verify a webhook now: the current one, and the previous one for a day. */
export const validWebhookSecrets = (sealer: Sealer, row: GitSyncRow, now: Date): string[] => {
  const { webhookSecret, previousWebhookSecret, previousSecretUntil } = row
  const isPreviousValid = previousSecretUntil !== null && previousSecretUntil > now
  return [webhookSecret, isPreviousValid ? previousWebhookSecret : null]
    .filter((sealed) => sealed !== null)
    .map((sealed) => sealer.open(sealed, secretContext(row)))
}

export interface RepositoryAccess {
  access: GitAccess
  /** Token for the API of the provider; null with an SSH key and without a credential. */
  token: string | null
}

interface AccessInput {
  outbound: Outbound
  settings: GitSyncSettings
  credential: GitCredential | null
  remote: Remote
  now: Date
}

/**
 * Returns the access to the repository; for an app it requests an installation token first.
 */
export const resolveRepositoryAccess = async (input: AccessInput): Promise<RepositoryAccess> => {
  const { settings, credential, remote } = input
  const { token, privateKey = '', knownHosts, appId = '', installationId = '' } = credential ?? {}
  switch (settings.authMethod) {
    case 'none':
      return { access: { kind: 'none' }, token: null }
    case 'token':
      return tokenAccess(settings, token ?? '')
    case 'ssh_key': {
      const hosts = [shippedKnownHosts(remote.host, remote.port), knownHosts].filter(
        (one) => one != null,
      )
      return { access: { kind: 'key', privateKey, knownHosts: hosts.join('\n') }, token: null }
    }
    case 'app': {
      const app = { appId, installationId, privateKey }
      const { requestAppToken } = providers[settings.provider]
      const appToken = await requestAppToken?.(input.outbound, remote, app, input.now)
      return tokenAccess(settings, appToken ?? '')
    }
  }
}

/** A token `user:token` contains the user name, which some hosts require. */
const tokenAccess = ({ provider }: GitSyncSettings, token: string): RepositoryAccess => {
  const separator = token.indexOf(':')
  const [user, password] =
    separator > 0
      ? [token.slice(0, separator), token.slice(separator + 1)]
      : [providers[provider].tokenUser, token]
  return { access: { kind: 'password', user, password }, token: password }
}
