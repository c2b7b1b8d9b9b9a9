/** The last look before sending, for a batch: may each still go, has it to wait, what exactly goes. */
import { systemActor } from '@status-page/contracts'
import { asWorkerRaw, type Database, type Scope, transact } from '@status-page/postgres'
import { openChannel } from '../notification-channels/secrets.ts'
import type { OpenChannel, Senders } from '../senders/sender.ts'
import { charge, type RateCharge } from './charge.ts'
import { gatheredKinds, release, takeOver } from './digest.ts'
import { eventsBehind, isMutedOn, keyOf, type LeasedEvent, lastWords } from './events.ts'
import type { ClaimedDelivery } from './leases.ts'
import { type LoadedDelivery, loadForSend } from './load-for-send.ts'
import { isKept, type MessageDeps, messageOf, type PreparedMessage } from './message.ts'
import type { Meter } from './metrics.ts'
import {
  type EndedDelivery,
  endAll,
  type FullDestination,
  keepBodies,
  type PutOff,
  putOffAll,
  putOffRest,
} from './outcomes.ts'
import { settleEach } from './outlasting.ts'
import { isQuestion } from './questions.ts'
import { isLimited, limitsOf, type NotifyLimits, rateKeysOf } from './rate.ts'
import type { Pace } from './rate-limit-memory.ts'
import { finalStates, standingOf } from './rules.ts'
import { failTransport } from './transports.ts'

const NO_TRANSPORT_RETRY_MS = 60_000
const UNKNOWN_STANDING_MS = 5_000
/** For a host where nothing gets through. */
export const STUCK_MS = 5_000

export interface PrepareDeps extends MessageDeps {
  database: Database
  senders: Senders
  limits: NotifyLimits
  /** Of every limit that an organization sets for itself. */
  multiplier: number
  pace: Pace
  meter: Meter
  /** Takes what is known about subscribers elsewhere; those of whom nobody knows while that fails. */
  unknownAmong(subscriberIds: readonly string[]): Promise<Set<string>>
  logger: { error(details: object, message: string): void }
}

/** A delivery that goes as soon as its host has room. */
export interface Ready {
  claimed: ClaimedDelivery
  leased: LoadedDelivery
  message: PreparedMessage
  /** Host, mail server or account that it goes to. */
  host: string
  /** What it took of the limits; null where it stands outside of them. */
  charge: RateCharge | null
}

export interface Batch {
  owner: string
  claimed: readonly ClaimedDelivery[]
  isStuck(host: string): boolean
}

/** Those that may go now. What becomes of the others is written; one that fails keeps its lease. */
export const prepareAll = async (deps: PrepareDeps, batch: Batch): Promise<Ready[]> => {
  const { owner, claimed } = batch
  const unknown = await deps.unknownAmong(subscribersOf(claimed))
  const { now, leased } = await loadForSend(
    deps.database,
    owner,
    claimed.map(({ id }) => id),
  )
  const fates: Fates = { ended: [], putOff: [], rest: [] }
  const standing = leased.filter((one) => {
    const { subscriberId } = one.destination
    if (subscriberId === null || !unknown.has(subscriberId)) return stands(one, now, fates)
    return wait(fates, one, 'retry', UNKNOWN_STANDING_MS)
  })
  await releaseCovered(deps, leased, fates.ended)
  const candidates = await candidatesOf(deps, batch, standing, fates)
  const ready = await readyOf(deps, candidates, now)
  const free = ready.filter(
    ({ host, leased }) => !batch.isStuck(host) || wait(fates, leased, 'endpoint_blocked', STUCK_MS),
  )
  const going = await paid(deps, free, fates)
  await settle(deps, owner, fates)
  return going
}

interface Fates {
  ended: EndedDelivery[]
  putOff: PutOff[]
  rest: FullDestination[]
}

/** False, because it does not go now. */
const wait = (
  { putOff }: Fates,
  { delivery }: Pick<LoadedDelivery, 'delivery'>,
  reason: PutOff['reason'],
  waitMs: number,
  since?: string,
): false => {
  putOff.push({ id: delivery.id, reason, waitMs, ...(since === undefined ? {} : { since }) })
  return false
}

