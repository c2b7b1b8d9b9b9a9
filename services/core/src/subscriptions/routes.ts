/** The operations of a subscriber's own door. The token is the credential, and the only one. */
import { notFound, subscriptionOperations, success } from '@status-page/contracts'
import { change, type Database, read } from '@status-page/postgres'
import { hashToken } from '@status-page/secrets'
import { type Call, type Route, raw, route } from '@status-page/service'
import { auditSubscriber, endSubscription, stateSubscriber } from '../subscribers/rules.ts'
import * as store from '../subscribers/store.ts'
import type { SubscriberRow } from '../tables.ts'
import { manageHtml, pageHeaders } from './page.ts'

export const subscriptionRoutes = ({ database }: { database: Database }): Route[] =>
  route(subscriptionOperations, {
    unsubscribe: async (call) => {
      await unsubscribe(database, call)
      return success
    },

    managePage: ({ params: { token } }) => pageOf(database, token),

    // Looking at it changes nothing: mail programs and scanners open every address.
    unsubscribeForm: ({ params: { token } }) => pageOf(database, token),

    unsubscribePage: async (call) => page(call.params.token, await unsubscribe(database, call)),
  })

const holderOf = async (database: Database, token: string): Promise<store.Found> => {
  const found = await store.findByToken(database, hashToken(token))
  if (found === undefined) throw notFound()
  return found
}

const pageOf = async (database: Database, token: string) => {
  const { id, organizationId } = await holderOf(database, token)
  const row = await read(database, organizationId, (scope) => store.findSubscriber(scope, id))
  if (row === undefined) throw notFound()
  return page(token, row)
}

/** May be repeated: a mail program and a reader may both say it. */
const unsubscribe = async (
  database: Database,
  { params, actor }: Pick<Call, 'actor'> & { params: { token: string } },
): Promise<SubscriberRow> => {
  const { id, organizationId } = await holderOf(database, params.token)
  return change(database, { organizationId, actor }, async (scope) => {
    const before = await store.lockSubscriber(scope, id)
    if (before === undefined) throw notFound()
    const ending = { status: 'unsubscribed', reason: 'link', at: scope.now } as const
    const after = endSubscription(before, ending, scope.now)
    if (after === null) return { result: before, events: [], audit: [] }
    await store.saveSubscriber(scope, after)
    return {
      result: after,
      events: [stateSubscriber('updated', after)],
      audit: [auditSubscriber('update', before, after)],
    }
  })
}

const page = (token: string, row: SubscriberRow) =>
  raw({
    contentType: 'text/html; charset=utf-8',
    headers: pageHeaders,
    body: manageHtml({ token, row }),
  })
