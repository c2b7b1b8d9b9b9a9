/** Routes of alerts. */
import {
  listReply,
  type OncallAlert,
  oncallAlertOperations,
  orNotFound,
} from '@status-page/contracts'
import { type Call, createRoutes, type Route } from '@status-page/service'
import { checkTimeRange } from '../../time-range.ts'
import { type AlertVerb, changeAlert } from './changes.ts'
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
      read(async (scope) => presentAlert(orNotFound(await store.findAlert(scope, params.id)))),

    acknowledge: (call) => changeOnRequest(call, 'acknowledged'),

    resolve: (call) => changeOnRequest(call, 'resolved'),
  })

const changeOnRequest = (
  { params, change, actor }: Pick<Call, 'change' | 'actor'> & { params: { id: string } },
  verb: AlertVerb,
): Promise<OncallAlert> =>
  change(async (scope) => {
    const { after, changes } = await changeAlert(scope, params.id, { verb, userId: actor.userId })
    return { result: presentAlert(after), ...changes }
  })
