/**
 * Webhooks of Git providers: the signature covers the raw body, a delivery counts once, and a valid
 * push only queues a sync.
 */
import { gitHookOperations, type TransactionOutcome, unauthorized } from '@status-page/contracts'
import { asLookup, type Database, read, type Scope, transact } from '@status-page/postgres'
import { randomToken, type Sealer, signBody } from '@status-page/secrets'
import { createRoutes, parseLargeJson, type Route, rawReply } from '@status-page/service'
import type { WebhookKind, WebhookRequest } from '../providers/provider.ts'
import { providers } from '../providers/providers.ts'
import type { GitSyncRow } from '../tables.ts'
import { syncActor } from './caller.ts'
import { validWebhookSecrets } from './secrets.ts'
import {
  enqueueRun,
  findGitSync,
  findOrganizationOfHook,
  lockGitSync,
  recordHookDelivery,
} from './store.ts'

export interface GitHookDeps {
  database: Database
  sealer: Sealer
}

const HOOK_ID = /^[0-9a-f]{32}$/
const MAX_DELIVERY_ID = 200
const PING_STATUS = 200

/** Secret for the signature check of unknown hooks, so that their rejection takes the same time. */
const dummySecret = randomToken()

export const gitHookRoutes = (deps: GitHookDeps): Route[] =>
  createRoutes(gitHookOperations, {
    git: async ({ params, headers, rawBody }) => {
      const request: WebhookRequest = { headers, body: rawBody ?? Buffer.alloc(0) }
      const row = await authenticate(deps, params.id, request)
      if (row === null) throw unauthorized()
      const webhookKind = await webhookKindOf(row, request)
      if (webhookKind === 'ping') return emptyReply(PING_STATUS)
      const { organizationId } = row
      const by = { organizationId, actor: syncActor }
      return transact(deps.database, by, (scope) => acceptWebhook(scope, row, request, webhookKind))
    },
  })

const emptyReply = (status: number) =>
  rawReply({ status, contentType: 'application/json; charset=utf-8', body: '{"accepted":false}' })

/**
 * Returns null for an unknown id and for an invalid signature, so that the two are
 * indistinguishable.
 */
const authenticate = async (
  { database, sealer }: GitHookDeps,
  hookId: string,
  request: WebhookRequest,
): Promise<GitSyncRow | null> => {
  const organizationId = HOOK_ID.test(hookId)
    ? await asLookup(database, (systemScope) => findOrganizationOfHook(systemScope, hookId))
    : null
  const found = organizationId === null ? null : await rowAndTime(database, organizationId)
  if (found === null || found.row?.hookId !== hookId) {
    signBody(dummySecret, request.body)
    return null
  }
  const { row, now } = found
  const secrets = validWebhookSecrets(sealer, row, now)
  return providers[row.provider].isSigned(request, secrets, now) ? row : null
}

const rowAndTime = (database: Database, organizationId: string) =>
  read(database, organizationId, async (scope) => ({
    row: await findGitSync(scope),
    now: scope.now,
  }))

/** A body that cannot be parsed triggers nothing. */
const webhookKindOf = async (
  { provider, branch }: GitSyncRow,
  { headers, body }: WebhookRequest,
): Promise<WebhookKind> => {
  try {
    return providers[provider].webhookKindOf(headers, await parseLargeJson(body), branch)
  } catch {
    return 'other'
  }
}

const acceptWebhook = async (
  scope: Scope,
  { id, provider }: GitSyncRow,
  { headers }: WebhookRequest,
  webhookKind: WebhookKind,
): Promise<TransactionOutcome<{ accepted: boolean }>> => {
  const ignored = { result: { accepted: false } }
  const row = await lockGitSync(scope)
  if (webhookKind !== 'push' || row?.id !== id || !row.autoSync) return ignored
  const delivery = providers[provider].deliveryIdOf(headers)?.slice(0, MAX_DELIVERY_ID)
  if (delivery !== undefined && !(await recordHookDelivery(scope, delivery))) return ignored
  const run = await enqueueRun(scope, row, 'webhook')
  const accepted = { result: { accepted: true } }
  // A queued run exists already and will include this push.
  if (run === null) return accepted
  const about = { entityType: 'git_sync', entityId: id, entityName: row.repositoryUrl }
  const changes = { status: { to: run.status }, trigger: { to: run.trigger } }
  return { ...accepted, events: [], audit: [{ action: 'config.sync', ...about, changes }] }
}
