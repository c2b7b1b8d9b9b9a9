/** Tables deleted with an organization: every table with `organization_id`. */
import type { ErasurePart } from '@status-page/postgres'

/** Deliveries come first, so that nothing further is sent. */
export const erasureParts: readonly ErasurePart[] = [
  'delivery_attempts',
  'sms_messages',
  'deliveries',
  'fanouts',
  'flaps',
  'soft_failures',
  'hook_receipts',
  'endings',
  'told_subscribers',
  'audiences',
  'destinations',
  'carriers',
  'sms_opt_outs',
  'notification_channels',
  'components',
  'pages',
  'members',
  'organizations',
]
