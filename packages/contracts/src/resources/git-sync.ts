/**
 * Git sync: the repository with the configuration document, the webhook for pushes, the log of
 * syncs, and changes proposed to the repository.
 */
import { type Static, Type } from '@sinclair/typebox'
import { listOf, listQuery } from '../listing.ts'
import { operationsOf } from '../operation.ts'
import { optional, patchSchemaOf } from '../patch.ts'
import type { Permission } from '../permission.ts'
import { Id, Nullable, OneOf, OneTimeSecret, Success, Timestamp } from '../scalars.ts'

export const gitProviders = ['github', 'gitlab', 'bitbucket', 'generic'] as const
export type GitProvider = (typeof gitProviders)[number]

export const gitAuthMethods = ['none', 'token', 'ssh_key', 'app'] as const
export type GitAuthMethod = (typeof gitAuthMethods)[number]

export const gitSyncStatuses = ['queued', 'running', 'success', 'no_changes', 'failed'] as const
export type GitSyncStatus = (typeof gitSyncStatuses)[number]

export const gitSyncTriggers = ['manual', 'webhook', 'poll'] as const
export type GitSyncTrigger = (typeof gitSyncTriggers)[number]

/** Reasons of a failed sync; `error` has the message. */
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

/**
 * Fields of all authentication methods; the fields required by a method are validated with the
 * settings.
 */
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
      'Never returned. token: `token`. ssh_key: `privateKey`, and `knownHosts` for hosts other ' +
      'than github.com, gitlab.com and bitbucket.org. app: `appId`, `installationId`, ' +
      '`privateKey`.',
  },
)
export type GitCredential = Static<typeof GitCredential>

const fields = {
  provider: OneOf(gitProviders),
  repositoryUrl: Type.String({
    minLength: 1,
    maxLength: MAX_URL,
    description:
      '`https://…`, `ssh://git@…` or `git@host:path`; the host must have a public address',
  }),
  branch: Type.String({ minLength: 1, maxLength: 200, default: 'main' }),
  configPath: Type.String({
    minLength: 1,
    maxLength: MAX_PATH,
    default: 'statuspage.yaml',
    description: 'Relative path without `..`, ending in .yaml or .yml',
  }),
  authMethod: OneOf(gitAuthMethods, { default: 'none' }),
  autoSync: Type.Boolean({
    default: false,
    description: 'Sync after each push webhook, and periodically in case a webhook was missed',
  }),
  writeBack: Type.Boolean({
    default: false,
    description:
      'Propose changes that were made outside the document as a pull or merge request; as a ' +
      'branch with ssh_key and for generic. A sync does not undo them while the document is that ' +
      'of the last sync, and proposes them before it applies another document. Requires a ' +
      'credential with write access',
  }),
  credential: GitCredential,
}

const { provider, repositoryUrl, ...choices } = fields

export const NewGitSync = Type.Object({ provider, repositoryUrl, ...optional(choices) })
export type NewGitSync = Static<typeof NewGitSync>

export const GitSyncPatch = patchSchemaOf(fields, [
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
    url: Nullable(
      Type.String({ description: 'URL of the pull or merge request, if there is one' }),
    ),
    proposedAt: Nullable(Timestamp),
    error: Nullable(Type.String({ description: 'Error of the latest attempt' })),
  },
  { description: 'Changes that were last proposed to the repository' },
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
  webhookUrl: Type.String({ description: "URL for the provider's push webhook" }),
  webhookSecret: Type.Optional(OneTimeSecret('Returned only by the request that created it')),
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

/** Permissions for all resources of a configuration document, which a sync uses. */
export const documentPermissions = [
  'components:write',
  'integrations:write',
  'status-pages:write',
  'incidents:write',
  'maintenances:write',
  'sla:write',
  'notifications:write',
  'oncall:write',
] as const satisfies readonly Permission[]

const permissionNames = documentPermissions.map((permission) => `\`${permission}\``)
const ADDITIONAL_PERMISSIONS =
  'Also requires the permissions that a sync uses: ' +
  `${permissionNames.slice(0, -1).join(', ')} and ${permissionNames.at(-1)}.`

export const gitSyncOperations = operationsOf('config-sync', 'git-sync', {
  read: {
    route: 'GET /config/git-sync',
    summary: 'Read the Git sync settings',
    description:
      '404 when Git sync is not set up. The credential and the webhook secret are not returned.',
    permission: 'config:read',
    reply: GitSync,
  },
  create: {
    route: 'POST /config/git-sync',
    status: 201,
    summary: 'Set up Git sync',
    description:
      `One per organization (409 \`duplicate\`). ${ADDITIONAL_PERMISSIONS} The response contains ` +
      '`webhookSecret`, once: configure it with `webhookUrl` at the provider, for push events, ' +
      'as `application/json`. The document in the repository is applied like `POST ' +
      '/config/apply` without `prune`.',
    permission: 'config:write',
    body: NewGitSync,
    reply: GitSync,
  },
  update: {
    route: 'PATCH /config/git-sync',
    summary: 'Update the Git sync settings',
    description:
      `${ADDITIONAL_PERMISSIONS} A new \`repositoryUrl\` requires the credential again and ` +
      'creates a new webhook secret, which the response contains. A new `authMethod` requires ' +
      'its credential. The marker `***REDACTED***` keeps a stored secret.',
    permission: 'config:write',
    body: GitSyncPatch,
    reply: GitSync,
  },
  remove: {
    route: 'DELETE /config/git-sync',
    summary: 'Delete the Git sync settings',
    description: 'Deletes settings, credential and history; applied resources remain.',
    permission: 'config:write',
    reply: Success,
  },
  sync: {
    route: 'POST /config/git-sync/sync',
    status: 202,
    summary: 'Start a sync',
    description:
      'Fetches the branch and applies its document in the background; the result appears in ' +
      'the history. At most one sync runs and one is queued (409 `already_running`).',
    permission: 'config:write',
    action: 'UPDATE',
    reply: GitSyncRun,
  },
  rotateSecret: {
    route: 'POST /config/git-sync/rotate-secret',
    summary: 'Rotate the webhook secret',
    description: 'Returns the new secret, once. The previous one is accepted for 24 more hours.',
    permission: 'config:write',
    action: 'UPDATE',
    reply: GitSync,
  },
  history: {
    route: 'GET /config/git-sync/history',
    summary: 'List syncs',
    description: 'Newest first, for 90 days. `reason` and `error` explain a failed sync.',
    permission: 'config:read',
    query: listQuery(['timestamp'], {}),
    reply: listOf(GitSyncRun),
  },
})

const HOOK_BODY_LIMIT = 1024 * 1024

export const gitHookOperations = operationsOf('config-sync', 'hooks', {
  git: {
    route: 'POST /hooks/git/{id}',
    status: 202,
    summary: 'Report a push',
    description:
      'Webhook for the Git provider, authenticated by a signature over the raw body: GitHub ' +
      'X-Hub-Signature-256, Bitbucket X-Hub-Signature, GitLab X-Gitlab-Token or ' +
      'webhook-signature, generic X-Signature-256 (hex HMAC-SHA256) with ' +
      '`{"ref":"refs/heads/main"}`. `accepted` is false for other events and branches, for a ' +
      'repeated request and while `autoSync` is off. A ping returns 200.',
    permission: 'signature',
    bucket: 'webhook',
    params: Type.Object({ id: Type.String({ maxLength: 64 }) }),
    bodyType: 'raw',
    bodyLimit: HOOK_BODY_LIMIT,
    idempotencyKey: false,
    reply: Type.Object({ accepted: Type.Boolean() }),
  },
})
