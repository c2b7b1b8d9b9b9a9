/** Credentials and webhook secrets of Git sync, for key rotation. */
import { encryptedSource } from '@status-page/postgres'
import { gitSyncs } from '../tables.ts'
import { credentialContext, secretContext } from './secrets.ts'

const { id, organizationId, credential, webhookSecret, previousWebhookSecret } = gitSyncs

export const encryptedGitSyncs = encryptedSource({
  name: 'git-syncs',
  table: gitSyncs,
  id,
  columns: [credential, webhookSecret, previousWebhookSecret],
  selected: { id, organizationId, credential, webhookSecret, previousWebhookSecret },
  textsOf: (row) => [
    { sealed: row.credential, context: credentialContext(row) },
    { sealed: row.webhookSecret, context: secretContext(row) },
    { sealed: row.previousWebhookSecret, context: secretContext(row) },
  ],
})
