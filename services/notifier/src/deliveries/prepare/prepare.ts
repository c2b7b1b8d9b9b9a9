/**
 * Decides for a claimed batch which deliveries are sent now, which are deferred or finished, and
 * renders the messages.
 */
import { asWorkerRaw, type Database, write } from '@status-page/postgres'
import { SealError } from '@status-page/secrets'
import type { DecryptedChannel, Senders } from '../../channels/channel.ts'
import { decryptChannel } from '../../channels/secrets.ts'
import { failTransport } from '../../channels/shared-transports.ts'
import { isConfirmation } from '../../messages/confirmation.ts'
import type { ClaimedDelivery } from '../claim/leases.ts'
import { requeueAbsorbed } from '../fan-out/supersede.ts'
import { chargeRateLimits, type RateCharge } from '../limits/charge.ts'
import {
  type DeliveryDeferral,
  deferDeliveries,
  deferPendingToDestinations,
  type RateLimitedDestination,
} from '../limits/deferrals.ts'
import {
  effectiveLimits,
  isSubjectToLimits,
  type NotifyLimits,
  rateKeysOf,
} from '../limits/rate.ts'
import type { RateLimitMemory } from '../limits/rate-limit-memory.ts'
import { loadCoveredEvents } from './covered-events.ts'
import { absorbIntoDigest, digestibleKindsPattern } from './digest.ts'
import { type EndedDelivery, finishDeliveries, saveMessageBodies } from './ended.ts'
import { isMutedOn, latestEventPerSubject } from './events.ts'
import { type LoadedDelivery, loadForSend } from './load-for-send.ts'
import {
  hasStableBody,
  type MessageDeps,
  type MessageInput,
  type PreparedMessage,
  prepareMessage,
} from './message.ts'
import { settleBatch } from './retry.ts'
import { decideSend, finalStateByDecision } from './send-decision.ts'

const NO_TRANSPORT_RETRY_MS = 60_000
const UNKNOWN_SUBSCRIBER_RETRY_MS = 5_000
/** Delay of deliveries to a saturated host. */
export const SATURATED_RETRY_MS = 5_000

export interface PrepareDeps extends MessageDeps {
  database: Database
  senders: Senders
  limits: NotifyLimits
  /** Factor applied to every limit that an organization sets. */
  multiplier: number
  rateLimitMemory: RateLimitMemory
  meter: { deferred(reason: string): void }
  /**
   * Applies pending subscriber events and returns the subscribers that remain unknown while that
   * fails.
   */
  catchUpAggregates(subscriberIds: readonly string[]): Promise<Set<string>>
  logger: { error(details: object, message: string): void }
}

/** Delivery to be sent as soon as its host has a free slot. */
export interface ReadyDelivery {
  claimed: ClaimedDelivery
  leased: LoadedDelivery
  message: PreparedMessage
  /** Host, mail server or account that receives the message. */
  host: string
  /** Charge against the limits; null for exempt deliveries. */
  charge: RateCharge | null
}

export interface ClaimedBatch {
  owner: string
  claimed: readonly ClaimedDelivery[]
  isSaturated(host: string): boolean
}

/**
 * Returns the deliveries to send now. Decisions about the others are saved; one that fails keeps
 * its lease.
 */
export const prepareDeliveries = async (
  deps: PrepareDeps,
  batch: ClaimedBatch,
): Promise<ReadyDelivery[]> => {
  const { owner, claimed } = batch
  const unknown = await deps.catchUpAggregates(subscribersOf(claimed))
  const { now, leased } = await loadForSend(deps.database, owner, claimed)
  const decisions: BatchDecisions = { ended: [], deferred: [], rest: [] }
  const active = leased.filter((one) => {
    const { subscriberId } = one.destination
    if (subscriberId === null || !unknown.has(subscriberId))
      return checkSendable(one, now, decisions)
    return defer(decisions, one, 'retry', UNKNOWN_SUBSCRIBER_RETRY_MS)
  })
  await requeueCoveredOf(deps, leased, decisions.ended)
  const candidates = await candidatesOf(deps, batch, active, decisions)
  const ready = await readyOf(deps, candidates, now, decisions)
  const free = ready.filter(
    ({ host, leased }) =>
      !batch.isSaturated(host) || defer(decisions, leased, 'endpoint_blocked', SATURATED_RETRY_MS),
  )
  const sendable = await admitted(deps, free, decisions)
  await saveDecisions(deps, owner, decisions)
  return sendable
}

