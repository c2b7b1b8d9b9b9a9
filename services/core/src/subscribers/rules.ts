/** Consent: who is told, since when, and what ends it. Pure; secrets arrive sealed. */
import {
  type AuditDraft,
  conflict,
  type Event,
  type EventDraft,
  type EventSpec,
  emit,
  type NewSubscriber,
  type Subscriber,
  type SubscriberEvent,
  type SubscriberStatusReason,
  subscriberCreated,
  subscriberDeleted,
  subscriberEvents,
  subscriberUpdated,
} from '@status-page/contracts'
import type { SubscriberRow } from '../tables.ts'

/** Mailbox, number or URL. */
export const addressOf = (body: NewSubscriber): string => {
  switch (body.type) {
    case 'email':
      return body.email
    case 'sms':
      return body.phone
    case 'webhook':
      return body.webhookUrl
  }
}

/** What only the door can make: digests, and secrets sealed to this subscriber. */
export interface Protected {
  addressDigest: string
  webhookSecret: string | null
  manageToken: string
  manageTokenDigest: string
}

/** Made by a person or key of the organization, who vouches for the consent: active at once. */
export const addSubscriber = (
  made: { id: string; organizationId: string; body: NewSubscriber; secrets: Protected },
  now: Date,
): SubscriberRow => {
  const { id, organizationId, body, secrets } = made
  return {
    ...{ id, organizationId, version: 1, type: body.type },
    address: addressOf(body),
    ...secrets,
    ...preferences(body),
    status: 'active',
    statusReason: null,
    source: 'api',
    consentedAt: now,
    confirmedAt: null,
    unsubscribedAt: null,
    lastNotifiedAt: null,
    createdAt: now,
    updatedAt: now,
  }
}

/** Who withdrew is asked again; until the answer nobody may write to the address. */
export const readdSubscriber = (
  row: SubscriberRow,
  body: NewSubscriber,
  webhookSecret: string | null,
  now: Date,
): SubscriberRow => {
  if (row.status !== 'unsubscribed') {
    throw conflict('duplicate', 'A subscriber with this address exists already')
  }
  return {
    ...row,
    ...preferences(body),
    ...{ webhookSecret, version: row.version + 1, updatedAt: now },
    status: 'unconfirmed',
    statusReason: null,
    source: 'api',
    consentedAt: null,
    confirmedAt: null,
    unsubscribedAt: null,
  }
}

export interface Ending {
  status: 'unsubscribed' | 'quarantined'
  reason: SubscriberStatusReason
  at: Date
}

/** Null where there is nothing to end, or consent was given anew since. */
export const endSubscription = (
  row: SubscriberRow,
  { status, reason, at }: Ending,
  now: Date,
): SubscriberRow | null => {
  const isOver = row.status === 'unsubscribed' || row.status === status
  const isOutdated = row.consentedAt !== null && row.consentedAt > at
  if (isOver || isOutdated) return null
  return {
    ...row,
    ...{ status, statusReason: reason, version: row.version + 1, updatedAt: now },
    ...(status === 'unsubscribed' ? { unsubscribedAt: at, consentedAt: null } : {}),
  }
}

const preferences = (body: NewSubscriber) => {
  const events = body.events ?? []
  return {
    componentIds: body.componentIds ?? [],
    events: events.length === 0 ? [...subscriberEvents] : inOrder(events),
    statusPageId: body.statusPageId ?? null,
  }
}

const inOrder = (events: readonly SubscriberEvent[]) =>
  subscriberEvents.filter((event) => events.includes(event))

const addresses = ({ type, address }: SubscriberRow) => ({
  email: type === 'email' ? address : null,
  phone: type === 'sms' ? address : null,
  webhookUrl: type === 'webhook' ? address : null,
})

export const presentSubscriber = (row: SubscriberRow): Subscriber => ({
  id: row.id,
  type: row.type,
  ...addresses(row),
  hasWebhookSecret: row.webhookSecret !== null,
  componentIds: row.componentIds,
  events: row.events,
  statusPageId: row.statusPageId,
  status: row.status,
  statusReason: row.statusReason,
  source: row.source,
  confirmedAt: row.confirmedAt?.toISOString() ?? null,
  unsubscribedAt: row.unsubscribedAt?.toISOString() ?? null,
  lastNotifiedAt: row.lastNotifiedAt?.toISOString() ?? null,
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
})

type Fact = Event<EventSpec & { data: typeof subscriberCreated.data }>

const kinds: Record<'created' | 'updated' | 'deleted', Fact> = {
  created: subscriberCreated,
  updated: subscriberUpdated,
  deleted: subscriberDeleted,
}

export const stateSubscriber = (verb: keyof typeof kinds, row: SubscriberRow): EventDraft =>
  emit(kinds[verb], row, {
    subscriber: {
      ...{ id: row.id, type: row.type, ...addresses(row), webhookSecret: row.webhookSecret },
      ...{ componentIds: row.componentIds, events: row.events, statusPageId: row.statusPageId },
      ...{ status: row.status, manageToken: row.manageToken },
    },
  })

/** What follows from a row that is gone: its version rises once more. */
export const stateDeleted = (row: SubscriberRow): EventDraft =>
  stateSubscriber('deleted', { ...row, version: row.version + 1 })

export const auditSubscriber = (
  verb: 'create' | 'update' | 'delete',
  before: SubscriberRow | null,
  after: SubscriberRow,
): AuditDraft => ({
  action: `subscriber.${verb}`,
  entityType: 'subscriber',
  entityId: after.id,
  entityName: maskedAddress(after),
  changes:
    verb === 'delete'
      ? {}
      : {
          status:
            before === null ? { to: after.status } : { from: before.status, to: after.status },
        },
})

/** `a***@example.com`, `+44***89`, `https://hooks.example.com/***`: enough to recognise one's own. */
export const maskedAddress = ({ type, address }: Pick<SubscriberRow, 'type' | 'address'>) => {
  if (type === 'webhook') return `${new URL(address).origin}/***`
  if (type === 'sms') return `${address.slice(0, 3)}***${address.slice(-2)}`
  return `${address.slice(0, 1)}***${address.slice(address.lastIndexOf('@'))}`
}
