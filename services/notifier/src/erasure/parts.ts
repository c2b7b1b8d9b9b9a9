/** Tables deleted with an organization: every table with `organization_id`. */
import type { ErasurePart } from '@status-page/postgres'

/** Deliveries come first, so that nothing further is sent. */
export const erasureParts: readonly ErasurePart[] = [
  'delivery_attempts',
  'sms_messages',
  'deliveries',
  'fanouts',
  'flaps',
  'soft_bounces',
  'hook_receipts',
  'destination_suppressions',
  'subscriber_notifications',
  'audiences',
  'destinations',
  'default_channels',
  'sms_opt_outs',
  'notification_channels',
  'channel_batches',
  'components',
  'pages',
  'members',
  'organizations',
]