interface BatchDecisions {
  ended: EndedDelivery[]
  deferred: DeliveryDeferral[]
  rest: RateLimitedDestination[]
}

/** Records a deferral; returns false for use as a filter. */
const defer = (
  { deferred }: BatchDecisions,
  { delivery }: Pick<LoadedDelivery, 'delivery'>,
  reason: DeliveryDeferral['reason'],
  waitMs: number,
  since?: string,
): false => {
  deferred.push({ id: delivery.id, reason, waitMs, ...(since === undefined ? {} : { since }) })
  return false
}

const subscribersOf = (claimed: readonly ClaimedDelivery[]): string[] => [
  ...new Set(claimed.flatMap(({ subscriberId }) => subscriberId ?? [])),
]

const checkSendable = (leased: LoadedDelivery, now: Date, { ended }: BatchDecisions): boolean => {
  const { event, delivery, destination } = leased
  const conditions = {
    ...leased,
    isSubjectDeleted: event.isSubjectDeleted,
    isMuted: isMutedOn(event, destination.statusPageId),
    isConfirmation: isConfirmation(event),
  }
  const decision = decideSend(conditions, now)
  if (decision === 'send') return true
  ended.push({ id: delivery.id, state: finalStateByDecision[decision], reason: decision })
  return false
}

/** Requeues the events that a finished digest covered besides its own. */
const requeueCoveredOf = async (
  deps: PrepareDeps,
  leased: readonly LoadedDelivery[],
  ended: readonly EndedDelivery[],
): Promise<void> => {
  const reasons = new Map(ended.map(({ id, reason }) => [id, reason]))
  for (const { delivery } of leased) {
    const reason = reasons.get(delivery.id)
    if (delivery.coveredEventIds.length === 0 || (reason !== 'muted' && reason !== 'deleted'))
      continue
    await write(deps.database, delivery, (scope) => requeueAbsorbed(scope, [delivery.id]))
  }
}

interface Candidate {
  claimed: ClaimedDelivery
  leased: LoadedDelivery
  channel: DecryptedChannel | null
}

/** Deliveries whose transport is available, with the events that each covers. */
const candidatesOf = async (
  deps: PrepareDeps,
  { claimed }: ClaimedBatch,
  active: readonly LoadedDelivery[],
  decisions: BatchDecisions,
): Promise<Candidate[]> => {
  const claims = new Map(claimed.map((one) => [one.id, one]))
  const blocked = new Set<string>()
  return settleBatch(deps.logger, active, async (leased) => {
    const claim = claims.get(leased.delivery.id) as ClaimedDelivery
    const channel = leased.channel === null ? null : decryptChannel(deps.sealer, leased.channel)
    if (deps.senders[leased.destination.type].hasTransport(channel)) {
      const coveredEventIds = await loadCoveredIds(deps, leased)
      const own = { ...leased, delivery: { ...leased.delivery, coveredEventIds } }
      return { claimed: claim, leased: own, channel }
    }
    defer(decisions, leased, 'no_transport', NO_TRANSPORT_RETRY_MS)
    const { transport } = claim
    if (transport === null || blocked.has(transport.name)) return null
    blocked.add(transport.name)
    await blockTransport(deps, leased, transport)
    return null
  })
}

/** Blocks the transport for all its deliveries; one delivery a minute probes it. */
const blockTransport = (
  deps: PrepareDeps,
  { delivery }: LoadedDelivery,
  transport: NonNullable<ClaimedDelivery['transport']>,
): Promise<unknown> =>
  write(deps.database, delivery, (scope) => {
    const blockedUntil = new Date(scope.now.getTime() + NO_TRANSPORT_RETRY_MS)
    return failTransport(scope, transport, { blockedUntil, reason: 'no_transport' })
  })

const loadCoveredIds = async (
  deps: PrepareDeps,
  leased: LoadedDelivery,
): Promise<readonly string[]> => {
  const { delivery } = leased
  const kinds = digestibleKindsPattern(
    leased,
    ownLimits(deps, leased),
    deps.rateLimitMemory.waiting(),
  )
  if (kinds === null) return delivery.coveredEventIds
  const absorbed = await write(deps.database, delivery, (scope) =>
    absorbIntoDigest(scope, delivery, kinds),
  )
  return absorbed ?? delivery.coveredEventIds
}

const ownLimits = ({ limits, multiplier }: PrepareDeps, leased: LoadedDelivery): NotifyLimits =>
  effectiveLimits(limits, leased.limits, multiplier)

