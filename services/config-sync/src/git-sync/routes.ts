/** Operations of Git sync. */
import {
  conflict,
  documentPermissions,
  type GitSync,
  type Grants,
  gitSyncOperations,
  grantsMeet,
  invalid,
  listReply,
  missingPermission,
  type Outcome,
  orNotFound,
  requirementOf,
  successReply,
  type TransactionOutcome,
} from '@status-page/contracts'
import { type OutboundPolicy, resolveSshServer, resolveUrl } from '@status-page/outbound'
import { newId, type Scope } from '@status-page/postgres'
import { randomToken, type Sealer } from '@status-page/secrets'
import { createRoutes, type Route } from '@status-page/service'
import type { Remote } from '../git/remote.ts'
import type { GitSyncRow } from '../tables.ts'
import { firstPollAt } from './polling.ts'
import { decryptCredential, encryptCredential, secretContext } from './secrets.ts'
import {
  auditSettings,
  hasSameRepositorySource,
  isSameRepository,
  patchedSettings,
  type RequestedSettings,
  requestedSettings,
  settingsOf,
  type ValidatedSettings,
  validateSettings,
} from './settings.ts'
import * as store from './store.ts'
import { presentRun, presentSync } from './view.ts'

export interface GitSyncDeps {
  sealer: Sealer
  policy: OutboundPolicy
  baseUrl: string
  pollMinutes: number
}

const HOOK_ID_BYTES = 16
const PREVIOUS_SECRET_MS = 24 * 3_600_000

export const gitSyncRoutes = (deps: GitSyncDeps): Route[] =>
  createRoutes(gitSyncOperations, {
    read: ({ read }) => read(async (scope) => presentSync(await findRequired(scope), deps)),

    create: async ({ body, caller, organizationId, change }) => {
      validateRights(caller.grants)
      const validated = validateSettings(requestedSettings(body), deps.policy)
      await validateHost(deps, validated.remote)
      return change((scope) => createSync(deps, scope, organizationId, validated))
    },

    update: async ({ body, caller, read, change }) => {
      validateRights(caller.grants)
      const row = await read(findRequired)
      const { remote } = validateSettings(
        patchedSettings(requestedOf(deps, row), body, deps.policy),
        deps.policy,
      )
      if (body.repositoryUrl !== undefined) await validateHost(deps, remote)
      return change(async (scope) => {
        const before = await lockRequired(scope)
        const requested = patchedSettings(requestedOf(deps, before), body, deps.policy)
        return updateSync(deps, scope, before, validateSettings(requested, deps.policy))
      })
    },

    remove: ({ change }) =>
      change(async (scope) => {
        const row = await lockRequired(scope)
        await store.deleteGitSync(scope)
        return { result: successReply, events: [], audit: [auditSettings('delete', row, null)] }
      }),

    sync: ({ change }) =>
      change(async (scope) => {
        const row = await lockRequired(scope)
        const run = await store.enqueueRun(scope, row, 'manual')
        if (run === null) throw conflict('already_running', 'A sync is already queued')
        const changes = { status: { to: run.status }, trigger: { to: run.trigger } }
        const about = { entityType: 'git_sync', entityId: row.id, entityName: row.repositoryUrl }
        const audit = [{ action: 'config.sync', ...about, changes }]
        return { result: presentRun(run), events: [], audit }
      }),

    rotateSecret: ({ change }) => change((scope) => rotateSecret(deps, scope)),

    history: ({ query, read }) =>
      read(async (scope) => {
        await findRequired(scope)
        const { rows, total } = await store.listRuns(scope, query)
        return listReply(query, total, rows.map(presentRun))
      }),
  })

/** Permissions that a user needs to save settings, since the repository can use them afterwards. */
const requiredPermissions = documentPermissions.flatMap((permission) =>
  (['CREATE', 'UPDATE'] as const).map((action) => requirementOf(permission, 'POST', action)),
)

const validateRights = (grants: Grants): void => {
  const missing = requiredPermissions.find((needed) => !grantsMeet(grants, needed))
  if (missing !== undefined) throw missingPermission(missing)
}

const validateHost = async ({ policy }: GitSyncDeps, remote: Remote): Promise<void> => {
  const { scheme, url } = remote
  const verdict =
    scheme === 'https' ? await resolveUrl(url, policy) : await resolveSshServer(remote, policy)
  if (verdict.ok) return
  const field = 'repositoryUrl'
  throw invalid({ field, message: `${field} ${verdict.message}` })
}

