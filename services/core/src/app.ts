/** Core's table of contents: its operations and its reactions, by feature. */
import { organizationUpToDate } from '@status-page/bus'
import { type AliasResolver, dnsResolver, outboundPolicy } from '@status-page/outbound'
import { authenticator, createPasswords } from '@status-page/secrets'
import {
  erasedAddressReaction,
  erasureOf,
  ownHostsOf,
  type Resources,
  resealWork,
  type ServiceApp,
  serve,
} from '@status-page/service'
import { checkRoutes } from './checks/routes.ts'
import { componentBatchRoutes } from './component-batches/routes.ts'
import { componentReactions } from './components/reactions.ts'
import { sealedHeaders } from './components/reseal.ts'
import { componentRoutes } from './components/routes.ts'
import type { CoreConfig } from './config.ts'
import { erasureParts } from './erasure/parts.ts'
import { exportWork } from './exports/due.ts'
import { exportRoutes } from './exports/routes.ts'
import { targetOf } from './exports/target.ts'
import { importRoutes } from './imports/routes.ts'
import { draftWork } from './incident-drafts/due.ts'
import { signalReaction } from './incident-drafts/reactions.ts'
import { incidentDraftRoutes } from './incident-drafts/routes.ts'
import { incidentTemplateRoutes } from './incident-templates/routes.ts'
import { overdueUpdates } from './incidents/overdue.ts'
import { incidentPreviewRoutes } from './incidents/preview.ts'
import { incidentReactions } from './incidents/reactions.ts'
import { incidentRoutes } from './incidents/routes.ts'
import { integrationReaction } from './integrations/reactions.ts'
import { maintenanceWork } from './maintenances/due.ts'
import { maintenanceRoutes } from './maintenances/routes.ts'
import { escalationWork } from './oncall/alerts/due.ts'
import { alertReaction } from './oncall/alerts/reactions.ts'
import { alertRoutes } from './oncall/alerts/routes.ts'
import { channelReaction } from './oncall/channels/reactions.ts'
import { memberReaction } from './oncall/members/reactions.ts'
import { oncallRetention } from './oncall/retention/due.ts'
import { scheduleRoutes } from './oncall/schedules/routes.ts'
import { pageMetricReaction } from './page-metrics/reactions.ts'
import { createPictures } from './pages/pictures.ts'
import { pageRoutes } from './pages/routes.ts'
import { postmortemRoutes } from './postmortems/routes.ts'
import { pageCookie } from './public/page-cookie.ts'
import { publicRoutes } from './public/routes.ts'
import { statuspageRoutes } from './public/statuspage-routes.ts'
import { slaDue } from './sla/due.ts'
import { slaRoutes } from './sla/routes.ts'
import { customDomainWork } from './status-pages/due.ts'
import { statusPageRoutes } from './status-pages/routes.ts'
import { subscriberErasureRoutes } from './subscribers/erase.ts'
import { subscriberReactions } from './subscribers/reactions.ts'
import { sealedQuestions, sealedSubscribers } from './subscribers/reseal.ts'
import { subscriberRoutes } from './subscribers/routes.ts'
import { subscriptionWork } from './subscriptions/due.ts'
import { subscriptionRoutes } from './subscriptions/routes.ts'

/** How names of the world are looked for; a test brings its own. */
export type CoreResources = Resources<CoreConfig> & { resolver?: AliasResolver }

export const buildApp = (resources: CoreResources): ServiceApp => {
  const { OUTBOUND_ALLOW_CIDRS: allowCidrs, BASE_URL: baseUrl } = resources.config
  const policy = outboundPolicy({ allowCidrs, ownHosts: ownHostsOf(resources.config) })
  const doors = { ...resources, ...pageDoors(resources), baseUrl, policy, ...neighbours(resources) }
  const routes = [
    ...componentRoutes(doors),
    ...componentBatchRoutes(doors),
    ...checkRoutes(doors),
    ...incidentRoutes(doors),
    ...incidentPreviewRoutes(doors),
    ...postmortemRoutes(doors),
    ...incidentTemplateRoutes,
    ...incidentDraftRoutes(doors),
    ...maintenanceRoutes(doors),
    ...subscriberRoutes(doors),
    ...subscriberErasureRoutes(doors),
    ...subscriptionRoutes(doors),
    ...importRoutes(doors),
    ...exportRoutes(doors),
    ...statusPageRoutes(doors),
    ...publicRoutes(doors),
    ...statuspageRoutes(doors),
    ...pageRoutes(doors),
    ...slaRoutes,
    ...scheduleRoutes(whomAScheduleNames(resources)),
    ...alertRoutes(),
  ]
  const exportUrl = resources.config.STATIC_EXPORT_URL
  const erasure = erasureOf(resources, erasureParts(exportUrl !== undefined))
  const reactions = [...reactionsOf(doors), erasure.reaction, erasedAddressReaction(resources)]
  const due = [
    erasure.work,
    overdueUpdates(doors),
    ...draftWork(doors),
    customDomainWork(doors),
    slaDue(resources.database),
    escalationWork(resources),
    ...oncallRetention(resources),
    ...maintenanceWork(doors),
    subscriptionWork(resources.database),
    ...exportsTo(exportUrl, doors),
    resealWork({ ...resources, sources: sealedIn(resources) }),
  ]
  return { http: serve({ ...resources, routes }), reactions, due }
}

const reactionsOf = (deps: Parameters<typeof incidentReactions>[0]) => [
  ...componentReactions,
  ...incidentReactions(deps),
  ...subscriberReactions,
  memberReaction,
  channelReaction,
  integrationReaction,
  pageMetricReaction,
  signalReaction(deps),
  alertReaction,
]

/** Nothing where the operator names no place for files. */
const exportsTo = (
  url: string | undefined,
  doors: Omit<Parameters<typeof exportWork>[0], 'target'>,
) => (url === undefined ? [] : [exportWork({ ...doors, target: targetOf(url) })])

/** All that core stores sealed. */
const sealedIn = (resources: CoreResources) => [
  sealedHeaders(resources),
  sealedSubscribers(resources),
  sealedQuestions(resources),
]

/** Services that know more of what core keeps. */
const neighbours = ({ client, database, logger }: CoreResources) => ({
  monitor: client('monitor'),
  notifier: client('notifier'),
  integrations: client('integrations'),
  areIntegrationsUpToDate: organizationUpToDate({
    ...{ database, reaction: integrationReaction, type: 'integration', logger },
  }),
})

const whomAScheduleNames = ({ database, logger }: CoreResources) => {
  const doors = { database, logger }
  const channel = { ...doors, reaction: channelReaction, type: 'notification-channel' }
  return {
    areMembersUpToDate: organizationUpToDate({
      ...doors,
      reaction: memberReaction,
      type: 'member',
    }),
    areChannelsUpToDate: organizationUpToDate(channel),
  }
}

/** What opens, names and draws a status page. */
const pageDoors = ({ config, resolver = dnsResolver() }: CoreResources) => {
  const { BASE_URL: baseUrl, ENCRYPTION_KEY: current } = config
  const keys = { current, previous: config.ENCRYPTION_KEY_PREVIOUS ?? null }
  return {
    ownHost: new URL(baseUrl).hostname,
    resolver,
    passwords: createPasswords(),
    pictures: createPictures(),
    erasedAddress: authenticator(keys, 'erased-address'),
    cookie: pageCookie({ authenticator: authenticator(keys, 'page-access'), baseUrl }),
  }
}
