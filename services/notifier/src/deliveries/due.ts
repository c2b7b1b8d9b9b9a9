/** Sends what is due: lease, look again, take the limits, send, record. A row says when it is finished. */
import { setTimeout as pause } from 'node:timers/promises'
import { AppError, systemActor } from '@status-page/contracts'
import {
  change,
  crossDue,
  type DueWork,
  faultPoint,
  newId,
  type Scope,
} from '@status-page/postgres'
import type { DestinationType } from '../tables.ts'
import {
  type Claimed,
  claimDue,
  expire,
  forgetEvents,
  forgetFinished,
  forgetReports,
  NIL,
  reap,
} from './leases.ts'
import { createPace } from './pace.ts'
import { type PrepareDeps, prepare } from './prepare.ts'
import { forgetRateHits } from './rate.ts'
import { type RecordDeps, record } from './record.ts'
import { putOff } from './store.ts'
import { endProbe } from './transports.ts'

const POLL_MS = 1_000
const REFILL_MS = 20
/** Where all that comes first is blocked, the rest is looked at this often. */
const THOROUGH_MS = 10_000
const UPKEEP_MS = 5_000
const RETENTION_MS = 600_000
const RETENTION_DAYS = 30
const RETRY_WITHOUT_POSTGRES_MS = 500
const UNKNOWN_STANDING_MS = 5_000

interface Way {
  name: string
  types: readonly DestinationType[]
  /** Deliveries on their way at once. */
  slots: number
}

/** Ways of their own, so that a mail server that hangs holds up no webhook. */
const ways: readonly Way[] = [
  { name: 'webhook', types: ['webhook'], slots: 64 },
  { name: 'chat', types: ['slack', 'discord', 'teams'], slots: 16 },
  // Twice a mailer's connections: more would only stand in its queue while their limits run.
  { name: 'email', types: ['email'], slots: 10 },
  { name: 'sms', types: ['sms'], slots: 10 },
]

const nameOf = ({ name }: Way) => `deliveries-${name}`

/** Names of the work that new deliveries are for. */
export const deliveryWorkNames: readonly string[] = ways.map(nameOf)

export interface DeliveryDeps extends PrepareDeps, RecordDeps {
  /** Takes what is known about a subscriber elsewhere; false while that fails. */
  isUpToDate(subscriberId: string): Promise<boolean>
  logger: RecordDeps['logger'] & { error(details: object, message: string): void }
}

export const deliveryWork = (given: Omit<DeliveryDeps, 'pace'>): DueWork[] => {
  const deps = { ...given, pace: createPace() }
  return [
    ...ways.map((way) => sending(deps, way)),
    { name: 'delivery-upkeep', intervalMs: UPKEEP_MS, run: () => keepUp(deps) },
    { name: 'delivery-retention', intervalMs: RETENTION_MS, run: () => forget(deps) },
  ]
}

/** A run lasts until nothing is on its way; a slot that becomes free is filled at once. */
const sending = (deps: DeliveryDeps, way: Way): DueWork => {
  const owner = newId()
  const claim = claiming(deps, way, owner)
  let wake = () => {}
  return {
    name: nameOf(way),
    intervalMs: POLL_MS,
    wake: () => wake(),
    async run(signal) {
      const onTheWay = new Set<Promise<void>>()
      let sent = 0
      const start = (claimed: Claimed) => {
        const ended = deliverSafely({ deps, owner, claimed, signal }).finally(() => {
          onTheWay.delete(ended)
          // One claim for all slots that come free in a moment.
          setTimeout(wake, onTheWay.size === 0 ? 0 : REFILL_MS)
        })
        onTheWay.add(ended)
      }
      try {
        for (;;) {
          const free = signal.aborted ? 0 : way.slots - onTheWay.size
          const claimed = await claim(free)
          for (const one of claimed) start(one)
          sent += claimed.length
          if (onTheWay.size === 0) return sent
          const { promise: changed, resolve } = Promise.withResolvers<void>()
          wake = resolve
          const timer = setTimeout(resolve, POLL_MS)
          await changed
          clearTimeout(timer)
        }
      } finally {
        await Promise.all(onTheWay)
      }
    },
  }
}

