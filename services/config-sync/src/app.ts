/** Config-sync's table of contents: its operations, reactions and due work, by feature. */
import { outboundPolicy } from '@status-page/outbound'
import {
  ownHostsOf,
  type Resources,
  resealWork,
  type ServiceApp,
  serve,
} from '@status-page/service'
import type { Config } from './config.ts'
import { organizationReaction } from './organizations/reactions.ts'
import { sealedVariables } from './variables/reseal.ts'
import { variableRoutes } from './variables/routes.ts'

export type ConfigSyncResources = Resources<Config>

export const buildApp = (resources: ConfigSyncResources): ServiceApp => {
  const { OUTBOUND_ALLOW_CIDRS: allowCidrs } = resources.config
  const policy = outboundPolicy({ allowCidrs, ownHosts: ownHostsOf(resources.config) })
  const doors = { ...resources, policy }
  const routes = [...variableRoutes(doors)]
  const reactions = [organizationReaction]
  const due = [resealWork({ ...resources, sources: sealedIn(resources) })]
  return { http: serve({ ...resources, routes }), reactions, due }
}

/** All that config-sync stores sealed. */
const sealedIn = (resources: ConfigSyncResources) => [sealedVariables(resources)]
