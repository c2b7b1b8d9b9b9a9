/** Routes of alerts. */
import { listReply, notFound, oncallAlertOperations } from '@status-page/contracts'
import type { Scope } from '@status-page/postgres'
import { createRoutes, type Route } from '@status-page/service'
import { checkTimeRange } from '../../time-range.ts'
import { saveAlertChange } from './changes.ts'
import { acknowledgeAlert, resolveAlert } from './rules.ts'
import * as store from './store.ts'
import { presentAlert } from './view.ts'

export const alertRoutes = (): Route[] =>
  createRoutes(oncallAlertOperations, {
    list: async ({ query, read }) => {
      checkTimeRange(query)
      return read(async (scope) => {
        const { rows, total } = await store.listAlerts(scope, query)
        return listReply(query, total, rows.map(presentAlert))
      })
    },

    read: ({ params, read }) =>
      read(async (scope) => {
        const row = await store.findAlert(scope, params.id)
        if (row === undefined) throw notFound()
        return presentAlert(row)
      }),

    acknowledge: ({ params, change, actor }) =>
      change(async (scope) => {
        const before = await lockOr404(scope, params.id)
        const after = acknowledgeAlert(before, actor.userId, scope.now)
        const changes = await saveAlertChange(scope, 'acknowledged', before, after, actor.userId)
        return { result: presentAlert(after), ...changes }
      }),

    resolve: ({ params, change, actor }) =>
      change(async (scope) => {
        const before = await lockOr404(scope, params.id)
        const after = resolveAlert(before, scope.now)
        const changes = await saveAlertChange(scope, 'resolved', before, after, actor.userId)
        return { result: presentAlert(after), ...changes }
      }),
  })

const lockOr404 = async (scope: Scope, id: string) => {
  const row = await store.lockAlert(scope, id)
  if (row === undefined) throw notFound()
  return row
}
