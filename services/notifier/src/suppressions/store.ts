/** Destinations suppressed without a user's request, until their managers have been notified. */
import { newId, type Scope, type SystemScope } from '@status-page/postgres'
import { sql } from 'drizzle-orm'
import { addDelivery, saveMailDestination } from '../deliveries/fan-out/add-delivery.ts'
import { saveFanOutEvent, wakeDeliveryWorkers } from '../deliveries/fan-out/fan-out.ts'
import { destinationLabel } from '../deliveries/label.ts'
import { listMembersByRole } from '../members/store.ts'
import {
  DESTINATION_ENDED,
  type SuppressedDestination,
  type SuppressionNotice,
} from '../messages/suppression-mail.ts'
import type { DestinationKind, DestinationType, SuppressionReason } from '../tables.ts'

/** Roles that may reactivate a destination. */
const NOTIFIED_ROLES = ['OWNER', 'SUBSCRIBER_MANAGER']
/** Maximum number of suppressions per mail, which lists the first of them. */
const MAX_SUPPRESSIONS = 1_000
const MAX_NAMED = 50
/**
 * Minimum interval between mails: a list that bounces causes one mail an hour, not one per address.
 */
const MAIL_INTERVAL_HOURS = 1
const RETENTION_DAYS = 30
/** Same priority as account mail, before every other delivery. */
const HIGHEST_PRIORITY = 0

/** Organizations with unreported suppressions whose last mail is old enough. */
export const organizationsToNotify = async (
  { tx }: SystemScope,
  limit: number,
): Promise<string[]> => {
  const rows = await tx.execute<{ id: string }>(sql`
    SELECT DISTINCT e.organization_id AS id FROM destination_suppressions e
    WHERE e.notified_at IS NULL AND NOT EXISTS (SELECT FROM destination_suppressions o
      WHERE o.organization_id = e.organization_id
        AND o.notified_at > now() - make_interval(hours => ${MAIL_INTERVAL_HOURS}))
    ORDER BY e.organization_id LIMIT ${limit}`)
  return rows.map(({ id }) => id)
}

/** Sends one mail to each manager of destinations about all unreported suppressions. */
export const notifySuppressions = async (scope: Scope): Promise<void> => {
  const ended = await claimUnnotified(scope)
  if (ended.length === 0) return
  const event = eventOf(scope, ended)
  await saveFanOutEvent(scope, event)
  for (const person of await listMembersByRole(scope, NOTIFIED_ROLES)) {
    const destination = await saveMailDestination(scope, person)
    await addDelivery(scope, event, destination, { priority: HIGHEST_PRIORITY })
  }
  await wakeDeliveryWorkers(scope)
}

const eventOf = ({ organizationId, now }: Scope, ended: readonly SuppressedDestination[]) => {
  const id = newId()
  const data: SuppressionNotice = {
    ended: ended.slice(0, MAX_NAMED),
    others: Math.max(0, ended.length - MAX_NAMED),
  }
  return {
    id,
    kind: DESTINATION_ENDED,
    organizationId,
    producer: 'notifier' as const,
    data,
    aggregate: { type: 'ending', id, version: 1 },
    occurredAt: now.toISOString(),
  }
}

/** Claims under a lock: two replicas would each send a mail about a part. */
const claimUnnotified = async ({ organizationId, tx }: Scope): Promise<SuppressedDestination[]> => {
  await tx.execute(
    sql`SELECT pg_advisory_xact_lock(
      hashtextextended(${`notifier.destination_suppressions:${organizationId}`}, 0))`,
  )
  const rows = await tx.execute<{
    reason: SuppressionReason
    at: string
    kind: DestinationKind
    type: DestinationType
    address: string
    channel: string | null
  }>(sql`
    WITH pending AS (
      UPDATE destination_suppressions SET notified_at = now()
      WHERE (organization_id, destination_id, day) IN (
        SELECT organization_id, destination_id, day FROM destination_suppressions
        WHERE organization_id = ${organizationId} AND notified_at IS NULL
        ORDER BY at LIMIT ${MAX_SUPPRESSIONS})
      RETURNING *)
    SELECT p.reason, p.at, d.kind, d.type, d.address, n.name AS channel FROM pending p
    JOIN destinations d ON d.organization_id = p.organization_id AND d.id = p.destination_id
    LEFT JOIN notification_channels n ON n.organization_id = d.organization_id AND n.id = d.channel_id
    ORDER BY p.at, d.id`)
  return rows.map(({ reason, at, kind, type, address, channel }) => ({
    kind,
    type,
    reason,
    at: new Date(at).toISOString(),
    channel,
    label: destinationLabel({ destination: { type, address }, channelName: channel }),
  }))
}

export const deleteOldSuppressions = async ({ tx }: SystemScope): Promise<void> => {
  await tx.execute(sql`
    DELETE FROM destination_suppressions
    WHERE at < now() - make_interval(days => ${RETENTION_DAYS})`)
}
