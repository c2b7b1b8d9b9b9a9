/** The two secrets of Git sync, at rest and in use. */
import type { GitCredential } from '@status-page/contracts'
import type { Outbound } from '@status-page/outbound'
import type { SealContext, Sealer } from '@status-page/secrets'
import { shippedHosts } from '../git/known-hosts.ts'
import type { Remote } from '../git/remote.ts'
import type { Access } from '../git/workplace.ts'
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
export const openSecrets = (sealer: Sealer, row: GitSyncRow, now: Date): string[] => {
  const { webhookSecret, previousWebhookSecret, previousSecretUntil } = row
  const isFormerGood = previousSecretUntil !== null && previousSecretUntil > now
  return [webhookSecret, isFormerGood ? previousWebhookSecret : null]
    .filter((sealed) => sealed !== null)
    .map((sealed) => sealer.open(sealed, secretContext(row)))
}

export interface Entry {
  access: Access
  /** Of the provider's API; null for a key and for nobody. */
  token: string | null
}

interface Entering {
  outbound: Outbound
  settings: GitSyncSettings
  credential: GitCredential | null
  remote: Remote
  now: Date
}

/** How the repository is entered; an app asks for a token of the hour first. */
export const entryOf = async (entering: Entering): Promise<Entry> => {
  const { settings, credential, remote } = entering
  const { token, privateKey = '', knownHosts, appId = '', installationId = '' } = credential ?? {}
  switch (settings.authMethod) {
    case 'none':
      return { access: { kind: 'none' }, token: null }
    case 'token':
      return byToken(settings, token ?? '')
    case 'ssh_key': {
      const hosts = [shippedHosts(remote.host, remote.port), knownHosts].filter(
        (one) => one != null,
      )
      return { access: { kind: 'key', privateKey, knownHosts: hosts.join('\n') }, token: null }
    }
    case 'app': {
      const app = { appId, installationId, privateKey }
      return byToken(
        settings,
        await installationToken(entering.outbound, remote, app, entering.now),
      )
    }
  }
}

/** `user:token` names its own user, as some hosts ask for. */
const byToken = ({ provider }: GitSyncSettings, token: string): Entry => {
  const cut = token.indexOf(':')
  const [user, password] =
    cut > 0 ? [token.slice(0, cut), token.slice(cut + 1)] : [providers[provider].tokenUser, token]
  return { access: { kind: 'password', user, password }, token: password }
}
