/** Checks of a component, read from the monitor; for a METRIC, its values from integrations. */
import {
  checkOperations,
  componentCheckOperations,
  componentValueOperations,
  metricOperations,
  notFound,
  presentSeriesRange,
  seriesRangeOf,
} from '@status-page/contracts'
import type { Scope } from '@status-page/postgres'
import { type Call, createRoutes, type Route } from '@status-page/service'
import { checkTimeRange } from '../../time-range.ts'
import type { MonitoringClients } from '../monitor-data.ts'
import { findComponents } from '../store.ts'

export const checkRoutes = (clients: MonitoringClients): Route[] => [
  ...componentCheckRoutes(clients),
  ...componentValueRoutes(clients),
]

const componentCheckRoutes = ({ monitor, integrations }: MonitoringClients): Route[] =>
  createRoutes(componentCheckOperations, {
    checks: async (call) => {
      checkTimeRange(call.query)
      const type = await readType(call)
      const { params, query, caller, requestId } = call
      if (type === 'METRIC') {
        return integrations.call(metricOperations.list, { params, query, caller, requestId })
      }
      return monitor.call(checkOperations.list, { params, query, caller, requestId })
    },

    responseTimes: async (call) => {
      checkTimeRange(call.query)
      await readType(call)
      const { params, query, caller, requestId } = call
      return monitor.call(checkOperations.responseTimes, { params, query, caller, requestId })
    },
  })

const componentValueRoutes = ({ integrations }: MonitoringClients): Route[] =>
  createRoutes(componentValueOperations, {
    values: async (call) => {
      const { params, query, caller, requestId } = call
      const { type, range } = await call.read(async (scope) => ({
        range: seriesRangeOf(query, scope.now),
        type: await findType(scope, params.id),
      }))
      if (type !== 'METRIC') {
        return { componentId: params.id, ...presentSeriesRange(range), points: [] }
      }
      return integrations.call(metricOperations.series, { params, query, caller, requestId })
    },
  })

const readType = ({ params, read }: Pick<Call, 'read'> & { params: { id: string } }) =>
  read((scope) => findType(scope, params.id))

/** Checks of deleted components are retained for a while, but must not be readable. */
const findType = async (scope: Scope, id: string) => {
  const found = (await findComponents(scope, [id])).get(id)
  if (found === undefined) throw notFound()
  return found.type
}
