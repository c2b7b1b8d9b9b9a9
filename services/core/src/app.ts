/** Core's table of contents: its operations and its reactions, by feature. */
import { outboundPolicy } from '@status-page/outbound'
import {
  type BaseConfig,
  ownHostsOf,
  type Resources,
  type ServiceApp,
  serve,
} from '@status-page/service'
import { componentReactions } from './components/reactions.ts'
import { componentRoutes } from './components/routes.ts'
import { incidentReactions } from './incidents/reactions.ts'
import { incidentRoutes } from './incidents/routes.ts'
import { publicRoutes } from './public/routes.ts'
import { statusPageRoutes } from './status-pages/routes.ts'
import { subscriberReactions } from './subscribers/reactions.ts'
import { subscriberRoutes } from './subscribers/routes.ts'
import { subscriptionRoutes } from './subscriptions/routes.ts'

export const buildApp = (resources: Resources<BaseConfig>): ServiceApp => {
  const { OUTBOUND_ALLOW_CIDRS: allowCidrs, BASE_URL: baseUrl } = resources.config
  const policy = outboundPolicy({ allowCidrs, ownHosts: ownHostsOf(resources.config) })
  const doors = { ...resources, baseUrl, policy, monitor: resources.client('monitor') }
  const routes = [
    ...componentRoutes(doors),
    ...incidentRoutes(doors),
    ...subscriberRoutes(doors),
    ...subscriptionRoutes(doors),
    ...statusPageRoutes(doors),
    ...publicRoutes(doors),
  ]
  const reactions = [...componentReactions, ...incidentReactions(doors), ...subscriberReactions]
  return { http: serve({ ...resources, routes }), reactions, due: [] }
}
