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
    Type.String({ description: 'Sender of mail; by default status@ and the host of BASE_URL' }),
  ),
  MAIL_DIR: Type.Optional(
    Type.String({ description: 'Folder for mail as .eml files, used without SMTP_URL' }),
  ),
  DKIM_DOMAIN: Type.Optional(
    Type.String({ description: 'Domain that signs mail through SMTP_URL; all three or none' }),
  ),
  DKIM_SELECTOR: Type.Optional(
    Type.String({ description: 'Selector of the key, below _domainkey' }),
  ),
  DKIM_PRIVATE_KEY: Type.Optional(
    Type.String({ description: 'Private key in PEM; line breaks may be written as \\n' }),
  ),
  TWILIO_BASE_URL: Type.Optional(
    Type.String({
      pattern: '^https?://',
      description: "Replaces Twilio's API, for tests; its address must be in OUTBOUND_ALLOW_CIDRS",
    }),
  ),
  NOTIFY_CHANNEL_PER_MINUTE: PerMinute(10, 'Messages addressed to one channel'),
  NOTIFY_SUBSCRIBER_PER_MINUTE: PerMinute(5, 'Messages to one subscriber by e-mail or SMS'),
  NOTIFY_WEBHOOK_SUBSCRIBER_PER_MINUTE: PerMinute(10, 'Webhooks to one subscriber'),
  NOTIFY_WEBHOOK_ORGANIZATION_PER_MINUTE: PerMinute(100, 'Webhooks of one organization'),
  NOTIFY_GLOBAL_PER_MINUTE: PerMinute(100, 'All messages of the installation'),
  RATE_LIMIT_MULTIPLIER: Type.Number({
    exclusiveMinimum: 0,
    maximum: 1_000_000,
    default: 1,
    description: 'Multiplies every request and notification limit',
  }),
})
