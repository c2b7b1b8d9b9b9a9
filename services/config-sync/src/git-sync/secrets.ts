/** The two secrets of Git sync, at rest and in use. */
import type { GitCredential } from '@status-page/contracts'
import type { Outbound } from '@status-page/outbound'
import type { SealContext, Sealer } from '@status-page/secrets'
import { shippedHosts } from '../git/known-hosts.ts'
import type { Remote } from '../git/remote.ts'
import type { Access } from '../git/workspace.ts'
import { installationToken } from '../providers/github.ts'
import { providers } from '../providers/providers.ts'
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

export const sealCredential = (
  sealer: Sealer,
  owned: Owned,
  credential: GitCredential | null,
): string | null =>
  credential === null ? null : sealer.seal(JSON.stringify(credential), credentialContext(owned))

export const openCredential = (sealer: Sealer, row: GitSyncRow): GitCredential | null =>
  row.credential === null ? null : JSON.parse(sealer.open(row.credential, credentialContext(row)))

/** Those that prove a bell now: the present one, and the one before it for a day. */
export const validWebhookSecrets = (sealer: Sealer, row: GitSyncRow, now: Date): string[] => {
  const { webhookSecret, previousWebhookSecret, previousSecretUntil } = row
  const isPreviousValid = previousSecretUntil !== null && previousSecretUntil > now
  return [webhookSecret, isPreviousValid ? previousWebhookSecret : null]
    .filter((sealed) => sealed !== null)
    .map((sealed) => sealer.open(sealed, secretContext(row)))
}

export interface RepositoryAccess {
  access: Access
  /** Of the provider's API; null for a key and for nobody. */
  token: string | null
}

interface AccessInput {
  outbound: Outbound
  settings: GitSyncSettings
  credential: GitCredential | null
  remote: Remote
  now: Date
}

/** How the repository is entered; an app asks for a token of the hour first. */
export const resolveAccess = async (input: AccessInput): Promise<RepositoryAccess> => {
  const { settings, credential, remote } = input
  const { token, privateKey = '', knownHosts, appId = '', installationId = '' } = credential ?? {}
  switch (settings.authMethod) {
    case 'none':
      return { access: { kind: 'none' }, token: null }
    case 'token':
      return tokenAccess(settings, token ?? '')
    case 'ssh_key': {
      const hosts = [shippedHosts(remote.host, remote.port), knownHosts].filter(
        (one) => one != null,
      )
      return { access: { kind: 'key', privateKey, knownHosts: hosts.join('\n') }, token: null }
    }
    case 'app': {
      const app = { appId, installationId, privateKey }
      return tokenAccess(settings, await installationToken(input.outbound, remote, app, input.now))
    }
  }
}

/** `user:token` names its own user, as some hosts ask for. */
const tokenAccess = ({ provider }: GitSyncSettings, token: string): RepositoryAccess => {
  const separator = token.indexOf(':')
  const [user, password] =
    separator > 0
      ? [token.slice(0, separator), token.slice(separator + 1)]
      : [providers[provider].tokenUser, token]
  return { access: { kind: 'password', user, password }, token: password }
}