const readyOf = async (
  deps: PrepareDeps,
  candidates: readonly Candidate[],
  now: Date,
  decisions: BatchDecisions,
): Promise<ReadyDelivery[]> => {
  const covered = await loadCoveredEvents(
    deps.database,
    candidates.map(({ leased }) => leased),
  )
  const ready = await settleBatch(deps.logger, candidates, async ({ claimed, leased, channel }) => {
    const { destination, event } = leased
    const { loaded, omitted } = covered(leased)
    const latest = latestEventPerSubject([event, ...loaded], destination.statusPageId)
    const included = latest.length === 0 ? [event] : latest
    const input = { leased, latest: included, omitted, channel, now }
    const message = messageOrEnd(deps, input, decisions)
    if (message === null) return null
    return { claimed, leased, message, host: hostOf(claimed, message), charge: null }
  })
  // A channel's template may differ at the next attempt, so its rendering is saved now. Other
  // webhook bodies depend on the event alone and are saved after a failed attempt.
  const unsaved = ready.filter(({ leased, message }) => isMadeOfSettings(leased, message))
  if (unsaved.length > 0) {
    const bodies = unsaved.map(({ message: { deliveryId: id, body } }) => ({
      id,
      body: body as Buffer,
    }))
    await asWorkerRaw(deps.database, (systemScope) => saveMessageBodies(systemScope, bodies))
  }
  return ready
}

/**
 * Ends a delivery whose message cannot be rendered: the next attempt would fail alike. A value that
 * cannot be decrypted is retried, because the operator can restore its key.
 */
const messageOrEnd = (
  deps: PrepareDeps,
  input: MessageInput,
  { ended }: BatchDecisions,
): PreparedMessage | null => {
  try {
    return prepareMessage(deps, input)
  } catch (error) {
    if (error instanceof SealError) throw error
    const { id } = input.leased.delivery
    deps.logger.error({ err: error, deliveryId: id }, 'failed to render a message, delivery ended')
    ended.push({ id, state: 'exhausted', reason: 'attempts' })
    return null
  }
}

const isMadeOfSettings = (leased: LoadedDelivery, { channel, body }: PreparedMessage): boolean =>
  hasStableBody(leased) && channel !== null && body !== null && leased.delivery.body === null

/** Returns the shared transport of mail and text messages, or the host of webhooks and chats. */
const hostOf = ({ transport }: ClaimedDelivery, { channel, address }: PreparedMessage): string => {
  if (transport !== null) return transport.name
  const url = channel !== null && 'url' in channel.config ? channel.config.url : address
  return URL.parse(url)?.host ?? url
}

/**
 * Returns the deliveries that the rate limits admit. Charged last, so that nothing has to be
 * refunded here.
 */
const admitted = async (
  deps: PrepareDeps,
  ready: readonly ReadyDelivery[],
  decisions: BatchDecisions,
): Promise<ReadyDelivery[]> => {
  const limited = ready.filter(({ leased }) => isSubjectToLimits(leased))
  if (limited.length === 0) return [...ready]
  const requests = limited.map(({ leased }) => ({
    keys: rateKeysOf(leased.destination, ownLimits(deps, leased)),
  }))
  const { at, refusals } = await asWorkerRaw(deps.database, (systemScope) =>
    chargeRateLimits(systemScope, requests),
  )
  const refused = new Set<ReadyDelivery>()
  for (const [index, one] of limited.entries()) {
    const refusal = refusals[index]
    if (refusal === null || refusal === undefined) {
      one.charge = { at, keys: requests[index]?.keys ?? [] }
      continue
    }
    refused.add(one)
    deps.rateLimitMemory.refused(refusal)
    defer(decisions, one.leased, 'rate_limit', refusal.waitMs, at)
    const own = requests[index]?.keys[0]
    if (own?.key !== refusal.key) continue
    decisions.rest.push({ id: one.leased.destination.id, perMinute: own.max, refusal, since: at })
  }
  return ready.filter((one) => !refused.has(one))
}

const saveDecisions = async (
  { database, meter }: PrepareDeps,
  owner: string,
  decisions: BatchDecisions,
) => {
  const { ended, deferred, rest } = decisions
  if (ended.length + deferred.length === 0) return
  for (const { reason } of deferred) meter.deferred(reason)
  await asWorkerRaw(database, async (systemScope) => {
    if (ended.length > 0) await finishDeliveries(systemScope, owner, ended)
    if (deferred.length > 0) await deferDeliveries(systemScope, owner, deferred)
    if (rest.length > 0) await deferPendingToDestinations(systemScope, rest)
  })
}
