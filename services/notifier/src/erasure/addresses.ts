/** Erases a mail address from destinations, delivery bodies and logs, and stored events. */
import { catchUpOrganization } from '@status-page/bus'
import { unavailable } from '@status-page/contracts'
import {
  containsAddress,
  type Database,
  forEachTablePage,
  read,
  redactAddressSql,
} from '@status-page/postgres'
import type { ErasedAddress, Logger } from '@status-page/service'
import { sql } from 'drizzle-orm'
import { audienceHandler } from '../audiences/handlers.ts'

const DESTINATIONS_AT_ONCE = 200
const DELIVERIES_AT_ONCE = 500
const FANOUTS_AT_ONCE = 100

/** Prefix of an erased address; the id that follows keeps addresses unique. */
const ERASED_PREFIX = 'erased:'

/** Channels are settings of the organization, so their addresses stay. */
export const addressErasure = (resources: { database: Database; logger: Logger }) => {
  const isUpToDate = catchUpOrganization({
    ...resources,
    handler: audienceHandler,
    type: 'subscriber',
  })
  return async (database: Database, erased: ErasedAddress): Promise<void> => {
    const { organizationId, email } = erased
    // An earlier event would create the destination again.
    if (!(await isUpToDate(organizationId))) {
      throw unavailable('Events about subscribers of the organization are not processed yet')
    }
    for (;;) {
      const ids = await endDestinations(database, erased)
      for (const id of ids) await eraseDeliveries(database, { organizationId, email, id })
      await eraseDestinations(database, organizationId, ids)
      if (ids.length < DESTINATIONS_AT_ONCE) break
    }
    await eraseFanouts(database, organizationId, email)
  }
}

/** Ends destinations; their addresses are erased last, so that a restart finds them again. */
const endDestinations = (
  database: Database,
  { organizationId, email, subscriberIds }: ErasedAddress,
): Promise<string[]> =>
  read(database, organizationId, async ({ tx }) => {
    const rows = await tx.execute<{ id: string }>(sql`
      UPDATE destinations SET state = 'deleted', webhook_secret = NULL,
        previous_webhook_secret = NULL, manage_token = NULL, updated_at = now()
      WHERE organization_id = ${organizationId} AND id IN (
        SELECT id FROM destinations WHERE organization_id = ${organizationId}
          AND kind <> 'channel' AND NOT starts_with(address, ${ERASED_PREFIX})
          AND (type = 'email' AND address = ${email}
            OR subscriber_id = ANY (${sql.param([...subscriberIds])}::uuid[]))
        LIMIT ${DESTINATIONS_AT_ONCE}) RETURNING id`)
    return rows.map(({ id }) => id)
  })

const eraseDeliveries = (
  database: Database,
  { organizationId, email, id }: { organizationId: string; email: string; id: string },
): Promise<void> =>
  forEachTablePage(database, organizationId, {
    start: { created_at: '-infinity', id: '00000000-0000-0000-0000-000000000000' },
    statement: (after) => sql`
      WITH page AS MATERIALIZED (
        SELECT created_at, id FROM deliveries
        WHERE organization_id = ${organizationId} AND destination_id = ${id}
          AND (created_at, id) > (${after.created_at}::timestamptz, ${after.id}::uuid)
        ORDER BY created_at, id LIMIT ${DELIVERIES_AT_ONCE}),
      attempts AS (
        UPDATE delivery_attempts a SET error = ${redactAddressSql(sql`a.error`, email)}
        FROM page p WHERE a.organization_id = ${organizationId} AND a.delivery_id = p.id
          AND ${containsAddress(sql`a.error`, email)}),
      erased AS (
        UPDATE deliveries d SET body = NULL,
          state = CASE WHEN state IN ('pending', 'sending') THEN 'cancelled' ELSE state END,
          reason = CASE WHEN state IN ('pending', 'sending') THEN 'deleted' ELSE reason END,
          finished_at = coalesce(finished_at, now()), lease_until = NULL, lease_owner = NULL
        FROM page p WHERE d.organization_id = ${organizationId} AND d.id = p.id)
      SELECT created_at::text, id::text FROM page
      ORDER BY page.created_at DESC, page.id DESC LIMIT 1`,
  })

const eraseDestinations = (database: Database, organizationId: string, ids: readonly string[]) =>
  read(database, organizationId, async ({ tx }) => {
    const list = sql.param([...ids])
    await tx.execute(sql`
      DELETE FROM audiences
      WHERE organization_id = ${organizationId} AND destination_id = ANY (${list}::uuid[])`)
    await tx.execute(sql`
      UPDATE destinations SET address = ${ERASED_PREFIX}::text || id, updated_at = now()
      WHERE organization_id = ${organizationId} AND id = ANY (${list}::uuid[])`)
  })

const eraseFanouts = (database: Database, organizationId: string, email: string): Promise<void> =>
  forEachTablePage(database, organizationId, {
    start: { event_id: '00000000-0000-0000-0000-000000000000' },
    statement: ({ event_id: after }) => sql`
      WITH page AS MATERIALIZED (
        SELECT event_id FROM fanouts
        WHERE organization_id = ${organizationId} AND event_id > ${after}::uuid
        ORDER BY event_id LIMIT ${FANOUTS_AT_ONCE}),
      changed AS (
        UPDATE fanouts f SET payload = ${redactAddressSql(sql`f.payload::text`, email)}::jsonb
        FROM page p WHERE f.organization_id = ${organizationId} AND f.event_id = p.event_id
          AND ${containsAddress(sql`f.payload::text`, email)})
      SELECT event_id::text FROM page ORDER BY page.event_id DESC LIMIT 1`,
  })
