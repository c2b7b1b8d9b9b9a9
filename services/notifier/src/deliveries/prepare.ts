/** The last look before sending: may it still go, has it to wait, what exactly goes. */
import type { IncidentFact } from '@status-page/contracts'
import type { Scope } from '@status-page/postgres'
import type { Sealer } from '@status-page/secrets'
import { listComponents, organizationName } from '../audiences/store.ts'
import { webhookBody } from '../messages/webhook-body.ts'
import type { Message, Senders } from '../senders/sender.ts'
import type { DestinationType } from '../tables.ts'
import { type NotifyLimits, rateKeysOf, takeRate } from './rate.ts'
import { finalStates, standingOf } from './rules.ts'
import {
  finishAttempt,
  keepBody,
  type Leased,
  type PutOff,
  putOff,
  readLeased,
  renewLease,
} from './store.ts'

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
  const isMuted = await areAllMuted(scope, incident)
  const standing = standingOf({ ...leased, isMuted }, scope.now)
  if (standing !== 'send') {
    await finishAttempt(scope, id, owner, {
      state: finalStates[standing],
      reason: standing,
      finishedAt: scope.now,
    })
    return null
  }
  const wait = await waitOf(deps, scope, leased)
  if (wait !== null) return putOff(scope, { id, owner, ...wait })
  return messageOf(deps, scope, leased, incident)
}

/** By our copies; a component whose copy has not arrived is as the event said. */
const areAllMuted = async (scope: Scope, { components }: IncidentFact): Promise<boolean> => {
  const copies = await listComponents(
    scope,
    components.map(({ id }) => id),
  )
  const copied = new Map(copies.map(({ id, isMuted }) => [id, isMuted]))
  return components.length > 0 && components.every((one) => copied.get(one.id) ?? one.isMuted)
}

const waitOf = async (
  { senders, limits }: PrepareDeps,
  scope: Scope,
  { destination }: Leased & object,
): Promise<Pick<PutOff, 'reason' | 'waitMs'> | null> => {
  if (senders[destination.type] === null) {
    return { reason: 'no_transport', waitMs: NO_TRANSPORT_RETRY_MS }
  }
  const waitMs = await takeRate(scope, rateKeysOf(destination, limits))
  return waitMs === null
    ? null
    : { reason: 'rate_limit', waitMs: waitMs + Math.random() * DEFER_JITTER_MS }
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
