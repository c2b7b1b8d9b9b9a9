/** Validation of Git sync settings, and the credential after a change. Pure. */
import { createPrivateKey } from 'node:crypto'
import {
  type AuditDraft,
  changesBetween,
  type GitAuthMethod,
  type GitCredential,
  type GitProvider,
  type GitSyncPatch,
  type Issue,
  type NewGitSync,
  REDACTED,
  throwIssues,
} from '@status-page/contracts'
import type { OutboundPolicy } from '@status-page/outbound'
import { restoreSecrets } from '@status-page/secrets'
import { isBranchName, isConfigPath, parseRemote, type Remote } from '../git/remote.ts'
import { providers, shippedKnownHosts } from '../providers/providers.ts'
import type { GitSyncRow } from '../tables.ts'

export interface GitSyncSettings {
  provider: GitProvider
  repositoryUrl: string
  branch: string
  configPath: string
  authMethod: GitAuthMethod
  autoSync: boolean
  writeBack: boolean
}

export interface RequestedSettings {
  settings: GitSyncSettings
  /** Complete credential in plain text; null for a public repository. */
  credential: GitCredential | null
}

export interface ValidatedSettings extends RequestedSettings {
  remote: Remote
}

export const settingsOf = (row: GitSyncSettings): GitSyncSettings => ({
  provider: row.provider,
  repositoryUrl: row.repositoryUrl,
  branch: row.branch,
  configPath: row.configPath,
  authMethod: row.authMethod,
  autoSync: row.autoSync,
  writeBack: row.writeBack,
})

export const requestedSettings = (body: NewGitSync): RequestedSettings => ({
  settings: {
    provider: body.provider,
    repositoryUrl: body.repositoryUrl,
    branch: body.branch ?? 'main',
    configPath: body.configPath ?? 'statuspage.yaml',
    authMethod: body.authMethod ?? 'none',
    autoSync: body.autoSync ?? false,
    writeBack: body.writeBack ?? false,
  },
  credential: withoutMarkers(body.credential ?? {}, {}),
})

/**
 * Settings after a PATCH. A stored secret belongs to its repository and its method: for another one
 * it is dropped, and a redaction marker has no stored value.
 */
export const patchedSettings = (
  before: RequestedSettings,
  { credential: given, ...fields }: GitSyncPatch,
  policy: OutboundPolicy,
): RequestedSettings => {
  const settings: GitSyncSettings = { ...before.settings, ...fields }
  const retainsSecrets =
    settings.authMethod === before.settings.authMethod &&
    isSameRepository(settings.repositoryUrl, before.settings.repositoryUrl, policy)
  const stored = retainsSecrets ? (before.credential ?? {}) : {}
  const credential = given === undefined ? stored : withoutMarkers(given, stored)
  return { settings, credential }
}

export const isSameRepository = (one: string, other: string, policy: OutboundPolicy): boolean => {
  if (one === other) return true
  const [left, right] = [parseRemote(one, policy), parseRemote(other, policy)]
  return left.ok && right.ok && left.remote.url === right.remote.url
}

const withoutMarkers = (given: GitCredential, stored: GitCredential): GitCredential => {
  const { value, missing } = restoreSecrets(given, stored)
  throwIssues(
    missing.map((name) => ({
      field: `credential.${name}`,
      message: `credential.${name} is not stored: give it in full`,
    })),
  )
  return value
}

/** Branch of proposed changes; it cannot be synced. */
export const PROPOSAL_BRANCH = 'status-page/changes'

/** Throws 400 with every problem. The address of the host is checked elsewhere. */
export const validateSettings = (
  { settings, credential }: RequestedSettings,
  policy: OutboundPolicy,
): ValidatedSettings => {
  const parsed = parseRemote(settings.repositoryUrl, policy)
  const issues: Issue[] = []
  const refuse = (field: string, message: string) =>
    issues.push({ field, message: `${field} ${message}` })
  if (!parsed.ok) refuse('repositoryUrl', parsed.message)
  if (!isBranchName(settings.branch)) refuse('branch', 'is not a valid name of a branch')
  if (settings.branch.startsWith(PROPOSAL_BRANCH))
    refuse('branch', 'is reserved for proposed changes')
  if (!isConfigPath(settings.configPath)) {
    refuse('configPath', 'must be a relative path without .. that ends in .yaml or .yml')
  }
  const method = methods[settings.authMethod]
  if (settings.authMethod === 'app' && providers[settings.provider].requestAppToken === null) {
    refuse('authMethod', `cannot be app for ${settings.provider}`)
  }
  if (parsed.ok && parsed.remote.scheme !== method.scheme) {
    refuse('authMethod', `does not match the ${parsed.remote.scheme} scheme of the repository`)
  }
  if (settings.writeBack && settings.authMethod === 'none') {
    refuse('writeBack', 'requires a credential')
  }
  const remote = parsed.ok ? parsed.remote : null
  const fields = Object.fromEntries(
    method.fields(remote).flatMap((name) => {
      const value = credential?.[name]
      const problem = value === undefined ? 'is required' : credentialChecks[name](value)
      if (problem !== null) refuse(`credential.${name}`, problem)
      return value === undefined ? [] : [[name, value]]
    }),
  )
  throwIssues(issues)
  if (remote === null) throw new TypeError('A remote without issues was parsed')
  const knownHosts = settings.authMethod === 'ssh_key' ? credential?.knownHosts : undefined
  const validCredential = { ...fields, ...(knownHosts === undefined ? {} : { knownHosts }) }
  return {
    remote,
    settings: {
      ...settings,
      repositoryUrl: remote.scheme === 'https' ? remote.url : settings.repositoryUrl,
    },
    credential: settings.authMethod === 'none' ? null : validCredential,
  }
}

