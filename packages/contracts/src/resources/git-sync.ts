/** Git sync: the repository whose document is applied, its bell, what each sync did, and changes sent back. */
import { type Static, Type } from '@sinclair/typebox'
import { listOf, listQuery } from '../listing.ts'
import { operation } from '../operation.ts'
import { patchOf } from '../patch.ts'
import { Id, Nullable, OneOf, ShownSecret, Success, Timestamp } from '../scalars.ts'

export const gitProviders = ['github', 'gitlab', 'bitbucket', 'generic'] as const
export type GitProvider = (typeof gitProviders)[number]

export const gitAuthMethods = ['none', 'token', 'ssh_key', 'app'] as const
export type GitAuthMethod = (typeof gitAuthMethods)[number]

export const gitSyncStatuses = ['queued', 'running', 'success', 'no_changes', 'failed'] as const
export type GitSyncStatus = (typeof gitSyncStatuses)[number]

export const gitSyncTriggers = ['manual', 'webhook', 'poll'] as const
export type GitSyncTrigger = (typeof gitSyncTriggers)[number]

/** Why a sync failed; `error` says it in a sentence. */
export const gitSyncReasons = [
  'unreachable',
  'blocked',
  'auth_failed',
  'host_key',
  'certificate',
  'redirected',
  'repository_not_found',
  'branch_not_found',
  'file_not_found',
  'not_a_file',
  'too_large',
  'timeout',
  'git_unavailable',
  'git_failed',
  'invalid_document',
  'not_applied',
] as const
export type GitSyncReason = (typeof gitSyncReasons)[number]

const MAX_KEY = 16_384
const MAX_KNOWN_HOSTS = 8_192
const MAX_URL = 2048
const MAX_PATH = 1024

/** The fields of all methods; which of them a method asks for is judged with the settings. */
export const GitCredential = Type.Object(
  {
    token: Type.Optional(Type.String({ minLength: 1, maxLength: 4096 })),
    privateKey: Type.Optional(Type.String({ minLength: 1, maxLength: MAX_KEY })),
    knownHosts: Type.Optional(Type.String({ minLength: 1, maxLength: MAX_KNOWN_HOSTS })),
    appId: Type.Optional(Type.String({ minLength: 1, maxLength: 20 })),
    installationId: Type.Optional(Type.String({ minLength: 1, maxLength: 20 })),
  },
  {
    description:
      'Never read back. token: `token`. ssh_key: `privateKey`, and `knownHosts` for hosts other ' +
      'than github.com, gitlab.com and bitbucket.org. app: `appId`, `installationId`, `privateKey`.',
  },
)
export type GitCredential = Static<typeof GitCredential>

const fields = {
  provider: OneOf(gitProviders),
  repositoryUrl: Type.String({
    minLength: 1,
    maxLength: MAX_URL,
    description: '`https://…`, `ssh://git@…` or `git@host:path`; the host must be public',
  }),
  branch: Type.String({ minLength: 1, maxLength: 200, default: 'main' }),
  configPath: Type.String({
    minLength: 1,
    maxLength: MAX_PATH,
    default: 'statuspage.yaml',
    description: 'Relative, without `..`, ending in .yaml or .yml',
  }),
  authMethod: OneOf(gitAuthMethods, { default: 'none' }),
  autoSync: Type.Boolean({
    default: false,
    description: 'Sync when the provider rings, and look now and then in case it did not',
  }),
  writeBack: Type.Boolean({
    default: false,
    description:
      'Offer what was changed by other ways than the document as a pull or merge request; with ' +
      'ssh_key, and for generic, as a branch. Asks for a credential that may write',
  }),
  credential: GitCredential,
}

export const NewGitSync = Type.Object({
  provider: fields.provider,
  repositoryUrl: fields.repositoryUrl,
  branch: Type.Optional(fields.branch),
  configPath: Type.Optional(fields.configPath),
  authMethod: Type.Optional(fields.authMethod),
  autoSync: Type.Optional(fields.autoSync),
  writeBack: Type.Optional(fields.writeBack),
  credential: Type.Optional(fields.credential),
})
export type NewGitSync = Static<typeof NewGitSync>

export const GitSyncPatch = patchOf(fields, [
  'provider',
  'repositoryUrl',
  'branch',
  'configPath',
  'authMethod',
  'autoSync',
  'writeBack',
  'credential',
])
export type GitSyncPatch = Static<typeof GitSyncPatch>

export const GitProposal = Type.Object(
  {
    branch: Type.String(),
    url: Nullable(Type.String({ description: 'Of the pull or merge request, where there is one' })),
    proposedAt: Nullable(Timestamp),
    error: Nullable(Type.String({ description: 'Why the last attempt came to nothing' })),
  },
  { description: 'The changes last offered to the repository' },
)
export type GitProposal = Static<typeof GitProposal>

export const GitSync = Type.Object({
  id: Id,
  provider: OneOf(gitProviders),
  repositoryUrl: Type.String(),
  branch: Type.String(),
  configPath: Type.String(),
  authMethod: OneOf(gitAuthMethods),
  autoSync: Type.Boolean(),
  writeBack: Type.Boolean(),
  webhookUrl: Type.String({ description: 'To be entered at the provider, for push events' }),
  webhookSecret: Type.Optional(ShownSecret('Only in the answer of the request that made it')),
  lastSyncAt: Nullable(Timestamp),
  lastSyncStatus: Nullable(OneOf(gitSyncStatuses)),
  proposal: Nullable(GitProposal),
  createdAt: Timestamp,
  updatedAt: Timestamp,
})
export type GitSync = Static<typeof GitSync>

