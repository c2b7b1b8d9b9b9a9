/** Operations of subscribers. */
import {
  type EventDraft,
  invalid,
  listReply,
  type NewSubscriber,
  orNotFound,
  ruleIssue,
  subscriberOperations,
  successReply,
} from '@status-page/contracts'
import type { OutboundPolicy } from '@status-page/outbound'
import { newId, type Scope } from '@status-page/postgres'
import { type Authenticator, type Sealer, sha256 } from '@status-page/secrets'
import { type Call, createRoutes, type Route } from '@status-page/service'
import { findComponents } from '../components/store.ts'
import { findPages } from '../status-pages/settings/store.ts'
import type { StatusPageRow, SubscriberRow } from '../tables.ts'
import { changeSubscriber } from './change.ts'
import { requestConfirmation } from './confirmation/confirmation-request.ts'
import { exportSubscribers } from './csv/export.ts'
import { importSubscribers } from './csv/import.ts'
import { findErasedAddresses, saveWithdrawnAddresses } from './erased-addresses.ts'
import {
  addSubscriber,
  auditSubscriber,
  isWithdrawn,
  presentSubscriber,
  readdSubscriber,
  requireConfirmation,
  subscriberDeletedEvent,
  subscriberEvent,
} from './rules.ts'
import { encryptSecrets, encryptWebhookSecret, reencryptWebhookSecret } from './secrets.ts'
import * as store from './store.ts'
import { validateWebhookUrl } from './webhook-url.ts'

interface SubscriberDeps {
  sealer: Sealer
  policy: OutboundPolicy
  /** Keys the hashes of addresses that only their owner may subscribe again. */
  erasedAddress: Authenticator
}

export const subscriberRoutes = (deps: SubscriberDeps): Route[] =>
  createRoutes(subscriberOperations, {
    list: async ({ query, read }) => {
      if (query.format === 'csv') return exportSubscribers(query, read)
      const { rows, total } = await read((scope) => store.listSubscribers(scope, query))
      return listReply(query, total, rows.map(presentSubscriber))
    },

    create: async ({ body, change }) => {
      if (body.type === 'webhook') await validateWebhookUrl(body.webhookUrl, deps.policy)
      return change(async (scope) => {
        const page = await checkScope(scope, body)
        const { organizationId } = scope
        const id = newId()
        const secrets = encryptSecrets(deps.sealer, { organizationId, id }, body)
        const added = addSubscriber({ id, organizationId, body, secrets }, scope.now)
        const needsConfirmation =
          (await store.lockSubscriptionsOfAddress(scope, added)).some(isWithdrawn) ||
          (await isErased(deps, scope, added))
        const row = needsConfirmation ? requireConfirmation(added) : added
        const before = await store.insertOrLockSubscriber(scope, row)
        if (before !== null) return readd(deps, scope, { before, body, page })
        const confirmationEvents = needsConfirmation
          ? await confirmAgain(deps, scope, row, page)
          : []
        return {
          result: presentSubscriber(row),
          events: [subscriberEvent('created', row), ...confirmationEvents],
          audit: [auditSubscriber('create', null, row)],
        }
      })
    },

    read: ({ params, read }) =>
      read(async (scope) =>
        presentSubscriber(orNotFound(await store.findSubscriber(scope, params.id))),
      ),

    update: async (call) => {
      const { webhookUrl } = call.body
      if (typeof webhookUrl === 'string') await validateWebhookUrl(webhookUrl, deps.policy)
      return update(deps, call)
    },

    remove: ({ params, change }) =>
      change(async (scope) => {
        const row = orNotFound(await store.removeSubscriber(scope, params.id))
        await saveWithdrawnAddresses(deps.erasedAddress, scope, [row])
        return {
          result: successReply,
          events: [subscriberDeletedEvent(row)],
          audit: [auditSubscriber('delete', row, row)],
        }
      }),

    import: (call) => importSubscribers(deps, call),
  })

