/** Sends what is due: lease, look again, take the limits, send, record. A row says when it is finished. */
import {
  type DeliveryReason,
  emit,
  type IncidentFact,
  subscriberQuarantined,
  systemActor,
} from '@status-page/contracts'
import {
  change,
  crossDue,
  type Database,
  type DueWork,
  faultPoint,
  newId,
  type Scope,
} from '@status-page/postgres'
import type { Sealer } from '@status-page/secrets'
import { listComponents, organizationName } from '../audiences/store.ts'
import { webhookBody } from '../messages/webhook-body.ts'
import type { Message, Senders } from '../senders/sender.ts'
import type { DestinationType } from '../tables.ts'
import { cancelWaiting } from './fan-out.ts'
import { type Claimed, claimDue, expire, forgetFinished, forgetRateHits, reap } from './leases.ts'
import { type NotifyLimits, rateKeysOf, takeRate } from './rate.ts'
import { finalStates, type Settlement, settle, standingOf, type Verdict } from './rules.ts'
import {
  addAttempt,
  defer,
  endDestination,
  failedEvents,
  finishAttempt,
  keepBody,
  type Leased,
  readLeased,
  updateDestination,
} from './store.ts'
import { readTransport, SMTP, saveTransport } from './transports.ts'

const POLL_MS = 1_000
const UPKEEP_MS = 5_000
const RETENTION_MS = 600_000
const RETENTION_DAYS = 30
const MAX_IN_FLIGHT = 64
/** A limit frees up at an instant that many wait for: spread them. */
const DEFER_JITTER_MS = 500
const NO_TRANSPORT_RETRY_MS = 60_000

export interface DeliveryDeps {
  database: Database
  sealer: Sealer
  senders: Senders
  limits: NotifyLimits
  logger: {
    warn(details: object, message: string): void
    error(details: object, message: string): void
  }
}

export const deliveryWork = (deps: DeliveryDeps): DueWork[] => [
  { name: 'deliveries', intervalMs: POLL_MS, run: () => deliverDue(deps) },
  { name: 'delivery-upkeep', intervalMs: UPKEEP_MS, run: () => keepUp(deps) },
  {
    name: 'delivery-retention',
    intervalMs: RETENTION_MS,
    run: () => crossDue(deps.database, (crossing) => forgetFinished(crossing, RETENTION_DAYS)),
  },
]

const deliverDue = async (deps: DeliveryDeps): Promise<number> => {
  const owner = newId()
  const claimed = await crossDue(deps.database, (crossing) => claimDue(crossing, owner))
  const queues = [...Map.groupBy(claimed, (one) => one.destinationId).values()]
  const worker = async () => {
    for (let queue = queues.pop(); queue !== undefined; queue = queues.pop()) {
      for (const one of queue) await deliverSafely(deps, owner, one)
    }
  }
  await Promise.all(Array.from({ length: Math.min(MAX_IN_FLIGHT, queues.length) }, worker))
  return claimed.length
}

/** A delivery that cannot be worked keeps its lease, is reaped, and holds up nobody meanwhile. */
const deliverSafely = async (deps: DeliveryDeps, owner: string, claimed: Claimed) => {
  try {
    await deliver(deps, owner, claimed)
  } catch (error) {
    deps.logger.error({ err: error, deliveryId: claimed.id }, 'delivery failed, its lease will end')
  }
}

const deliver = async (deps: DeliveryDeps, owner: string, claimed: Claimed): Promise<void> => {
  const message = await inOrganization(deps, claimed, (scope) =>
    prepare(deps, scope, owner, claimed),
  )
  if (message === null) return
  const send = deps.senders[message.type]
  if (send === null) return
  const startedAt = new Date()
  const verdict = await send(message)
  const durationMs = Date.now() - startedAt.getTime()
  if (verdict.class === 'delivered') faultPoint('send.after_accept')
  await record(deps, owner, claimed, { verdict, startedAt, durationMs })
}

/** No delivery writes audit entries: what people did stands in the log of the service they asked. */
const inOrganization = <T>(
  { database }: DeliveryDeps,
  { organizationId }: { organizationId: string },
  work: (scope: Scope) => Promise<T>,
): Promise<T> =>
  change(database, { organizationId, actor: systemActor }, async (scope) => ({
    result: await work(scope),
    events: [],
    audit: [],
  }))

type Prepared = Message & { type: DestinationType }

