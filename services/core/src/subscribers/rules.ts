/** Consent of subscribers: its start, its scope and its end. Pure; secrets arrive encrypted. */
import {
  type AuditDraft,
  auditChanges,
  type Cooperative,
  conflict,
  draftEvent,
  type EventDraft,
  MAX_EVENT_BYTES,
  type NewSubscriber,
  REDACTED,
  type SignUp,
  Subscriber,
  type SubscriberEvent,
  SubscriberEventData,
  subscriberCreated,
  subscriberDeleted,
  subscriberEvents,
  subscriberImported,
  subscriberUpdated,
  viewOf,
} from '@status-page/contracts'
import type { SubscriberRow } from '../tables.ts'

export type AddressInput = NewSubscriber | SignUp

/** Mail address, phone number or URL. */
export const addressOf = (body: AddressInput): string => {
  switch (body.type) {
    case 'email':
      return body.email
    case 'sms':
      return body.phone
    case 'webhook':
      return body.webhookUrl
  }
}

/** Values that the routes compute: hashes, and secrets encrypted for this subscriber. */
export interface ProtectedSubscriberValues {
  addressDigest: string
  webhookSecret: string | null
  manageToken: string
  manageTokenDigest: string
}

/**
 * New subscriber added by a user or key of the organization, which vouches for the consent: active
 * at once.
 */
export const addSubscriber = (
  input: {
    id: string
    organizationId: string
    body: NewSubscriber
    secrets: ProtectedSubscriberValues
  },
  now: Date,
): SubscriberRow => {
  const { id, organizationId, body, secrets } = input
  return {
    id,
    organizationId,
    version: 1,
    type: body.type,
    address: addressOf(body),
    ...secrets,
    ...preferences(body),
    incidentId: null,
    ...blank(now),
    status: 'active',
    source: 'api',
    consentedAt: now,
  }
}

/**
 * True when the owner of the address withdrew. The withdrawal holds for every page of the
 * organization until the owner confirms again: a row that the API creates after it waits as
 * unconfirmed, and a spam complaint is a withdrawal. The end of a subscription to one incident by
 * its link concerns that incident alone.
 */
export const isWithdrawn = ({ status, statusReason, source, incidentId }: SubscriberRow): boolean =>
  (status === 'unsubscribed' && (incidentId === null || statusReason !== 'link')) ||
  statusReason === 'complaint' ||
  (status === 'unconfirmed' && source === 'api')

/**
 * Subscriber whose owner withdrew from another page: active only after the owner's confirmation.
 */
export const requireConfirmation = (row: SubscriberRow): SubscriberRow => ({
  ...row,
  status: 'unconfirmed',
  consentedAt: null,
})

/**
 * New subscriber from a page's form: receives only the confirmation request until it is confirmed.
 */
export const signUpSubscriber = (
  input: {
    id: string
    organizationId: string
    statusPageId: string
    body: SignUp
    secrets: ProtectedSubscriberValues
  },
  now: Date,
): SubscriberRow => {
  const { id, organizationId, statusPageId, body, secrets } = input
  return {
    id,
    organizationId,
    version: 1,
    type: body.type,
    address: addressOf(body),
    ...secrets,
    ...preferences({ ...body, statusPageId }),
    incidentId: body.incidentId ?? null,
    events: signUpEvents(body),
    ...blank(now),
    status: 'unconfirmed',
    source: 'self_signup',
  }
}

const blank = (now: Date) => ({
  statusReason: null,
  consentedAt: null,
  consentAddress: null,
  confirmedAt: null,
  unsubscribedAt: null,
  reactivatedAt: null,
  lastNotifiedAt: null,
  previousWebhookSecret: null,
  previousWebhookSecretUntil: null,
  createdAt: now,
  updatedAt: now,
})

/** Subscriber added again after a withdrawal: receives nothing until the owner confirms. */
export const readdSubscriber = (
  row: SubscriberRow,
  body: NewSubscriber,
  webhookSecret: string | null,
  now: Date,
): SubscriberRow => {
  if (row.status !== 'unsubscribed') {
    throw conflict('duplicate', 'A subscriber with this address already exists')
  }
  return {
    ...row,
    ...preferences(body),
    ...blank(now),
    lastNotifiedAt: row.lastNotifiedAt,
    createdAt: row.createdAt,
    webhookSecret,
    version: row.version + 1,
    status: 'unconfirmed',
    source: 'api',
  }
}

/** Requested values, which take effect on confirmation. */
export interface SubscriberInput {
  componentIds: string[]
  events: SubscriberEvent[]
  /** Encrypted for the subscriber. */
  webhookSecret: string | null
  source: 'self_signup' | 'api'
}

/** Applies a confirmation by the owner of the address, whatever the previous status. */
export const confirmSubscriber = (
  row: SubscriberRow,
  { source, ...wish }: SubscriberInput,
  consent: { address: string | null; at: Date },
): SubscriberRow => ({
  ...row,
  ...wish,
  ...blank(consent.at),
  lastNotifiedAt: row.lastNotifiedAt,
  createdAt: row.createdAt,
  version: row.version + 1,
  status: 'active',
  source,
  consentedAt: consent.at,
  consentAddress: consent.address,
  confirmedAt: consent.at,
})