const isErased = async (
  { erasedAddress }: SubscriberDeps,
  scope: Scope,
  { address }: SubscriberRow,
): Promise<boolean> => (await findErasedAddresses(scope, erasedAddress.accepted(address))).size > 0

interface ReaddInput {
  before: SubscriberRow
  body: NewSubscriber
  page: StatusPageRow | null
}

/** Adds a subscriber that exists; after a withdrawal the owner must confirm again. */
const readd = async (deps: SubscriberDeps, scope: Scope, { before, body, page }: ReaddInput) => {
  const sealed = encryptWebhookSecret(deps.sealer, before, body)
  const row = readdSubscriber(before, body, sealed, scope.now)
  await store.saveSubscriber(scope, row)
  const confirmationEvents = await confirmAgain(deps, scope, row, page)
  return {
    result: presentSubscriber(row),
    events: [subscriberEvent('updated', row), ...confirmationEvents],
    audit: [auditSubscriber('update', before, row)],
  }
}

const confirmAgain = (
  { sealer }: SubscriberDeps,
  scope: Scope,
  row: SubscriberRow,
  page: StatusPageRow | null,
): Promise<EventDraft[]> => {
  const { componentIds, events, webhookSecret } = row
  const requested = { componentIds, events, webhookSecret, source: 'api' as const }
  return requestConfirmation(sealer, scope, { row, requested, pageName: page?.name ?? null })
}

const update = (
  { sealer }: SubscriberDeps,
  { params, body, change }: Call<typeof subscriberOperations.update>,
) =>
  change(async (scope) => {
    const before = orNotFound(await store.lockSubscriber(scope, params.id))
    const { webhookUrl: url, componentIds, events, status } = body
    const added = (componentIds ?? []).filter((id) => !before.componentIds.includes(id))
    await checkComponents(scope, componentIds ?? [], new Set(added))
    const secret = reencryptWebhookSecret(sealer, before, body.webhookSecret)
    const after = changeSubscriber(
      before,
      {
        ...(componentIds === undefined ? {} : { componentIds }),
        ...(events === undefined ? {} : { events }),
        ...(status === undefined ? {} : { status }),
        ...receiverAfter(before, url),
        ...(secret === undefined ? {} : { webhookSecret: secret }),
      },
      scope.now,
    )
    if (after === before) return { result: presentSubscriber(before) }
    await store.saveSubscriber(scope, after)
    return {
      result: presentSubscriber(after),
      events: [subscriberEvent('updated', after)],
      audit: [auditSubscriber('update', before, after)],
    }
  })

/** Receiver after a PATCH; other types have none and accept null. */
const receiverAfter = ({ type }: SubscriberRow, url: string | null | undefined) => {
  if (typeof url === 'string') return { address: { text: url, digest: sha256(url) } }
  if (url === undefined || type !== 'webhook') return {}
  throw invalid({ field: 'webhookUrl', message: 'webhookUrl must be a string' })
}

/** Page that the subscriber is bound to. */
const checkScope = async (
  scope: Scope,
  { componentIds = [], statusPageId }: NewSubscriber,
): Promise<StatusPageRow | null> => {
  await checkComponents(scope, componentIds, new Set(componentIds))
  if (typeof statusPageId !== 'string') return null
  const [page] = await findPages(scope, [statusPageId])
  if (page === undefined) throw invalid(ruleIssue('statusPageId', 'exists'))
  return page
}

/** Validates new component ids; stored ids are accepted after their component was deleted. */
const checkComponents = async (
  scope: Scope,
  ids: readonly string[],
  added: ReadonlySet<string>,
): Promise<void> => {
  const known = await findComponents(scope, [...added])
  const unknown = ids.findIndex((id) => added.has(id) && !known.has(id))
  if (unknown === -1) return
  throw invalid(ruleIssue(`componentIds[${unknown}]`, 'exists'))
}