const claiming = ({ database, pace }: DeliveryDeps, { name: way }: Way, owner: string) => {
  let after = NIL
  let isDry = false
  let thoroughAt = 0
  return async (room: number): Promise<Claimed[]> => {
    if (room === 0) return []
    const isThorough = isDry && performance.now() - thoroughAt >= THOROUGH_MS
    if (isThorough) thoroughAt = performance.now()
    const claim = await crossDue(database, (crossing) =>
      claimDue(crossing, {
        ...{ owner, way, limit: pace.worthClaiming(room), after, isThorough },
        isUnlimitedOnly: pace.isHeld(),
        isHeldFor: (organizationId) => way === 'webhook' && pace.isHeldFor(organizationId),
      }),
    )
    after = claim.after
    isDry = claim.claimed.length === 0
    return claim.claimed
  }
}

interface Trip {
  deps: DeliveryDeps
  owner: string
  claimed: Claimed
  signal: AbortSignal
}

/** A delivery that cannot be worked keeps its lease, is reaped, and holds up nobody meanwhile. */
const deliverSafely = async (trip: Trip): Promise<void> => {
  const { deps, claimed } = trip
  const { transport } = claimed
  try {
    await deliver(trip)
    if (transport !== null && transport.failStreak > 0) {
      await inOrganization(deps, claimed, (scope) => endProbe(scope, transport))
    }
  } catch (error) {
    deps.logger.error({ err: error, deliveryId: claimed.id }, 'delivery failed, its lease will end')
  }
}

const deliver = async ({ deps, owner, claimed, signal }: Trip): Promise<void> => {
  const { id, subscriberId } = claimed
  const message = await outlasting(signal, async () => {
    // The copy of the subscriber may lag behind while events travel slowly, and who has left gets nothing.
    const isKnown = subscriberId === null || (await deps.isUpToDate(subscriberId))
    return inOrganization(deps, claimed, (scope) =>
      isKnown
        ? prepare(deps, scope, owner, claimed)
        : putOff(scope, { id, owner, reason: 'retry', waitMs: UNKNOWN_STANDING_MS }),
    )
  })
  if (message === null) return
  const startedAt = new Date()
  const verdict = await deps.senders[message.type].send(message)
  const durationMs = Date.now() - startedAt.getTime()
  if (verdict.class === 'delivered') faultPoint('send.after_accept')
  const attempted = { verdict, startedAt, durationMs }
  await outlasting(signal, () => record(deps, owner, claimed, attempted))
}

/**
 * Again until Postgres is back: while the sender lives it knows what was accepted, and a lease left to
 * end would send that twice.
 */
const outlasting = async <T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> => {
  for (;;) {
    try {
      return await work()
    } catch (error) {
      const isAway = error instanceof AppError && error.code === 'SERVICE_UNAVAILABLE'
      if (!isAway || signal.aborted) throw error
      await pause(RETRY_WITHOUT_POSTGRES_MS)
    }
  }
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

/** What a dead sender left, what is too old to tell, what the rate window no longer needs. */
const keepUp = async ({ database, pace }: DeliveryDeps): Promise<number> => {
  const reaped = await crossDue(database, reap)
  const expired = await crossDue(database, expire)
  await crossDue(database, forgetRateHits)
  await crossDue(database, (crossing) => pace.count(crossing))
  return reaped + expired
}

const forget = async ({ database }: DeliveryDeps): Promise<number> => {
  const finished = await crossDue(database, (crossing) => forgetFinished(crossing, RETENTION_DAYS))
  const events = await crossDue(database, (crossing) => forgetEvents(crossing, RETENTION_DAYS))
  const reports = await crossDue(database, (crossing) => forgetReports(crossing, RETENTION_DAYS))
  return finished + events + reports
}
