/** Limits that defer: which ones a message counts against, a strict sliding minute each. */
import { defaultNotificationLimits, type NotificationLimits } from '@status-page/contracts'
import type { SystemScope } from '@status-page/postgres'
import { sql } from 'drizzle-orm'
import { isAlertKind } from '../messages/alert-mail.ts'
import type { DestinationKind, DestinationType } from '../tables.ts'
import { isConfirmation } from './confirmations.ts'

export const WINDOW_SECONDS = 60

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

/**
 * Whether the limits apply. Account mail, confirmations and on-call messages are outside of all limits, and for
 * the same reason never part of a digest: each goes at once and by itself.
 */
export const isLimited = ({
  destination,
  event,
}: {
  destination: { kind: DestinationKind }
  event: { kind: string; payload: unknown }
}): boolean => destination.kind !== 'user' && !isConfirmation(event) && !isAlertKind(event.kind)

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
export interface RateRefusal {
  key: string
  /** Until the turn of this message. */
  waitMs: number
  /** Until the limit lets anybody go. */
  freeMs: number
}

/** Twice the window, so that no clock of a transaction still looks for them. */
export const deleteOldRateHits = async ({ tx }: SystemScope): Promise<void> => {
  await tx.execute(sql`DELETE FROM rate_hits
    WHERE at < clock_timestamp() - make_interval(secs => ${2 * WINDOW_SECONDS})`)
}