export const GitSyncRun = Type.Object({
  id: Id,
  status: OneOf(gitSyncStatuses),
  trigger: OneOf(gitSyncTriggers),
  commit: Nullable(Type.String()),
  configVersion: Nullable(Type.String()),
  timestamp: Timestamp,
  finishedAt: Nullable(Timestamp),
  changes: Type.Object({
    created: Type.Integer(),
    updated: Type.Integer(),
    deleted: Type.Integer(),
  }),
  reason: Nullable(OneOf(gitSyncReasons)),
  error: Nullable(Type.String()),
})
export type GitSyncRun = Static<typeof GitSyncRun>

const ADDITIONAL_PERMISSIONS =
  'Asks for `components:write` and `integrations:write` too, as a sync uses them.'

export const gitSyncOperations = {
  read: operation({
    id: 'git-sync.read',
    service: 'config-sync',
    method: 'GET',
    path: '/config/git-sync',
    status: 200,
    summary: 'Read the Git sync settings',
    description: '404 while there are none. Neither credential nor webhook secret is read back.',
    permission: 'config:read',
    reply: GitSync,
  }),
  create: operation({
    id: 'git-sync.create',
    service: 'config-sync',
    method: 'POST',
    path: '/config/git-sync',
    status: 201,
    summary: 'Set up Git sync',
    description:
      `One per organization. ${ADDITIONAL_PERMISSIONS} The answer shows \`webhookSecret\` this once: enter it ` +
      'with `webhookUrl` at the provider, for push events, as `application/json`. The document in ' +
      'the repository is applied as `POST /config/apply` would, without prune.',
    permission: 'config:write',
    body: NewGitSync,
    reply: GitSync,
  }),
  update: operation({
    id: 'git-sync.update',
    service: 'config-sync',
    method: 'PATCH',
    path: '/config/git-sync',
    status: 200,
    summary: 'Change the Git sync settings',
    description:
      `${ADDITIONAL_PERMISSIONS} Another \`repositoryUrl\` needs the credential again and makes a new webhook ` +
      'secret, which the answer shows. Another `authMethod` needs its credential; the marker ' +
      '`***REDACTED***` keeps a stored secret.',
    permission: 'config:write',
    body: GitSyncPatch,
    reply: GitSync,
  }),
  remove: operation({
    id: 'git-sync.remove',
    service: 'config-sync',
    method: 'DELETE',
    path: '/config/git-sync',
    status: 200,
    summary: 'End Git sync',
    description: 'Settings, credential and history go; what was applied stays.',
    permission: 'config:write',
    reply: Success,
  }),
  sync: operation({
    id: 'git-sync.sync',
    service: 'config-sync',
    method: 'POST',
    path: '/config/git-sync/sync',
    status: 202,
    summary: 'Sync now',
    description:
      'Fetches the branch and applies its document in the background; the history tells the ' +
      'outcome. One sync runs and one waits at most, beyond them 409.',
    permission: 'config:write',
    action: 'UPDATE',
    reply: GitSyncRun,
  }),
  rotateSecret: operation({
    id: 'git-sync.rotateSecret',
    service: 'config-sync',
    method: 'POST',
    path: '/config/git-sync/rotate-secret',
    status: 200,
    summary: 'Make a new webhook secret',
    description: 'Shown this once. The former one stays good for 24 hours.',
    permission: 'config:write',
    action: 'UPDATE',
    reply: GitSync,
  }),
  history: operation({
    id: 'git-sync.history',
    service: 'config-sync',
    method: 'GET',
    path: '/config/git-sync/history',
    status: 200,
    summary: 'List what the syncs did',
    description: 'Newest first, kept 90 days. `reason` and `error` say why a sync failed.',
    permission: 'config:read',
    query: listQuery(['timestamp'], {}),
    reply: listOf(GitSyncRun),
  }),
}

const HOOK_BODY_LIMIT = 1024 * 1024

export const gitHookOperations = {
  git: operation({
    id: 'hooks.git',
    service: 'config-sync',
    method: 'POST',
    path: '/hooks/git/{id}',
    status: 202,
    summary: 'Ring for a push',
    description:
      'Called by the Git provider, proved by a signature over the raw body: GitHub ' +
      'X-Hub-Signature-256, Bitbucket X-Hub-Signature, GitLab X-Gitlab-Token or ' +
      'webhook-signature, generic X-Signature-256 (hex HMAC-SHA256) with ' +
      '`{"ref":"refs/heads/main"}`. `accepted` is false for another event or branch, for a ' +
      'repeat and while autoSync is off. A ping is answered with 200.',
    permission: 'signature',
    bucket: 'webhook',
    params: Type.Object({ id: Type.String({ maxLength: 64 }) }),
    bodyType: 'raw',
    bodyLimit: HOOK_BODY_LIMIT,
    idempotencyKey: false,
    reply: Type.Object({ accepted: Type.Boolean() }),
  }),
}