const subscribersOf = (claimed: readonly ClaimedDelivery[]): string[] => [
  ...new Set(claimed.flatMap(({ subscriberId }) => subscriberId ?? [])),
]

const stands = (leased: LoadedDelivery, now: Date, { ended }: Fates): boolean => {
  const { event, delivery, destination } = leased
  const facts = {
    ...leased,
    isNewsDeleted: event.isNewsDeleted,
    isMuted: isMutedOn(event, destination.statusPageId),
    isQuestion: isQuestion(event),
  }
  const standing = standingOf(facts, now)
  if (standing === 'send') return true
  ended.push({ id: delivery.id, state: finalStates[standing], reason: standing })
  return false
}

/** What a delivery stood for beside its own news may go by itself. */
const releaseCovered = async (
  deps: PrepareDeps,
  leased: readonly LoadedDelivery[],
  ended: readonly EndedDelivery[],
): Promise<void> => {
  const reasons = new Map(ended.map(({ id, reason }) => [id, reason]))
  for (const { delivery } of leased) {
    const reason = reasons.get(delivery.id)
    if (delivery.covers.length === 0 || (reason !== 'muted' && reason !== 'deleted')) continue
    await inOrganization(deps, delivery, (scope) => release(scope, [delivery.id]))
  }
}

interface Candidate {
  claimed: ClaimedDelivery
  leased: LoadedDelivery
  channel: OpenChannel | null
}

/** Those with a way out, each with the events that it stands for. */
const candidatesOf = async (
  deps: PrepareDeps,
  { claimed }: Batch,
  standing: readonly LoadedDelivery[],
  fates: Fates,
): Promise<Candidate[]> => {
  const claims = new Map(claimed.map((one) => [one.id, one]))
  const blocked = new Set<string>()
  return settleEach(deps.logger, standing, async (leased) => {
    const claim = claims.get(leased.delivery.id) as ClaimedDelivery
    const channel = leased.channel === null ? null : openChannel(deps.sealer, leased.channel)
    if (deps.senders[leased.destination.type].hasTransport(channel)) {
      const covers = await coveredBy(deps, leased)
      const own = { ...leased, delivery: { ...leased.delivery, covers } }
      return { claimed: claim, leased: own, channel }
    }
    wait(fates, leased, 'no_transport', NO_TRANSPORT_RETRY_MS)
    const { transport } = claim
    if (transport === null || blocked.has(transport.name)) return null
    blocked.add(transport.name)
    await blockWay(deps, leased, transport)
    return null
  })
}

/** Everything that goes the same way waits together, and one delivery a minute asks for all. */
const blockWay = (
  deps: PrepareDeps,
  { delivery }: LoadedDelivery,
  transport: NonNullable<ClaimedDelivery['transport']>,
): Promise<unknown> =>
  inOrganization(deps, delivery, (scope) => {
    const blockedUntil = new Date(scope.now.getTime() + NO_TRANSPORT_RETRY_MS)
    return failTransport(scope, transport, { blockedUntil, reason: 'no_transport' })
  })

const coveredBy = async (deps: PrepareDeps, leased: LoadedDelivery): Promise<readonly string[]> => {
  const { delivery } = leased
  const kinds = gatheredKinds(leased, ownLimits(deps, leased), deps.pace.waiting())
  if (kinds === null) return delivery.covers
  const taken = await inOrganization(deps, delivery, (scope) => takeOver(scope, delivery, kinds))
  return taken ?? delivery.covers
}

const ownLimits = ({ limits, multiplier }: PrepareDeps, leased: LoadedDelivery): NotifyLimits =>
  limitsOf(limits, leased.limits, multiplier)

