/** A component's checks, as the monitor keeps them. */
import { checkOperations, componentCheckOperations, notFound } from '@status-page/contracts'
import { type Call, type Client, type Route, route } from '@status-page/service'
import { findComponents } from '../components/store.ts'
import { checkTimeRange } from '../time-range.ts'

export const checkRoutes = ({ monitor }: { monitor: Client }): Route[] =>
  route(componentCheckOperations, {
    list: async (call) => {
      checkTimeRange(call.query)
      await mustExist(call)
      const { params, query, caller, requestId } = call
      return monitor.call(checkOperations.list, { params, query, caller, requestId })
    },

    responseTimes: async (call) => {
      checkTimeRange(call.query)
      await mustExist(call)
      const { params, query, caller, requestId } = call
      return monitor.call(checkOperations.responseTimes, { params, query, caller, requestId })
    },
  })

/** The monitor keeps checks of deleted components for a while; they are nobody's to read. */
const mustExist = ({ params, read }: Pick<Call, 'read'> & { params: { id: string } }) =>
  read(async (scope) => {
    const found = await findComponents(scope, [params.id])
    if (found.size === 0) throw notFound()
  })
