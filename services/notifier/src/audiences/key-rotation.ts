/**
 * Key rotation for the secrets of destinations, which are copies of what core encrypted for
 * subscribers.
 */
import { encryptedSource } from '@status-page/postgres'
import { destinations } from '../tables.ts'

const { id, organizationId, subscriberId } = destinations
const { webhookSecret, previousWebhookSecret, manageToken } = destinations

export const encryptedDestinations = encryptedSource({
  name: 'destinations',
  table: destinations,
  id,
  columns: [webhookSecret, previousWebhookSecret, manageToken],
  selected: { organizationId, subscriberId, webhookSecret, previousWebhookSecret, manageToken },
  // Only subscribers have encrypted texts.
  textsOf: ({ organizationId, subscriberId, ...row }) => {
    const context = { organizationId, recordId: subscriberId ?? '' }
    const webhook = { ...context, purpose: 'webhook' as const }
    return [
      { sealed: row.webhookSecret, context: webhook },
      { sealed: row.previousWebhookSecret, context: webhook },
      { sealed: row.manageToken, context: { ...context, purpose: 'mail-token' as const } },
    ]
  },
})
