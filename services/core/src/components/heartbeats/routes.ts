/** Heartbeat of a component: its state and its token, which the monitor stores. */
import { componentHeartbeatOperations, heartbeatOperations, invalid } from '@status-page/contracts'
import { type Call, type Client, createRoutes, type Route } from '@status-page/service'
import { findComponent } from '../store.ts'
import { untilProjected } from '../until-projected.ts'

export interface HeartbeatDeps {
  monitor: Client
  baseUrl: string
}

export const heartbeatRoutes = ({ monitor, baseUrl }: HeartbeatDeps): Route[] =>
  createRoutes(componentHeartbeatOperations, {
    read: async (call) => {
      await requireHeartbeat(call)
      const { params, caller, requestId } = call
      return untilProjected(() =>
        monitor.call(heartbeatOperations.read, { params, caller, requestId }),
      )
    },

    rotateToken: async (call) => {
      await requireHeartbeat(call)
      const { params, caller, requestId } = call
      const { token } = await untilProjected(() =>
        monitor.call(heartbeatOperations.rotateToken, { params, caller, requestId }),
      )
      return { token, pingUrl: `${baseUrl}/api/v1/hooks/heartbeat/${token}` }
    },
  })

const requireHeartbeat = async ({
  params,
  read,
}: Pick<Call, 'read'> & { params: { id: string } }): Promise<void> => {
  const { endpoint } = await read((scope) => findComponent(scope, params.id))
  if (endpoint?.kind === 'heartbeat') return
  throw invalid({ field: 'kind', message: 'The component has no check of kind heartbeat' })
}
