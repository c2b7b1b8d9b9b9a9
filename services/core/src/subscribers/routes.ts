/** The operations of subscribers. */
import {
  invalid,
  listReply,
  type NewSubscriber,
  notFound,
  subscriberOperations,
  success,
} from '@status-page/contracts'
import { judgeUrl, type OutboundPolicy } from '@status-page/outbound'
import { newId, type Scope } from '@status-page/postgres'
import { hashToken, randomToken, type Sealer, sha256 } from '@status-page/secrets'
import { type Route, route } from '@status-page/service'
import { findComponents } from '../components/store.ts'
import { findPages } from '../status-pages/store.ts'
import {
  addressOf,
  addSubscriber,
  auditSubscriber,
  type Protected,
  presentSubscriber,
  readdSubscriber,
  stateDeleted,
  stateSubscriber,
} from './rules.ts'
import * as store from './store.ts'

export const subscriberRoutes = (doors: { sealer: Sealer; policy: OutboundPolicy }): Route[] =>
  route(subscriberOperations, {
    list: ({ query, read }) =>
      read(async (scope) => {
        const { rows, total } = await store.listSubscribers(scope, query)
        return listReply(query, total, rows.map(presentSubscriber))
      }),

    create: async ({ body, change }) => {
      if (body.type === 'webhook') await judgeReceiver(body.webhookUrl, doors.policy)
      return change(async (scope) => {
        await checkScope(scope, body)
        const { organizationId } = scope
        const id = newId()
        const secrets = sealSecrets(doors.sealer, { organizationId, id }, body)
        const row = addSubscriber({ id, organizationId, body, secrets }, scope.now)
        if (await store.insertSubscriber(scope, row)) {
          return {
            result: presentSubscriber(row),
            events: [stateSubscriber('created', row)],
            audit: [auditSubscriber('create', null, row)],
          }
        }
        const before = await store.lockSame(scope, row)
        if (before === undefined) throw notFound()
        const webhookSecret = sealWebhookSecret(doors.sealer, before, body)
        const after = readdSubscriber(before, body, webhookSecret, scope.now)
        await store.saveSubscriber(scope, after)
        return {
          result: presentSubscriber(after),
          events: [stateSubscriber('updated', after)],
          audit: [auditSubscriber('update', before, after)],
        }
      })
    },

    read: ({ params, read }) =>
      read(async (scope) => {
        const row = await store.findSubscriber(scope, params.id)
        if (row === undefined) throw notFound()
        return presentSubscriber(row)
      }),

    remove: ({ params, change }) =>
      change(async (scope) => {
        const row = await store.removeSubscriber(scope, params.id)
        if (row === undefined) throw notFound()
        return {
          result: success,
          events: [stateDeleted(row)],
          audit: [auditSubscriber('delete', row, row)],
        }
      }),
  })

const judgeReceiver = async (url: string, policy: OutboundPolicy): Promise<void> => {
  const verdict = await judgeUrl(url, policy)
  if (!verdict.ok) throw invalid({ field: 'webhookUrl', message: verdict.message })
}

const checkScope = async (scope: Scope, { componentIds, statusPageId }: NewSubscriber) => {
  const ids = componentIds ?? []
  const known = await findComponents(scope, ids)
  const unknown = ids.findIndex((id) => !known.has(id))
  if (unknown !== -1) {
    const field = `componentIds[${unknown}]`
    throw invalid({ field, message: `${field} names no component` })
  }
  if (typeof statusPageId !== 'string') return
  if ((await findPages(scope, [statusPageId])).length === 0) {
    throw invalid({ field: 'statusPageId', message: 'statusPageId names no status page' })
  }
}

interface Owner {
  organizationId: string
  id: string
}

/** The token itself is only in the mails: here its digest, and sealed for who writes them. */
const sealSecrets = (sealer: Sealer, owner: Owner, body: NewSubscriber): Protected => {
  const token = randomToken()
  const { organizationId, id: recordId } = owner
  return {
    addressDigest: sha256(addressOf(body)),
    webhookSecret: sealWebhookSecret(sealer, owner, body),
    manageTokenDigest: hashToken(token),
    manageToken: sealer.seal(token, { organizationId, purpose: 'mail-token', recordId }),
  }
}

const sealWebhookSecret = (sealer: Sealer, owner: Owner, body: NewSubscriber): string | null => {
  if (body.type !== 'webhook' || body.webhookSecret === undefined) return null
  const { organizationId, id: recordId } = owner
  return sealer.seal(body.webhookSecret, { organizationId, purpose: 'webhook', recordId })
}
