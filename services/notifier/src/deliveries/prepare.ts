/** The last look before sending: may it still go, has it to wait, what exactly goes. */
import type { DeliveryReason, IncidentFact } from '@status-page/contracts'
import type { Scope } from '@status-page/postgres'
import type { Sealer } from '@status-page/secrets'
import { listComponents, organizationName } from '../audiences/store.ts'
import { webhookBody } from '../messages/webhook-body.ts'
import type { Message, Senders } from '../senders/sender.ts'
import type { DestinationType } from '../tables.ts'
import { type NotifyLimits, rateKeysOf, takeRate } from './rate.ts'
import { finalStates, standingOf } from './rules.ts'
import { defer, finishAttempt, keepBody, type Leased, readLeased, renewLease } from './store.ts'
import { readTransport, SMTP } from './transports.ts'

/** A limit frees up at an instant that many wait for: spread them. */
const DEFER_JITTER_MS = 500
const NO_TRANSPORT_RETRY_MS = 60_000

export interface PrepareDeps {
  sealer: Sealer
  senders: Senders
  limits: NotifyLimits
}

export type Prepared = Message & { type: DestinationType }

/** The message, unless the delivery has ended or has to wait; then that is written. */
export const prepare = async (
  deps: PrepareDeps,
  scope: Scope,
  owner: string,
  id: string,
): Promise<Prepared | null> => {
  if (!(await renewLease(scope, id, owner))) return null
  const leased = await readLeased(scope, id, owner)
  if (leased === null) return null
  const { incident } = leased.event.payload as { incident: IncidentFact }
  const copies = await listComponents(
    scope,
    incident.components.map((one) => one.id),
  )
  const standing = standingOf(leased.destination, copies, leased.delivery, scope.now)
  if (standing !== 'send') {
    await finishAttempt(scope, id, owner, {
      state: finalStates[standing],
      reason: standing,
      finishedAt: scope.now,
    })
    return null
  }
  const wait = await waitOf(deps, scope, leased)
  if (wait !== null) {
    await defer(scope, id, owner, wait.reason, wait.until)
    return null
  }
  return await messageOf(deps, scope, leased, incident)
}

const waitOf = async (
  { senders, limits }: PrepareDeps,
  scope: Scope,
  { destination }: Leased & object,
): Promise<{ reason: DeliveryReason; until: Date } | null> => {
  const later = (ms: number) => new Date(scope.now.getTime() + ms)
  if (senders[destination.type] === null) {
    return { reason: 'no_transport', until: later(NO_TRANSPORT_RETRY_MS) }
  }
  if (destination.type === 'email') {
    const { blockedUntil } = await readTransport(scope, SMTP)
    if (blockedUntil !== null && blockedUntil > scope.now) {
      return { reason: 'channel_blocked', until: blockedUntil }
    }
  }
  const freeAt = await takeRate(scope, rateKeysOf(destination, limits))
  return freeAt === null
    ? null
    : {
        reason: 'rate_limit',
        until: new Date(freeAt.getTime() + Math.random() * DEFER_JITTER_MS),
      }
}

const messageOf = async (
  { sealer }: PrepareDeps,
  scope: Scope,
  { delivery, destination, event }: Leased & object,
  incident: IncidentFact,
): Promise<Prepared> => {
  const told = { kind: event.kind, occurredAt: event.occurredAt, incident }
  const open = (sealed: string | null, purpose: 'webhook' | 'mail-token') =>
    sealed === null
      ? null
      : sealer.open(sealed, {
          organizationId: scope.organizationId,
          purpose,
          recordId: destination.subscriberId,
        })
  const isWebhook = destination.type === 'webhook'
  const body = isWebhook ? (delivery.body ?? webhookBody(told)) : null
  if (body !== null && delivery.body === null) await keepBody(scope, delivery.id, body)
  return {
    type: destination.type,
    deliveryId: delivery.id,
    eventId: event.eventId,
    sequence: event.aggregateVersion,
    attempt: delivery.attempts,
    told,
    address: destination.address,
    body,
    secret: open(destination.webhookSecret, 'webhook'),
    organizationName: (await organizationName(scope)) ?? 'Status',
    manageToken: open(destination.manageToken, 'mail-token'),
    coveredUpdates: delivery.covers.length,
  }
}