const readyOf = async (
  deps: PrepareDeps,
  candidates: readonly Candidate[],
  now: Date,
): Promise<Ready[]> => {
  const covered = await eventsCovered(deps, candidates)
  const ready = await settleEach(deps.logger, candidates, async ({ claimed, leased, channel }) => {
    const { statusPageId } = leased.destination
    const latest = lastWords([leased.event, ...covered(leased)], statusPageId)
    const told = latest.length === 0 ? [leased.event] : latest
    const message = messageOf(deps, { leased, latest: told, channel, now })
    return { claimed, leased, message, host: hostOf(claimed, message), charge: null }
  })
  // By a channel's template, which may be another one at the next attempt; what else programs get is
  // made of the event alone, and kept when an attempt has failed.
  const fresh = ready.filter(({ leased, message }) => isMadeOfSettings(leased, message))
  if (fresh.length > 0) {
    const bodies = fresh.map(({ message: { deliveryId: id, body } }) => ({
      id,
      body: body as Buffer,
    }))
    await asWorkerRaw(deps.database, (systemScope) => keepBodies(systemScope, bodies))
  }
  return ready
}

const isMadeOfSettings = (leased: LoadedDelivery, { channel, body }: PreparedMessage): boolean =>
  isKept(leased) && channel !== null && body !== null && leased.delivery.body === null

const eventsCovered = async ({ database }: PrepareDeps, candidates: readonly Candidate[]) => {
  const wanted = candidates.flatMap(({ leased: { delivery } }) =>
    delivery.covers.map((eventId) => ({ organizationId: delivery.organizationId, eventId })),
  )
  const events =
    wanted.length === 0
      ? new Map<string, LeasedEvent>()
      : await asWorkerRaw(database, ({ sql }) => eventsBehind(sql, wanted))
  return ({ delivery: { organizationId, covers } }: LoadedDelivery) =>
    covers.flatMap((id) => events.get(keyOf(organizationId, id)) ?? [])
}

/** Mail and text messages share a server or an account; programs and chats are asked at their host. */
const hostOf = ({ transport }: ClaimedDelivery, { channel, address }: PreparedMessage): string => {
  if (transport !== null) return transport.name
  const url = channel !== null && 'url' in channel.config ? channel.config.url : address
  return URL.canParse(url) ? new URL(url).host : url
}

/** Those that the limits let go now. Last, so that nothing that is taken has to be given back here. */
const paid = async (deps: PrepareDeps, ready: readonly Ready[], fates: Fates): Promise<Ready[]> => {
  const limited = ready.filter(({ leased }) => isLimited(leased))
  if (limited.length === 0) return [...ready]
  const wishes = limited.map(({ leased }) => ({
    keys: rateKeysOf(leased.destination, ownLimits(deps, leased)),
  }))
  const { at, refusals } = await asWorkerRaw(deps.database, (systemScope) =>
    charge(systemScope, wishes),
  )
  const refused = new Set<Ready>()
  for (const [index, one] of limited.entries()) {
    const refusal = refusals[index]
    if (refusal === null || refusal === undefined) {
      one.charge = { at, keys: wishes[index]?.keys ?? [] }
      continue
    }
    refused.add(one)
    deps.pace.refused(refusal)
    wait(fates, one.leased, 'rate_limit', refusal.waitMs, at)
    const own = wishes[index]?.keys[0]
    if (own?.key !== refusal.key) continue
    fates.rest.push({ id: one.leased.destination.id, perMinute: own.max, refusal, since: at })
  }
  return ready.filter((one) => !refused.has(one))
}

const settle = async ({ database, meter }: PrepareDeps, owner: string, fates: Fates) => {
  const { ended, putOff, rest } = fates
  if (ended.length + putOff.length === 0) return
  for (const { reason } of putOff) meter.deferred(reason)
  await asWorkerRaw(database, async (systemScope) => {
    if (ended.length > 0) await endAll(systemScope, owner, ended)
    if (putOff.length > 0) await putOffAll(systemScope, owner, putOff)
    if (rest.length > 0) await putOffRest(systemScope, rest)
  })
}

/** No delivery writes audit entries: what people did stands in the log of the service they asked. */
export const inOrganization = <T>(
  { database }: Pick<PrepareDeps, 'database'>,
  { organizationId }: { organizationId: string },
  work: (scope: Scope) => Promise<T>,
): Promise<T> =>
  transact(database, { organizationId, actor: systemActor }, async (scope) => ({
    result: await work(scope),
    events: [],
    audit: [],
  }))
