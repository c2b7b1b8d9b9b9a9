/**
 * Canary: an event without effect, which reveals a broken event path before an incident needs it.
 */
import { Type } from '@sinclair/typebox'
import { event } from '../event.ts'
import { services } from '../operation.ts'
import { OneOf, Timestamp } from '../scalars.ts'

export const canarySent = event(
  'canary.sent',
  services,
  Type.Object({ service: OneOf(services), sentAt: Timestamp }),
)
