/** Table of contents of the notifier. */
import type { Static } from '@sinclair/typebox'
import { upToDate } from '@status-page/bus'
import { deliveryOperations } from '@status-page/contracts'
import { createOutbound, type Outbound, outboundPolicy } from '@status-page/outbound'
import { crossDue } from '@status-page/postgres'
import { ownHostsOf, type Resources, route, type ServiceApp, serve } from '@status-page/service'
import { accountReactions } from './accounts/reactions.ts'
import { alertReaction } from './alerts/reactions.ts'
import { audienceReaction } from './audiences/reactions.ts'
import type { config } from './config.ts'
import { confirmationReaction } from './confirmations/reactions.ts'
import { deliveryWork, deliveryWorkNames } from './deliveries/due.ts'
import { DELIVERIES_DUE } from './deliveries/fan-out.ts'
import type { NotifyLimits } from './deliveries/rate.ts'
import { deliveryReactions } from './deliveries/reactions.ts'
import { deliveryRoutes } from './deliveries/routes.ts'
import { summaryWork } from './deliveries/summary.ts'
import { unblockTransports } from './deliveries/transports.ts'
import { emailSender } from './senders/email.ts'
import { mailerOf } from './senders/mailer.ts'
import type { Senders } from './senders/sender.ts'
import { webhookSender } from './senders/webhook.ts'

export type Config = Static<typeof config>

const USER_AGENT = 'status-page-service/0.1.0'

export const buildApp = (resources: Resources<Config>): ServiceApp => {
  const { config, database, sealer, logger } = resources
  const policy = outboundPolicy({
    allowCidrs: config.OUTBOUND_ALLOW_CIDRS,
    ownHosts: ownHostsOf(config),
  })
  const outbound = createOutbound({ policy })
  const senders = sendersOf(config, outbound)
  const isUpToDate = upToDate({ database, reaction: audienceReaction, type: 'subscriber', logger })
  return {
    http: serve({ ...resources, routes: route(deliveryOperations, deliveryRoutes) }),
    reactions: [
      audienceReaction,
      ...accountReactions,
      confirmationReaction,
      alertReaction,
      ...deliveryReactions,
    ],
    due: [
      ...deliveryWork({
        database,
        sealer,
        senders,
        limits: limitsOf(config),
        baseUrl: config.BASE_URL,
        isUpToDate,
        logger,
      }),
      summaryWork(database),
    ],
    wakeOn: { [DELIVERIES_DUE]: deliveryWorkNames },
    background: [
      {
        start: () => crossDue(database, unblockTransports),
        stop: () => outbound.close(),
      },
    ],
  }
}

const sendersOf = (config: Config, outbound: Outbound): Senders => {
  const mailer = mailerOf(config, outbound)
  const settings = {
    baseUrl: config.BASE_URL,
    from: config.MAIL_FROM ?? `status@${new URL(config.BASE_URL).hostname}`,
  }
  return {
    webhook: webhookSender(outbound, USER_AGENT),
    email: mailer === null ? null : emailSender(mailer, settings),
    sms: null,
  }
}

const limitsOf = (config: Config): NotifyLimits => {
  const times = (perMinute: number) =>
    Math.max(1, Math.floor(perMinute * config.RATE_LIMIT_MULTIPLIER))
  return {
    perSubscriber: times(config.NOTIFY_SUBSCRIBER_PER_MINUTE),
    webhookPerSubscriber: times(config.NOTIFY_WEBHOOK_SUBSCRIBER_PER_MINUTE),
    webhookPerOrganization: times(config.NOTIFY_WEBHOOK_ORGANIZATION_PER_MINUTE),
    global: times(config.NOTIFY_GLOBAL_PER_MINUTE),
  }
}
