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
  NIL,
  reap,
} from './leases.ts'
import { type PrepareDeps, prepare } from './prepare.ts'
import { forgetRateHits } from './rate.ts'
import { type RecordDeps, record } from './record.ts'
import { putOff } from './store.ts'
import { endProbe, readTransport, SMTP, startProbe } from './transports.ts'

const POLL_MS = 1_000
const UPKEEP_MS = 5_000
const RETENTION_MS = 600_000
const RETENTION_DAYS = 30
const RETRY_WITHOUT_POSTGRES_MS = 500
const UNKNOWN_STANDING_MS = 5_000

interface Way {
  type: DestinationType
  /** Deliveries on their way at once. */
  slots: number
  /** Shared by all deliveries of the kind, so that they wait for it together. */
  transport: string | null
}

/** A kind of destination each, so that a mail server that hangs holds up no webhook. */
const ways: readonly Way[] = [
  { type: 'webhook', slots: 64, transport: null },
  // Twice the mailer's connections: more would only stand in its queue while their limits run.
  { type: 'email', slots: 10, transport: SMTP },
  { type: 'sms', slots: 10, transport: null },
]

const nameOf = ({ type }: Way) => `deliveries-${type}`

/** Names of the work that new deliveries are for. */
export const deliveryWorkNames: readonly string[] = ways.map(nameOf)

export interface DeliveryDeps extends PrepareDeps, RecordDeps {
  /** Takes what is known about a subscriber elsewhere; false while that fails. */
  isUpToDate(subscriberId: string): Promise<boolean>
  logger: RecordDeps['logger'] & { error(details: object, message: string): void }
}

export const deliveryWork = (deps: DeliveryDeps): DueWork[] => [
  ...ways.map((way) => sending(deps, way)),
  { name: 'delivery-upkeep', intervalMs: UPKEEP_MS, run: () => keepUp(deps) },
  { name: 'delivery-retention', intervalMs: RETENTION_MS, run: () => forget(deps) },
]

/** What one claim gave, with the state of the transport that it sets out with. */
interface Batch {
  claimed: Claimed[]
  transportStreak: number
}

/** A run lasts until nothing is on its way; a slot that becomes free is filled at once. */
const sending = (deps: DeliveryDeps, way: Way): DueWork => {
  const owner = newId()
  const claim = claiming(deps, way, owner)
  return {
    name: nameOf(way),
    intervalMs: POLL_MS,
    async run(signal) {
      const onTheWay = new Set<Promise<void>>()
      let wake = () => {}
      let sent = 0
      const start = (claimed: Claimed, transportStreak: number) => {
        const trip = { deps, way, owner, claimed, transportStreak, signal }
        const ended = deliverSafely(trip).finally(() => {
          onTheWay.delete(ended)
          wake()
        })
        onTheWay.add(ended)
      }
      try {
        for (;;) {
          const free = signal.aborted ? 0 : way.slots - onTheWay.size
          const { claimed, transportStreak } = await claim(free)
          for (const one of claimed) start(one, transportStreak)
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

/** A transport that failed is tried by one delivery before the others follow. */
const claiming = ({ database }: DeliveryDeps, { type, transport }: Way, owner: string) => {
  let after = NIL
  return (free: number): Promise<Batch> | Batch => {
    if (free === 0) return { claimed: [], transportStreak: 0 }
    return crossDue(database, async (crossing) => {
      const state = transport === null ? null : await readTransport(crossing, transport)
      const transportStreak = state?.failStreak ?? 0
      if (state?.blockedUntil && state.blockedUntil > crossing.now) {
        return { claimed: [], transportStreak }
      }
      const limit = transportStreak === 0 ? free : 1
      const claim = await claimDue(crossing, { owner, type, limit, after })
      after = claim.after
      if (transport !== null && transportStreak > 0 && claim.claimed.length > 0) {
        await startProbe(crossing, transport)
      }
      return { claimed: claim.claimed, transportStreak }
    })
  }
}

interface Trip {
  deps: DeliveryDeps
  way: Way
  owner: string
  claimed: Claimed
  transportStreak: number
  signal: AbortSignal
}

/** A delivery that cannot be worked keeps its lease, is reaped, and holds up nobody meanwhile. */
const deliverSafely = async (trip: Trip): Promise<void> => {
  const { deps, way, claimed, transportStreak } = trip
  try {
    await deliver(trip)
    if (way.transport !== null && transportStreak > 0) {
      const { transport } = way
      await inOrganization(deps, claimed, (scope) => endProbe(scope, transport, transportStreak))
    }
  } catch (error) {
    deps.logger.error({ err: error, deliveryId: claimed.id }, 'delivery failed, its lease will end')
  }
}

const deliver = async ({ deps, owner, claimed, transportStreak, signal }: Trip): Promise<void> => {
  const { id, subscriberId } = claimed
  const message = await outlasting(signal, async () => {
    // The copy of the subscriber may lag behind while events travel slowly, and who has left gets nothing.
    const isKnown = subscriberId === null || (await deps.isUpToDate(subscriberId))
    return inOrganization(deps, claimed, (scope) =>
      isKnown
        ? prepare(deps, scope, owner, id)
        : putOff(scope, { id, owner, reason: 'retry', waitMs: UNKNOWN_STANDING_MS }),
    )
  })
  if (message === null) return
  const send = deps.senders[message.type]
  if (send === null) return
  const startedAt = new Date()
  const verdict = await send(message)
  const durationMs = Date.now() - startedAt.getTime()
  if (verdict.class === 'delivered') faultPoint('send.after_accept')
  const attempted = { verdict, startedAt, durationMs, transportStreak }
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
const keepUp = async ({ database }: DeliveryDeps): Promise<number> => {
  const reaped = await crossDue(database, reap)
  const expired = await crossDue(database, expire)
  await crossDue(database, forgetRateHits)
  return reaped + expired
}

const forget = async ({ database }: DeliveryDeps): Promise<number> => {
  const finished = await crossDue(database, (crossing) => forgetFinished(crossing, RETENTION_DAYS))
  const events = await crossDue(database, (crossing) => forgetEvents(crossing, RETENTION_DAYS))
  return finished + events
}