const preferences = (body: NewSubscriber) => ({
  componentIds: body.componentIds ?? [],
  events: selectedEvents(body.events ?? []),
  statusPageId: body.statusPageId ?? null,
})

/** Events of a sign-up; a subscription to one incident has all of incidents. */
export const signUpEvents = ({ incidentId, events = [] }: SignUp): SubscriberEvent[] =>
  incidentId === undefined
    ? selectedEvents(events)
    : subscriberEvents.filter((event) => event.startsWith('incident.'))

/** Selected events in the order of the contract; an empty list means all. */
export const selectedEvents = (events: readonly SubscriberEvent[]): SubscriberEvent[] =>
  events.length === 0
    ? [...subscriberEvents]
    : subscriberEvents.filter((event) => events.includes(event))

const addresses = ({ type, address }: SubscriberRow) => ({
  email: type === 'email' ? address : null,
  phone: type === 'sms' ? address : null,
  webhookUrl: type === 'webhook' ? address : null,
})

export const presentSubscriber = (row: SubscriberRow): Subscriber => {
  const hasWebhookSecret = row.webhookSecret !== null
  return viewOf(Subscriber, { ...row, ...addresses(row), hasWebhookSecret })
}

const kinds = {
  created: subscriberCreated,
  updated: subscriberUpdated,
  deleted: subscriberDeleted,
}

export const subscriberEvent = (verb: keyof typeof kinds, row: SubscriberRow): EventDraft =>
  draftEvent(kinds[verb], row, { subscriber: subscriberEventData(row) })

const MAX_BATCH = 200
/** Maximum size of the subscribers in an event, with room for the envelope. */
const MAX_BATCH_BYTES = MAX_EVENT_BYTES - 32 * 1024

/** Events of an import, each with as many subscribers as fit. */
export function* importEvents(
  rows: readonly SubscriberRow[],
  newId: () => string,
): Cooperative<EventDraft[]> {
  const batches: { subscriber: SubscriberEventData; version: number }[][] = []
  let bytes = Number.POSITIVE_INFINITY
  for (const row of rows) {
    yield
    const entry = { subscriber: subscriberEventData(row), version: row.version }
    const size = JSON.stringify(entry).length
    const last = batches.at(-1)
    if (last === undefined || last.length >= MAX_BATCH || bytes + size > MAX_BATCH_BYTES) {
      batches.push([entry])
      bytes = size
    } else {
      last.push(entry)
      bytes += size
    }
  }
  return batches.map((subscribers) =>
    draftEvent(subscriberImported, { id: newId(), version: 1 }, { subscribers }),
  )
}

export const subscriberEventData = (row: SubscriberRow): SubscriberEventData =>
  viewOf(SubscriberEventData, {
    ...row,
    ...addresses(row),
    previousWebhookSecret:
      row.previousWebhookSecret === null || row.previousWebhookSecretUntil === null
        ? null
        : {
            sealed: row.previousWebhookSecret,
            until: row.previousWebhookSecretUntil.toISOString(),
          },
  })

/** Event of a deleted subscriber, one version above the row. */
export const subscriberDeletedEvent = (row: SubscriberRow): EventDraft =>
  subscriberEvent('deleted', { ...row, version: row.version + 1 })

export const auditSubscriber = (
  verb: 'create' | 'update' | 'delete',
  before: SubscriberRow | null,
  after: SubscriberRow,
): AuditDraft => ({ ...auditRows(verb, before, after), entityName: maskedAddress(after) })

const auditRows = auditChanges(
  'subscriber',
  (row: SubscriberRow) => auditedOf(row),
  (before, after) => hiddenChanges(before, after),
)

const auditedOf = (row: SubscriberRow) => ({
  status: row.status,
  componentIds: row.componentIds,
  events: row.events,
  statusPageId: row.statusPageId,
  incidentId: row.incidentId,
})

/**
 * Audit changes outlive the subscriber: addresses are masked, and a secret is only marked as
 * changed.
 */
const hiddenChanges = (before: SubscriberRow | null, after: SubscriberRow) => {
  const shown = (row: SubscriberRow) => (row.webhookSecret === null ? null : REDACTED)
  return {
    ...(before === null || before.address === after.address
      ? {}
      : { address: { from: maskedAddress(before), to: maskedAddress(after) } }),
    ...((before?.webhookSecret ?? null) === after.webhookSecret
      ? {}
      : { webhookSecret: { from: before && shown(before), to: shown(after) } }),
  }
}

/**
 * Masked address: `a***@example.com`, `+44***89`, `https://hooks.example.com/***`, enough to
 * recognise one's own.
 */
export const maskedAddress = ({ type, address }: Pick<SubscriberRow, 'type' | 'address'>) => {
  if (type === 'webhook') return `${new URL(address).origin}/***`
  if (type === 'sms') return `${address.slice(0, 3)}***${address.slice(-2)}`
  return `${address.slice(0, 1)}***${address.slice(address.lastIndexOf('@'))}`
}
