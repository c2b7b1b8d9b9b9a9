/** Settings of the notifier, in addition to those that all services share. */
import { Type } from '@sinclair/typebox'
import { defineConfig } from '@status-page/service'

const PerMinute = (value: number, description: string) =>
  Type.Integer({ minimum: 1, maximum: 1_000_000, default: value, description })

export const config = defineConfig({
  SMTP_URL: Type.Optional(
    Type.String({
      pattern: '^smtps?://',
      description: 'Mail server of the operator, smtp[s]://user:password@host:port',
    }),
  ),
  MAIL_FROM: Type.Optional(
    Type.String({ description: 'Sender of mail; status@ and the host of BASE_URL otherwise' }),
  ),
  MAIL_DIR: Type.Optional(
    Type.String({ description: 'Without SMTP_URL mail is written here as .eml files' }),
  ),
  DKIM_DOMAIN: Type.Optional(
    Type.String({ description: 'Domain that signs mail by SMTP_URL; with the other two' }),
  ),
  DKIM_SELECTOR: Type.Optional(Type.String({ description: 'Name of the key below _domainkey' })),
  DKIM_PRIVATE_KEY: Type.Optional(
    Type.String({ description: 'PEM; line breaks may be written as \\n' }),
  ),
  TWILIO_BASE_URL: Type.Optional(
    Type.String({
      pattern: '^https?://',
      description: "In the place of Twilio's, for tests; inside of OUTBOUND_ALLOW_CIDRS",
    }),
  ),
  NOTIFY_CHANNEL_PER_MINUTE: PerMinute(10, 'Messages addressed to one channel'),
  NOTIFY_SUBSCRIBER_PER_MINUTE: PerMinute(5, 'Messages to one subscriber by e-mail or SMS'),
  NOTIFY_WEBHOOK_SUBSCRIBER_PER_MINUTE: PerMinute(10, 'Webhooks to one subscriber'),
  NOTIFY_WEBHOOK_ORGANIZATION_PER_MINUTE: PerMinute(100, 'Webhooks of one organization'),
  NOTIFY_GLOBAL_PER_MINUTE: PerMinute(100, 'Everything, whole installation'),
  RATE_LIMIT_MULTIPLIER: Type.Number({
    exclusiveMinimum: 0,
    maximum: 1_000_000,
    default: 1,
    description: 'Multiplies every request and notification limit',
  }),
})
