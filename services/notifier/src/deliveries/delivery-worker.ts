/** One way out: claims by the batch, sends as its lanes let it, records; lasts until nothing is on its way. */
import { asWorkerRaw, faultPoint, type Job, newId } from '@status-page/postgres'
import type { DestinationType } from '../tables.ts'
import { refund } from './charge.ts'
import { claiming } from './claiming.ts'
import { type LaneLimits, Lanes, type Ticket } from './host-queues.ts'
import type { ClaimedDelivery } from './leases.ts'
import { isKept } from './message.ts'
import { giveBackAll } from './outcomes.ts'
import { isAway, retryWhileUnavailable } from './outlasting.ts'
import { inOrganization, type PrepareDeps, prepareAll, type Ready, STUCK_MS } from './prepare.ts'
import type { RecordDeps } from './record.ts'
import { createRecorder, type Recorder } from './recorder.ts'
import { endProbe } from './transports.ts'

const POLL_MS = 1_000
/** While nothing is on its way: what becomes due is rung by `lookForDue`. */
const REST_MS = 5_000
const REFILL_MS = 20
/** Of a batch that is gone, a quarter is claimed anew, while the rest keeps the lanes busy. */
const REFILL_SHARE = 4
/** Beyond it nothing is sent: Postgres has to come after. */
const MAX_UNRECORDED = 1_000

export interface DeliveryWorker {
  name: string
  types: readonly DestinationType[]
  /** Claimed at once, and in this process at most, beside those that hang. */
  batch: number
  /** So long a delivery waits here for room at its host; then it waits in its row, others before it. */
  maxWaitMs: number
  lanes: LaneLimits
}

export type SendingDeps = PrepareDeps & RecordDeps

export const sending = (deps: SendingDeps, way: DeliveryWorker): Job => {
  const owner = newId()
  const claim = claiming(deps, way.name, owner)
  let wake = () => {}
  return {
    name: workNameOf(way),
    intervalMs: REST_MS,
    wake: () => wake(),
    run: (signal) => {
      const round = createRound({ deps, way, owner, claim, signal })
      wake = round.wake
      return round.run()
    },
  }
}

export const workNameOf = ({ name }: DeliveryWorker): string => `deliveries-${name}`

interface Round {
  deps: SendingDeps
  way: DeliveryWorker
  owner: string
  claim(room: number): Promise<ClaimedDelivery[]>
  signal: AbortSignal
}

const createRound = (round: Round) => {
  const { deps, way, owner, claim, signal } = round
  const lanes = new Lanes<Ready>(way.lanes)
  const recorder = createRecorder(deps, owner, signal)
  const open = new Set<Promise<void>>()
  const wakeup = createBell()
  let isOver = false

  const pump = () => {
    while (!isOver && !signal.aborted && recorder.unrecorded < MAX_UNRECORDED) {
      const ticket = lanes.take(performance.now(), way.maxWaitMs)
      if (ticket === null) return
      const ended = travel(round, recorder, ticket, () => {
        lanes.giveBack(ticket)
        pump()
      }).finally(() => {
        open.delete(ended)
        // One claim for all room that comes free in a moment.
        wakeup.ringWithin(open.size === 0 ? 0 : REFILL_MS)
      })
      open.add(ended)
    }
  }

  const fill = async (): Promise<number> => {
    const room = way.batch - lanes.waiting - lanes.quick
    if (signal.aborted || room < way.batch / REFILL_SHARE) return 0
    const claimed = await claim(room)
    for (const one of await ready(round, claimed, lanes)) {
      lanes.offer(one, one.host, performance.now())
    }
    return claimed.length
  }

  /** Nothing waits here longer than it must, and nothing once the round is over. */
  const clear = async (): Promise<void> => {
    const maxWaitMs = isOver || signal.aborted ? 0 : way.maxWaitMs
    const overdue = lanes.takeOverdue(performance.now(), maxWaitMs)
    if (overdue.length > 0) await release(round, overdue)
  }

  return {
    wake: wakeup.ring,
    async run(): Promise<number> {
      let sent = 0
      try {
        for (;;) {
          const claimed = await fill()
          sent += claimed
          pump()
          await clear()
          if (claimed === 0 && open.size === 0 && lanes.waiting === 0) return sent
          if (claimed === 0 || lanes.quick >= way.lanes.places) {
            await wakeup.wait(lanes.waiting > 0 ? way.lanes.hangsAfterMs : POLL_MS)
          }
        }
      } finally {
        isOver = true
        await Promise.allSettled([clear(), ...open])
      }
    },
  }
}