const findRequired = async (scope: Scope): Promise<GitSyncRow> =>
  orNotFound(await store.findGitSync(scope))

const lockRequired = async (scope: Scope): Promise<GitSyncRow> =>
  orNotFound(await store.lockGitSync(scope))

const requestedOf = ({ sealer }: GitSyncDeps, row: GitSyncRow): RequestedSettings => ({
  settings: settingsOf(row),
  credential: decryptCredential(sealer, row),
})

/** State of a repository before its first sync. */
const initialState = { lastCommit: null, appliedBlob: null, proposal: null, writeBackDueAt: null }

const createSync = async (
  deps: GitSyncDeps,
  scope: Scope,
  organizationId: string,
  { settings, credential }: ValidatedSettings,
): Promise<Outcome<GitSync>> => {
  const { sealer, pollMinutes } = deps
  const owned = { organizationId, id: newId() }
  const webhookSecret = randomToken()
  const row: GitSyncRow = {
    ...owned,
    ...settings,
    hookId: randomHookId(),
    credential: encryptCredential(sealer, owned, credential),
    webhookSecret: sealer.seal(webhookSecret, secretContext(owned)),
    previousWebhookSecret: null,
    previousSecretUntil: null,
    lastSyncAt: null,
    lastSyncStatus: null,
    ...initialState,
    nextPollAt: firstPollAt(settings, scope.now, pollMinutes),
    createdAt: scope.now,
    updatedAt: scope.now,
  }
  if (!(await store.insertGitSync(scope, row))) {
    throw conflict('duplicate', 'Git sync is already configured')
  }
  const result = presentSync(row, { ...deps, webhookSecret })
  return { result, events: [], audit: [auditSettings('create', null, row)] }
}

const randomHookId = (): string =>
  Buffer.from(randomToken(HOOK_ID_BYTES), 'base64url').toString('hex')

const rotateSecret = async (deps: GitSyncDeps, scope: Scope): Promise<Outcome<GitSync>> => {
  const before = await lockRequired(scope)
  const webhookSecret = randomToken()
  const after: GitSyncRow = {
    ...before,
    webhookSecret: deps.sealer.seal(webhookSecret, secretContext(before)),
    previousWebhookSecret: before.webhookSecret,
    previousSecretUntil: new Date(scope.now.getTime() + PREVIOUS_SECRET_MS),
    updatedAt: scope.now,
  }
  await store.saveGitSync(scope, after)
  const result = presentSync(after, { ...deps, webhookSecret })
  return { result, events: [], audit: [auditSettings('update', before, after)] }
}

/**
 * A new repository gets a new webhook secret at once, so that the old repository cannot trigger
 * syncs.
 */
const updateSync = async (
  deps: GitSyncDeps,
  scope: Scope,
  before: GitSyncRow,
  { settings, credential }: ValidatedSettings,
): Promise<TransactionOutcome<GitSync>> => {
  const { sealer, policy, pollMinutes } = deps
  const isSameCredential =
    JSON.stringify(credential) === JSON.stringify(decryptCredential(sealer, before))
  const isSame = JSON.stringify(settings) === JSON.stringify(settingsOf(before)) && isSameCredential
  if (isSame) return { result: presentSync(before, deps) }
  const isOtherRepository = !isSameRepository(before.repositoryUrl, settings.repositoryUrl, policy)
  const webhookSecret = isOtherRepository ? randomToken() : undefined
  const after: GitSyncRow = {
    ...before,
    ...settings,
    ...(hasSameRepositorySource(settingsOf(before), settings) ? {} : initialState),
    ...(isSameCredential ? {} : { credential: encryptCredential(sealer, before, credential) }),
    ...(webhookSecret === undefined
      ? {}
      : {
          webhookSecret: sealer.seal(webhookSecret, secretContext(before)),
          previousWebhookSecret: null,
          previousSecretUntil: null,
        }),
    nextPollAt: firstPollAt(settings, scope.now, pollMinutes),
    updatedAt: scope.now,
  }
  await store.saveGitSync(scope, after)
  const view = webhookSecret === undefined ? deps : { ...deps, webhookSecret }
  const audit = [auditSettings('update', before, after)]
  return { result: presentSync(after, view), events: [], audit }
}