/** The message, unless the delivery has ended or has to wait; then that is written. */
const prepare = async (
  deps: DeliveryDeps,
  scope: Scope,
  owner: string,
  { id }: Claimed,
): Promise<Prepared | null> => {
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
  { senders, limits }: DeliveryDeps,
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
  { sealer }: DeliveryDeps,
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

interface Attempted {
  verdict: Verdict
  startedAt: Date
  durationMs: number
}

/** Attempt, delivery, destination and the fact about it become true together. */
const record = (
  { database, logger }: DeliveryDeps,
  owner: string,
  { id, organizationId, attempts }: Claimed,
  attempted: Attempted,
): Promise<void> =>
  change(database, { organizationId, actor: systemActor }, async (scope) => {
    const nothing = { result: undefined, events: [], audit: [] }
    const leased = await readLeased(
      scope,
      id,
      attempted.verdict.class === 'delivered' ? null : owner,
    )
    if (leased === null) return nothing
    const settlement = await judge(scope, leased, attempted.verdict)
    const { outcome, statusCode } = settlement
    await addAttempt(scope, id, attempts, { ...attempted, outcome, statusCode, error: null })
    await finishAttempt(scope, id, owner, {
      state: settlement.state,
      reason: settlement.reason,
      finishedAt: settlement.state === 'pending' ? null : scope.now,
      ...(settlement.nextAttemptAt === null ? {} : { nextAttemptAt: settlement.nextAttemptAt }),
      ...(settlement.leavesLane ? { lane: `${leased.delivery.lane}:${id}` } : {}),
    })
    const ended = await settleDestination(scope, leased, settlement)
    if (ended === null) return nothing
    logger.warn({ subscriberId: ended.subscriberId, reason: settlement.ends }, 'destination ended')
    const fact = emit(
      subscriberQuarantined,
      { id: leased.destination.id, version: ended.version },
      {
        subscriberId: ended.subscriberId,
        reason: settlement.ends ?? 'endpoint_failing',
        at: scope.now.toISOString(),
      },
    )
    return { ...nothing, events: [fact] }
  })

const judge = async (
  scope: Scope,
  { delivery, destination }: Leased & object,
  verdict: Verdict,
): Promise<Settlement> => {
  const { failStreak: transportStreak } = await readTransport(scope, SMTP)
  const earlier = await failedEvents(scope, destination.id, destination.lastOkAt)
  return settle(
    verdict,
    {
      attempts: delivery.attempts,
      failStreak: destination.failStreak,
      firstFailAt: destination.firstFailAt,
      lastOkAt: destination.lastOkAt,
      failedEvents: earlier,
      transportStreak,
    },
    scope.now,
    Math.random(),
  )
}

const settleDestination = async (
  scope: Scope,
  { destination }: Leased & object,
  settlement: Settlement,
) => {
  const { now } = scope
  if (settlement.transportBlockedUntil !== undefined) {
    const { failStreak } = await readTransport(scope, SMTP)
    const blockedUntil = settlement.transportBlockedUntil
    await saveTransport(scope, SMTP, { blockedUntil, failStreak: failStreak + 1 })
  }
  if (settlement.outcome === 'delivered') {
    await updateDestination(scope, destination.id, {
      blockedUntil: null,
      failStreak: 0,
      firstFailAt: null,
      lastOkAt: now,
    })
    if (destination.type === 'email')
      await saveTransport(scope, SMTP, { blockedUntil: null, failStreak: 0 })
  } else if (settlement.blockedUntil !== undefined) {
    await updateDestination(scope, destination.id, {
      blockedUntil: settlement.blockedUntil,
      failStreak: destination.failStreak + 1,
      firstFailAt: destination.firstFailAt ?? now,
    })
  }
  if (settlement.ends === null) return null
  const ended = await endDestination(scope, destination.id, settlement.ends)
  if (ended !== null) await cancelWaiting(scope, destination.id, 'disabled')
  return ended
}

/** What a dead sender left, what is too old to tell, what the rate window no longer needs. */
const keepUp = async (deps: DeliveryDeps): Promise<number> => {
  const reaped = await crossDue(deps.database, reap)
  for (const one of reaped) {
    await inOrganization(deps, one, (scope) =>
      addAttempt(scope, one.id, one.attempts, {
        startedAt: scope.now,
        durationMs: 0,
        outcome: 'unknown',
        statusCode: null,
        error: null,
      }),
    )
  }
  const expired = await crossDue(deps.database, expire)
  await crossDue(deps.database, forgetRateHits)
  return reaped.length + expired
}
