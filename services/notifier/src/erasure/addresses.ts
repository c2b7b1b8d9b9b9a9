/** Erasure of a mail address: destinations, the bodies and logs of their deliveries, stored events. */
import { type Reaction, reaction } from '@status-page/bus'
import { accountErased, subscriberErased } from '@status-page/contracts'
import { inJson, REDACTED, redactPlumbing, type Scope } from '@status-page/postgres'
import type { Sealer } from '@status-page/secrets'
import { sql } from 'drizzle-orm'

export const erasedAddressReaction = (sealer: Sealer): Reaction =>
  reaction({
    consumer: 'notifier-erased-addresses',
    on: [subscriberErased, accountErased],
    async handle(scope, { aggregate, data }) {
      const { organizationId } = scope
      const email = sealer.open(data.sealedAddress, {
        organizationId,
        purpose: 'erased-address',
        recordId: aggregate.id,
      })
      await eraseAddress(scope, email, 'userId' in data ? [] : data.subscriberIds)
      return { result: undefined, events: [], audit: [] }
    },
  })

/** Channels are settings of the organization: their addresses stay. */
const eraseAddress = async (
  scope: Scope,
  email: string,
  subscriberIds: readonly string[],
): Promise<void> => {
  const { tx, organizationId } = scope
  const ids = await destinationsOf(scope, email, subscriberIds)
  await tx.execute(sql`
    UPDATE delivery_attempts a SET error = replace(a.error, ${email}, ${REDACTED})
    FROM deliveries d WHERE d.organization_id = ${organizationId}
      AND d.destination_id = ANY (${ids}::uuid[]) AND a.organization_id = d.organization_id
      AND a.delivery_id = d.id AND strpos(a.error, ${email}) > 0`)
  await tx.execute(sql`
    UPDATE deliveries SET body = NULL,
      state = CASE WHEN state IN ('pending', 'sending') THEN 'cancelled' ELSE state END,
      reason = CASE WHEN state IN ('pending', 'sending') THEN 'deleted' ELSE reason END,
      finished_at = coalesce(finished_at, now()), lease_until = NULL, lease_owner = NULL
    WHERE organization_id = ${organizationId} AND destination_id = ANY (${ids}::uuid[])`)
  await tx.execute(sql`
    DELETE FROM audiences
    WHERE organization_id = ${organizationId} AND destination_id = ANY (${ids}::uuid[])`)
  await tx.execute(sql`
    UPDATE destinations SET address = 'erased:' || id, state = 'deleted', webhook_secret = NULL,
      previous_webhook_secret = NULL, manage_token = NULL, updated_at = now()
    WHERE organization_id = ${organizationId} AND id = ANY (${ids}::uuid[])`)
  const found = inJson(email)
  await tx.execute(sql`
    UPDATE fanouts SET payload = replace(payload::text, ${found}, ${REDACTED})::jsonb
    WHERE organization_id = ${organizationId} AND strpos(payload::text, ${found}) > 0`)
  await redactPlumbing(scope, email)
}

const destinationsOf = async (
  { tx, organizationId }: Scope,
  email: string,
  subscriberIds: readonly string[],
) => {
  const rows = await tx.execute<{ id: string }>(sql`
    SELECT id FROM destinations WHERE organization_id = ${organizationId} AND kind <> 'channel'
      AND (type = 'email' AND address = ${email}
        OR subscriber_id = ANY (${sql.param([...subscriberIds])}::uuid[]))`)
  return sql.param(rows.map(({ id }) => id))
}
