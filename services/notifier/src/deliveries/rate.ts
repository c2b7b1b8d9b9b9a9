/** Limits that defer: a strict sliding minute per key, all keys of a delivery taken together or not at all. */
import { defaultNotificationLimits, type NotificationLimits } from '@status-page/contracts'
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

/**
 * Those of one organization. A number that is the product's default is nobody's choice: there the
 * installation's holds.
 */
export const limitsOf = (
  installation: NotifyLimits,
  own: NotificationLimits | null,
  multiplier: number,
): NotifyLimits => {
  const names = Object.keys(defaultNotificationLimits) as (keyof NotificationLimits)[]
  const chosen = names.flatMap((name) =>
    own === null || own[name] === defaultNotificationLimits[name]
      ? []
      : [[name, multiplied(own[name], multiplier)] as const],
  )
  return { ...installation, ...Object.fromEntries(chosen) }
}

/** At least one, or nothing would ever go. */
export const multiplied = (perMinute: number, multiplier: number): number =>
  Math.max(1, Math.floor(perMinute * multiplier))

export interface RateKey {
  key: string
  max: number
}

export const globalKey = 'global'
export const webhooksOf = (organizationId: string): string => `orgwh:${organizationId}`

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
    ...(webhook ? [{ key: webhooksOf(organizationId), max: limits.webhookPerOrganization }] : []),
    { key: globalKey, max: limits.global },
  ]
}

/** The limit that frees up last. */
export interface Refusal {
  key: string
  waitMs: number
}

/** Null when every key was taken. Locks go in key order. */
export const takeRate = async (scope: Scope, keys: readonly RateKey[]): Promise<Refusal | null> => {
  const names = sql.param(keys.map(({ key }) => key))
  const maxima = sql.param(keys.map(({ max }) => max))
  await scope.tx.execute(sql`SELECT pg_advisory_xact_lock(hashtextextended(key, 0))
    FROM (SELECT unnest(${names}::text[]) AS key ORDER BY 1) k`)
  // Waiting for the locks makes now() stale, hence the clock.
  const rows = await scope.tx.execute<{ key: string; wait_ms: string }>(sql`
    WITH k AS (SELECT * FROM unnest(${names}::text[], ${maxima}::int[]) AS k(key, max)),
    full_key AS (
      SELECT k.key, h.at + make_interval(secs => ${WINDOW_SECONDS}) AS free_at FROM k CROSS JOIN LATERAL (
        SELECT at FROM rate_hits r WHERE r.key = k.key
          AND r.at > clock_timestamp() - make_interval(secs => ${WINDOW_SECONDS})
        ORDER BY r.at DESC OFFSET k.max - 1 LIMIT 1) h
      ORDER BY h.at DESC LIMIT 1),
    taken AS (
      INSERT INTO rate_hits (key, at) SELECT k.key, clock_timestamp() FROM k
      WHERE NOT EXISTS (SELECT FROM full_key))
    SELECT key, extract(epoch FROM free_at - now()) * 1000 AS wait_ms FROM full_key`)
  const [refusal] = rows
  return refusal === undefined ? null : { key: refusal.key, waitMs: Number(refusal.wait_ms) }
}

/** Twice the window, so that no clock of a transaction still looks for them. */
export const forgetRateHits = async ({ tx }: Crossing): Promise<void> => {
  await tx.execute(sql`DELETE FROM rate_hits
    WHERE at < clock_timestamp() - make_interval(secs => ${2 * WINDOW_SECONDS})`)
}
