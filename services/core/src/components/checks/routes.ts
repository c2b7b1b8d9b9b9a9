/** Checks of a component, read from the monitor; for a METRIC, its values from integrations. */
import {
  checkOperations,
  componentCheckOperations,
  metricOperations,
  notFound,
} from '@status-page/contracts'
import { type Call, createRoutes, type Route } from '@status-page/service'
import { checkTimeRange } from '../../time-range.ts'
import type { MonitoringClients } from '../monitor-data.ts'
import { findComponents } from '../store.ts'

export const checkRoutes = ({ monitor, integrations }: MonitoringClients): Route[] =>
  createRoutes(componentCheckOperations, {
    checks: async (call) => {
      checkTimeRange(call.query)
      const type = await typeOf(call)
      const { params, query, caller, requestId } = call
      if (type === 'METRIC') {
        return integrations.call(metricOperations.list, { params, query, caller, requestId })
      }
      return monitor.call(checkOperations.list, { params, query, caller, requestId })
    },

    responseTimes: async (call) => {
      checkTimeRange(call.query)
      await typeOf(call)
      const { params, query, caller, requestId } = call
      return monitor.call(checkOperations.responseTimes, { params, query, caller, requestId })
    },
  })

/** Checks of deleted components are retained for a while, but must not be readable. */
const typeOf = ({ params, read }: Pick<Call, 'read'> & { params: { id: string } }) =>
  read(async (scope) => {
    const found = (await findComponents(scope, [params.id])).get(params.id)
    if (found === undefined) throw notFound()
    return found.type
  })
