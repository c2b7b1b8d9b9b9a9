/**
 * Ends of a subscription reported by the notifier (opt-out, bounce, complaint), and their reversal.
 * Pure.
 */
import type { SubscriberStatusReason } from '@status-page/contracts'
import type { SubscriberRow } from '../tables.ts'

export interface SubscriptionEnd {
  status: 'unsubscribed' | 'quarantined'
  reason: SubscriberStatusReason
  at: Date
}

/**
 * Null when the subscription has already ended, or consent was given again since. A complaint
 * replaces a weaker reason, because only the owner of the address can reverse it.
 */
export const endSubscription = (
  row: SubscriberRow,
  { status, reason, at }: SubscriptionEnd,
  now: Date,
): SubscriberRow | null => {
  const isStronger = reason === 'complaint' && row.statusReason !== 'complaint'
  const isOver = row.status === 'unsubscribed' || (row.status === status && !isStronger)
  const isOutdated = [row.consentedAt, row.reactivatedAt].some(
    (since) => since !== null && since > at,
  )
  if (isOver || isOutdated) return null
  return {
    ...row,
    status,
    statusReason: reason,
    version: row.version + 1,
    updatedAt: now,
    ...(status === 'unsubscribed' ? { unsubscribedAt: at, consentedAt: null } : {}),
  }
}

/**
 * START reverses only a STOP. A START that arrives first is stored, so that the earlier STOP has no
 * effect when it arrives.
 */
export const resumeSubscription = (
  row: SubscriberRow,
  at: Date,
  now: Date,
): SubscriberRow | null => {
  if (row.status === 'active') {
    return row.reactivatedAt !== null && row.reactivatedAt >= at
      ? null
      : { ...row, reactivatedAt: at }
  }
  const isStopped = row.status === 'unsubscribed' && row.statusReason === 'sms_stop'
  if (!isStopped || (row.unsubscribedAt !== null && row.unsubscribedAt > at)) return null
  return {
    ...row,
    status: 'active',
    statusReason: null,
    unsubscribedAt: null,
    consentedAt: at,
    reactivatedAt: at,
    version: row.version + 1,
    updatedAt: now,
  }
}