/** Rings are kept for the next wait. */
const createBell = () => {
  let isRung = false
  let isTimed = false
  let resolve = () => {}
  const ring = () => {
    isRung = true
    resolve()
  }
  return {
    ring,
    ringWithin(ms: number) {
      if (isTimed) return
      isTimed = true
      setTimeout(() => {
        isTimed = false
        ring()
      }, ms)
    },
    async wait(ms: number): Promise<void> {
      if (!isRung) {
        const rung = Promise.withResolvers<void>()
        resolve = rung.resolve
        const timer = setTimeout(rung.resolve, ms)
        await rung.promise
        clearTimeout(timer)
      }
      isRung = false
    },
  }
}

/** Half of it and the other half, where something in it fails: down to the one that does. */
const ready = async (
  round: Round,
  claimed: readonly ClaimedDelivery[],
  lanes: Lanes<Ready>,
): Promise<Ready[]> => {
  const { deps, owner, signal } = round
  if (claimed.length === 0) return []
  const isStuck = (host: string) => lanes.isStuck(host)
  try {
    const going = await retryWhileUnavailable(signal, () =>
      prepareAll(deps, { owner, claimed, isStuck }),
    )
    const ids = new Set(going.map((one) => one.claimed.id))
    for (const one of claimed) if (!ids.has(one.id)) await endItsProbe(deps, one)
    return going
  } catch (error) {
    if (isAway(error)) throw error
    if (claimed.length === 1) {
      const [{ id: deliveryId }] = claimed as [ClaimedDelivery]
      deps.logger.error(
        { err: error, deliveryId },
        'delivery failed, will be retried when its lease expires',
      )
      return []
    }
    const half = Math.ceil(claimed.length / 2)
    return [
      ...(await ready(round, claimed.slice(0, half), lanes)),
      ...(await ready(round, claimed.slice(half), lanes)),
    ]
  }
}

/** From the door to the record; a delivery that fails here keeps its lease and is reaped. */
const travel = async (
  { deps }: Round,
  recorder: Recorder,
  { item }: Ticket<Ready>,
  arrived: () => void,
): Promise<void> => {
  const { claimed, message, leased } = item
  try {
    const startedAt = new Date()
    const verdict = await deps.senders[message.type].send(message).finally(arrived)
    const durationMs = Date.now() - startedAt.getTime()
    if (verdict.class === 'delivered') faultPoint('send.after_accept')
    const body = isKept(leased) ? message.body : null
    await recorder.note(item, { verdict, body, startedAt, durationMs })
    await endItsProbe(deps, claimed)
  } catch (error) {
    deps.logger.error(
      { err: error, deliveryId: claimed.id },
      'delivery failed, will be retried when its lease expires',
    )
  }
}

/** What has found out whether its transport works again, or has not gone after all. */
const endItsProbe = async (deps: SendingDeps, claimed: ClaimedDelivery): Promise<void> => {
  const { transport } = claimed
  if (transport === null || transport.failStreak === 0) return
  await inOrganization(deps, claimed, (scope) => endProbe(scope, transport))
}

/** Back to the rows: not an attempt, and no deferral either; nor has it taken anything of a limit. */
const release = async ({ deps, owner, signal }: Round, items: readonly Ready[]): Promise<void> => {
  const ids = items.map(({ claimed }) => claimed.id)
  const waitMs = signal.aborted ? 0 : STUCK_MS
  await retryWhileUnavailable(signal, () =>
    asWorkerRaw(deps.database, async (systemScope) => {
      const given = await giveBackAll(systemScope, owner, { ids, waitMs })
      const unsent = items.filter(({ claimed }) => given.has(claimed.id))
      await refund(
        systemScope,
        unsent.flatMap(({ charge }) => charge ?? []),
      )
    }),
  )
}
