/** The operations of status pages. */
import { listReply, notFound, statusPageOperations, success } from '@status-page/contracts'
import { newId, type Scope } from '@status-page/postgres'
import { type Route, route } from '@status-page/service'
import { findComponents } from '../components/store.ts'
import { stateDeleted } from '../subscribers/rules.ts'
import { removeBoundTo } from '../subscribers/store.ts'
import { auditPage, changePage, createPage, namedIn, presentPage, statePage } from './rules.ts'
import * as store from './store.ts'

export const statusPageRoutes = ({ baseUrl }: { baseUrl: string }): Route[] =>
  route(statusPageOperations, {
    list: ({ query, read }) =>
      read(async (scope) => {
        const { rows, total } = await store.listPages(scope, query)
        return listReply(
          query,
          total,
          rows.map((row) => presentPage(row, baseUrl)),
        )
      }),

    create: ({ body, change }) =>
      change(async (scope) => {
        const { organizationId, now } = scope
        const known = await knownIds(scope, namedIn(body))
        const row = createPage({ id: newId(), organizationId, body }, known, now)
        await store.insertPage(scope, row)
        return {
          result: presentPage(row, baseUrl),
          events: [statePage('created', row, baseUrl)],
          audit: [auditPage('create', null, row)],
        }
      }),

    read: ({ params, read }) =>
      read(async (scope) => {
        const [row] = await store.findPages(scope, [params.id])
        if (row === undefined) throw notFound()
        return presentPage(row, baseUrl)
      }),

    update: ({ params, body, change }) =>
      change(async (scope) => {
        const before = await store.lockPage(scope, params.id)
        if (before === undefined) throw notFound()
        const known = await knownIds(scope, namedIn(body))
        const after = changePage(before, body, known, scope.now)
        if (after === before) {
          return { result: presentPage(before, baseUrl), events: [], audit: [] }
        }
        await store.savePage(scope, after)
        return {
          result: presentPage(after, baseUrl),
          events: [statePage('updated', after, baseUrl)],
          audit: [auditPage('update', before, after)],
        }
      }),

    remove: ({ params, change }) =>
      change(async (scope) => {
        const row = await store.lockPage(scope, params.id)
        if (row === undefined) throw notFound()
        const bound = await removeBoundTo(scope, row.id)
        await store.removePage(scope, row.id)
        const deleted = { ...row, version: row.version + 1 }
        return {
          result: success,
          events: [statePage('deleted', deleted, baseUrl), ...bound.map(stateDeleted)],
          audit: [auditPage('delete', row, row)],
        }
      }),
  })

const knownIds = async (scope: Scope, ids: readonly string[]): Promise<Set<string>> =>
  new Set((await findComponents(scope, ids)).keys())
