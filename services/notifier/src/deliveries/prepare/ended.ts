/** Ends deliveries that are not sent, and saves the bytes of those that are. */
import type { DeliveryReason, DeliveryState } from '@status-page/contracts'
import type { RawSystemScope } from '@status-page/postgres'

export interface EndedDelivery {
  id: string
  state: DeliveryState
  reason: DeliveryReason
}

export const finishDeliveries = (
  { sql }: RawSystemScope,
  owner: string,
  ended: readonly EndedDelivery[],
): Promise<unknown> => sql`
  UPDATE deliveries d SET state = e.state, reason = e.reason, finished_at = now(),
    lease_until = NULL, lease_owner = NULL, updated_at = now()
  FROM unnest(${ended.map(({ id }) => id)}::uuid[], ${ended.map(({ state }) => state)}::text[],
    ${ended.map(({ reason }) => reason)}::text[]) AS e(id, state, reason)
  WHERE d.id = e.id AND d.lease_owner = ${owner}::uuid AND d.state = 'sending'`

/** Saves the bytes that every attempt repeats, where rendering again might differ. */
export const saveMessageBodies = (
  { sql }: RawSystemScope,
  bodies: readonly { id: string; body: Buffer }[],
): Promise<unknown> => sql`
  UPDATE deliveries d SET body = decode(b.body, 'base64')
  FROM unnest(${bodies.map(({ id }) => id)}::uuid[],
    ${bodies.map(({ body }) => body.toString('base64'))}::text[]) AS b(id, body)
  WHERE d.id = b.id AND d.body IS NULL`
