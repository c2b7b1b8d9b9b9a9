/** Limits that defer: a strict sliding minute per key, all keys of a delivery taken together or not at all. */
import type { Crossing, Scope } from '@status-page/postgres'
import { sql } from 'drizzle-orm'
import type { DestinationType } from '../tables.ts'

const WINDOW_SECONDS = 60

/** Messages a minute. */
export interface NotifyLimits {
  /** Addressed to the channel; what it merely carries counts as its subscribers'. */
  perChannel: number
  perSubscriber: number
  webhookPerSubscriber: number
  webhookPerOrganization: number
  global: number
}

export interface RateKey {
  key: string
  max: number
}

export const rateKeysOf = (
  destination: {
    type: DestinationType
    subscriberId: string | null
    channelId: string | null
    organizationId: string
  },
  limits: NotifyLimits,
): RateKey[] => {
  const { type, subscriberId, channelId, organizationId } = destination
  const webhook = type === 'webhook'
  return [
    channelId === null
      ? {
          key: `sub:${subscriberId}`,
          max: webhook ? limits.webhookPerSubscriber : limits.perSubscriber,
        }
      : { key: `chan:${channelId}`, max: limits.perChannel },
    ...(webhook ? [{ key: `orgwh:${organizationId}`, max: limits.webhookPerOrganization }] : []),
    { key: 'global', max: limits.global },
  ]
}

/** Milliseconds until the fullest key frees up; null when every key was taken. Locks go in key order. */
export const takeRate = async (scope: Scope, keys: readonly RateKey[]): Promise<number | null> => {
  const names = sql.param(keys.map(({ key }) => key))
  const maxima = sql.param(keys.map(({ max }) => max))
  await scope.tx.execute(sql`SELECT pg_advisory_xact_lock(hashtextextended(key, 0))
    FROM (SELECT unnest(${names}::text[]) AS key ORDER BY 1) k`)
  // Waiting for the locks makes now() stale, hence the clock.
  const rows = await scope.tx.execute<{ wait_ms: string | null }>(sql`
    WITH k AS (SELECT * FROM unnest(${names}::text[], ${maxima}::int[]) AS k(key, max)),
    free AS (
      SELECT max(h.at) + make_interval(secs => ${WINDOW_SECONDS}) AS at FROM k CROSS JOIN LATERAL (
        SELECT at FROM rate_hits r WHERE r.key = k.key
          AND r.at > clock_timestamp() - make_interval(secs => ${WINDOW_SECONDS})
        ORDER BY r.at DESC OFFSET k.max - 1 LIMIT 1) h),
    taken AS (
      INSERT INTO rate_hits (key, at) SELECT k.key, clock_timestamp() FROM k, free WHERE free.at IS NULL)
    SELECT extract(epoch FROM free.at - now()) * 1000 AS wait_ms FROM free`)
  const waitMs = rows[0]?.wait_ms ?? null
  return waitMs === null ? null : Number(waitMs)
}

/** Twice the window, so that no clock of a transaction still looks for them. */
export const forgetRateHits = async ({ tx }: Crossing): Promise<void> => {
  await tx.execute(sql`DELETE FROM rate_hits
    WHERE at < clock_timestamp() - make_interval(secs => ${2 * WINDOW_SECONDS})`)
}
