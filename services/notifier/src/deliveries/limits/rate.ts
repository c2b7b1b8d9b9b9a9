/**
 * Rate limits that defer messages, each over a strict sliding minute, and the limits that a message
 * counts against.
 */
import { defaultNotificationLimits, type NotificationLimits } from '@status-page/contracts'
import type { SystemScope } from '@status-page/postgres'
import { sql } from 'drizzle-orm'
import { isAlertKind } from '../../messages/alert-mail.ts'
import { isConfirmation } from '../../messages/confirmation.ts'
import { type DestinationKind, type DestinationType, NIL_UUID } from '../../tables.ts'

export const WINDOW_SECONDS = 60

/** Messages per minute. */
export interface NotifyLimits {
  /** Messages addressed to the channel; messages to subscribers through it count as theirs. */
  perChannel: number
  perSubscriber: number
  webhookPerSubscriber: number
  webhookPerOrganization: number
  global: number
}

/**
 * Limits of one organization. A value equal to the product's default counts as not set: the
 * installation's limit applies.
 */
export const effectiveLimits = (
  installation: NotifyLimits,
  own: NotificationLimits | null,
  multiplier: number,
): NotifyLimits => {
  const names = Object.keys(defaultNotificationLimits) as (keyof NotificationLimits)[]
  const chosen = names.flatMap((name) =>
    own === null || own[name] === defaultNotificationLimits[name]
      ? []
      : [[name, multiplyLimit(own[name], multiplier)] as const],
  )
  return { ...installation, ...Object.fromEntries(chosen) }
}

/** Multiplied limit, at least 1: with 0 no message would ever be sent. */
export const multiplyLimit = (perMinute: number, multiplier: number): number =>
  Math.max(1, Math.floor(perMinute * multiplier))

/**
 * True when the limits apply. Account mail, confirmation requests and alerts are exempt from all
 * limits and never part of a digest: each is sent immediately and alone.
 */
export const isSubjectToLimits = ({
  destination,
  event,
}: {
  destination: { kind: DestinationKind }
  event: { kind: string; payload: unknown }
}): boolean => destination.kind !== 'user' && !isConfirmation(event) && !isAlertKind(event.kind)

export interface RateKey {
  /** Id of the subscriber, channel or organization whose messages are counted. */
  key: string
  max: number
}

/** Key of the limit of all messages. */
export const globalRateKey = NIL_UUID

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
          key: subscriberId as string,
          max: webhook ? limits.webhookPerSubscriber : limits.perSubscriber,
        }
      : { key: channelId, max: limits.perChannel },
    ...(webhook ? [{ key: organizationId, max: limits.webhookPerOrganization }] : []),
    { key: globalRateKey, max: limits.global },
  ]
}

/** Refusal by the limit with the longest wait. */
export interface RateRefusal {
  key: string
  /** Milliseconds until this message may be sent. */
  waitMs: number
  /** Milliseconds until the limit admits any message. */
  freeMs: number
}

/** Deletes hits older than twice the window, which no running transaction can still read. */
export const deleteOldRateHits = async ({ tx }: SystemScope): Promise<void> => {
  await tx.execute(sql`DELETE FROM rate_hits
    WHERE at < clock_timestamp() - make_interval(secs => ${2 * WINDOW_SECONDS})`)
}