interface AuthMethod {
  scheme: Remote['scheme']
  /** Fields that the method requires for this remote. */
  fields(remote: Remote | null): readonly (keyof GitCredential)[]
}

const methods: Record<GitAuthMethod, AuthMethod> = {
  none: { scheme: 'https', fields: () => [] },
  token: { scheme: 'https', fields: () => ['token'] },
  ssh_key: {
    scheme: 'ssh',
    fields: (remote) =>
      remote !== null && shippedKnownHosts(remote.host, remote.port) === null
        ? ['privateKey', 'knownHosts']
        : ['privateKey'],
  },
  app: { scheme: 'https', fields: () => ['appId', 'installationId', 'privateKey'] },
}

const digits = (text: string) => (/^\d+$/.test(text) ? null : 'must be a number')

const credentialChecks: Record<keyof GitCredential, (text: string) => string | null> = {
  token: (text) => (/^[\x21-\x7e]+$/.test(text) ? null : 'must be printable ASCII without blanks'),
  privateKey: (text) => (isPrivateKey(text) ? null : 'must be a private key without a passphrase'),
  knownHosts: (text) => (/^\S+ [\w@.-]+ \S+/m.test(text) ? null : 'must be lines of known_hosts'),
  appId: digits,
  installationId: digits,
}

/** Accepts the OpenSSH format, whose first bytes name the cipher, and formats that Node reads. */
const isPrivateKey = (text: string): boolean => {
  const openssh = /-----BEGIN OPENSSH PRIVATE KEY-----([\s\S]+)-----END/.exec(text)?.[1]
  if (openssh !== undefined) {
    return Buffer.from(openssh, 'base64').toString('latin1').startsWith(UNENCRYPTED)
  }
  try {
    createPrivateKey(text)
    return true
  } catch {
    return false
  }
}

const UNENCRYPTED = 'openssh-key-v1\0\0\0\0\x04none'

/**
 * True if the stored commit and blob are still those of the configured repository, branch and path.
 */
export const hasSameRepositorySource = (before: GitSyncSettings, after: GitSyncSettings): boolean =>
  before.repositoryUrl === after.repositoryUrl &&
  before.branch === after.branch &&
  before.configPath === after.configPath

type AuditedSettings = GitSyncSettings & { credential: string | null; webhookSecret: string }

const auditedSettingsOf = (row: GitSyncRow): AuditedSettings => ({
  ...settingsOf(row),
  credential: row.credential,
  webhookSecret: row.webhookSecret,
})

/**
 * Redacts secrets. An encrypted text differs after each write, so a secret that was set again
 * counts as changed.
 */
export const auditSettings = (
  verb: 'create' | 'update' | 'delete',
  before: GitSyncRow | null,
  after: GitSyncRow | null,
): AuditDraft => {
  const subject = after ?? before
  const changes =
    after === null
      ? {}
      : changesBetween<AuditedSettings>(
          before === null ? null : auditedSettingsOf(before),
          auditedSettingsOf(after),
        )
  for (const secret of ['credential', 'webhookSecret'] as const) {
    const change = changes[secret]
    if (change !== undefined) changes[secret] = redacted(change)
  }
  return {
    action: `git_sync.${verb}`,
    entityType: 'git_sync',
    entityId: subject?.id ?? '',
    entityName: subject?.repositoryUrl ?? null,
    changes,
  }
}

const redacted = (change: { from?: unknown; to?: unknown }) =>
  Object.fromEntries(
    Object.entries(change).map(([side, value]) => [side, value === null ? null : REDACTED]),
  )
