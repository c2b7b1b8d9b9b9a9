/** Senders by destination type; a type without a sender does not compile. */
import type { Outbound } from '@status-page/outbound'
import { noopMeter } from '../deliveries/metrics.ts'
import { chatSender } from './chat.ts'
import { emailSender, type MailSettings } from './email.ts'
import { createMailTransports } from './mailer.ts'
import type { Senders } from './sender.ts'
import { smsSender } from './sms.ts'
import { webhookSender } from './webhook.ts'

const USER_AGENT = 'status-page-service/0.1.0'

type Settings = Parameters<typeof createMailTransports>[0] & {
  BASE_URL: string
  MAIL_FROM?: string
  TWILIO_BASE_URL?: string
}

interface SenderDeps {
  logger: MailSettings['logger']
  meter: MailSettings['meter']
}

const noopDeps: SenderDeps = { logger: { info() {}, error() {} }, meter: noopMeter }

export const createSenders = (
  config: Settings,
  outbound: Outbound,
  { logger, meter }: SenderDeps = noopDeps,
): Senders => {
  const { BASE_URL: baseUrl } = config
  const from = config.MAIL_FROM ?? `status@${new URL(baseUrl).hostname}`
  return {
    webhook: webhookSender(outbound, USER_AGENT),
    email: emailSender(createMailTransports(config, outbound), {
      baseUrl,
      from,
      logger,
      meter,
    }),
    sms: smsSender(outbound, { baseUrl, apiUrl: config.TWILIO_BASE_URL ?? null }),
    slack: chatSender(outbound, 'slack', USER_AGENT),
    discord: chatSender(outbound, 'discord', USER_AGENT),
    teams: chatSender(outbound, 'teams', USER_AGENT),
  }
}
