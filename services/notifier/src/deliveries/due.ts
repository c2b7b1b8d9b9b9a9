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
import { type Claimed, claimDue, expire, forgetFinished, forgetRateHits, reap } from './leases.ts'
import { type PrepareDeps, prepare } from './prepare.ts'
import { type RecordDeps, record } from './record.ts'
import { addAttempt } from './store.ts'

const POLL_MS = 1_000
const UPKEEP_MS = 5_000
const RETENTION_MS = 600_000
const RETENTION_DAYS = 30
const MAX_IN_FLIGHT = 64
const RETRY_WITHOUT_POSTGRES_MS = 500

export interface DeliveryDeps extends PrepareDeps, RecordDeps {
  logger: RecordDeps['logger'] & { error(details: object, message: string): void }
}

export const deliveryWork = (deps: DeliveryDeps): DueWork[] => [
  { name: 'deliveries', intervalMs: POLL_MS, run: (signal) => deliverDue(deps, signal) },
  { name: 'delivery-upkeep', intervalMs: UPKEEP_MS, run: () => keepUp(deps) },
  {
    name: 'delivery-retention',
    intervalMs: RETENTION_MS,
    run: () => crossDue(deps.database, (crossing) => forgetFinished(crossing, RETENTION_DAYS)),
  },
]

const deliverDue = async (deps: DeliveryDeps, signal: AbortSignal): Promise<number> => {
  const owner = newId()
  const claimed = await crossDue(deps.database, (crossing) => claimDue(crossing, owner))
  const queues = [...Map.groupBy(claimed, (one) => one.destinationId).values()]
  const worker = async () => {
    for (let queue = queues.pop(); queue !== undefined; queue = queues.pop()) {
      for (const one of queue) await deliverSafely(deps, signal, owner, one)
    }
  }
  await Promise.all(Array.from({ length: Math.min(MAX_IN_FLIGHT, queues.length) }, worker))
  return claimed.length
}

/** A delivery that cannot be worked keeps its lease, is reaped, and holds up nobody meanwhile. */
const deliverSafely = async (
  deps: DeliveryDeps,
  signal: AbortSignal,
  owner: string,
  claimed: Claimed,
) => {
  try {
    await deliver(deps, signal, owner, claimed)
  } catch (error) {
    deps.logger.error({ err: error, deliveryId: claimed.id }, 'delivery failed, its lease will end')
  }
}

const deliver = async (
  deps: DeliveryDeps,
  signal: AbortSignal,
  owner: string,
  claimed: Claimed,
): Promise<void> => {
  const message = await outlasting(signal, () =>
    inOrganization(deps, claimed, (scope) => prepare(deps, scope, owner, claimed.id)),
  )
  if (message === null) return
  const send = deps.senders[message.type]
  if (send === null) return
  const startedAt = new Date()
  const verdict = await send(message)
  const durationMs = Date.now() - startedAt.getTime()
  if (verdict.class === 'delivered') faultPoint('send.after_accept')
  const attempted = { verdict, startedAt, durationMs }
  await outlasting(signal, () => record(deps, owner, claimed, attempted))
}

/**
 * Again until Postgres is back: while the sender lives it knows what was accepted, and a lease left to
 * end would send that twice and hold up the rest of the batch.
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
