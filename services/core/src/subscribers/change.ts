/** Effects of a PATCH on a subscriber: scope, receiver, secret and the end of quarantine. */
import { conflict, invalid, type SubscriberPatch } from '@status-page/contracts'
import type { SubscriberRow } from '../tables.ts'
import { isWithdrawn, selectedEvents } from './rules.ts'

const OLD_SECRET_MS = 24 * 3_600_000

/**
 * PATCH with its secret prepared by the routes: encrypted, null when removed, undefined when
 * unchanged.
 */
export interface SubscriberChanges extends Omit<SubscriberPatch, 'webhookSecret' | 'webhookUrl'> {
  address?: { text: string; digest: string }
  webhookSecret?: string | null
}

/** Returns the same row if the PATCH has no effect. */
export const changeSubscriber = (
  row: SubscriberRow,
  changes: SubscriberChanges,
  now: Date,
): SubscriberRow => {
  const { address, webhookSecret, componentIds = row.componentIds, events } = changes
  if (row.type !== 'webhook' && (address !== undefined || webhookSecret !== undefined)) {
    const field = address === undefined ? 'webhookSecret' : 'webhookUrl'
    throw invalid({ field, message: `${field} is only supported for type webhook` })
  }
  const after = {
    ...row,
    ...(address === undefined ? {} : { address: address.text, addressDigest: address.digest }),
    ...(webhookSecret === undefined ? {} : rotated(row, webhookSecret, now)),
    componentIds,
    events: events === undefined ? row.events : selectedEvents(events),
    ...reactivated(row, changes.status, now),
  }
  const isSame =
    webhookSecret === undefined && JSON.stringify({ ...after }) === JSON.stringify({ ...row })
  return isSame ? row : { ...after, version: row.version + 1, updatedAt: now }
}

/**
 * Both secrets sign for a while, so that receivers can switch; without a secret nothing is signed.
 */
const rotated = (row: SubscriberRow, webhookSecret: string | null, now: Date) => {
  const signsAlong = webhookSecret !== null && row.webhookSecret !== null
  return {
    webhookSecret,
    previousWebhookSecret: signsAlong ? row.webhookSecret : null,
    previousWebhookSecretUntil: signsAlong ? new Date(now.getTime() + OLD_SECRET_MS) : null,
  }
}

const reactivated = (row: SubscriberRow, status: 'active' | undefined, now: Date) => {
  if (status === undefined || row.status === status) return {}
  if (isWithdrawn(row)) {
    throw conflict('invalid_state', 'Only the owner of the address can subscribe it again')
  }
  if (row.status !== 'quarantined') {
    throw conflict('invalid_state', 'Only a quarantined subscriber can be reactivated')
  }
  return { status, statusReason: null, reactivatedAt: now }
}
