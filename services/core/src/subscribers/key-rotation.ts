/** Encrypted secrets of subscribers and pending confirmations, for key rotation. */
import { encryptedSource } from '@status-page/postgres'
import { subscriberConfirmations as questions, subscribers } from '../tables.ts'
import { manageTokenEncryptionContext, webhookEncryptionContext } from './secrets.ts'

const { id, organizationId, webhookSecret, previousWebhookSecret, manageToken } = subscribers

export const encryptedSubscribers = encryptedSource({
  name: 'subscribers',
  table: subscribers,
  id,
  columns: [webhookSecret, previousWebhookSecret, manageToken],
  selected: { id, organizationId, webhookSecret, previousWebhookSecret, manageToken },
  textsOf: (row) => [
    { sealed: row.webhookSecret, context: webhookEncryptionContext(row) },
    { sealed: row.previousWebhookSecret, context: webhookEncryptionContext(row) },
    { sealed: row.manageToken, context: manageTokenEncryptionContext(row) },
  ],
})

/** Secrets of pending confirmations, which become the subscriber's on confirmation. */
export const encryptedConfirmations = encryptedSource({
  name: 'subscriber-questions',
  table: questions,
  id: questions.id,
  columns: [questions.webhookSecret],
  selected: {
    organizationId: questions.organizationId,
    id: questions.subscriberId,
    webhookSecret: questions.webhookSecret,
  },
  textsOf: (row) => [{ sealed: row.webhookSecret, context: webhookEncryptionContext(row) }],
})
