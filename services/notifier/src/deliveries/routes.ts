/** The delivery log: who was told what, when, and if not, why. */
import {
  type Delivery,
  type deliveryOperations,
  listReply,
  notFound,
  sortOrderOf,
  windowOf,
} from '@status-page/contracts'
import type { Handlers } from '@status-page/service'
import { labelOf } from './label.ts'
import { type Logged, listDeliveries, readDelivery } from './log.ts'

export const deliveryRoutes: Handlers<typeof deliveryOperations> = {
  async list({ query, read }) {
    const { total, rows } = await read((scope) =>
      listDeliveries(scope, query, windowOf(query), sortOrderOf(query)),
    )
    return listReply(query, total, rows.map(present))
  },

  async read({ params, read }) {
    const found = await read((scope) => readDelivery(scope, params.id))
    if (found === null) throw notFound()
    const attempts = found.attempts.map((one) => ({
      number: one.number,
      startedAt: one.startedAt.toISOString(),
      durationMs: one.durationMs,
      outcome: one.outcome,
      statusCode: one.statusCode,
      error: one.error,
    }))
    return { ...present(found), attempts }
  },
}

/** What keeps a delivery waiting is the later of its own time and of what is blocked before it. */
const waitOf = ({ delivery, destination, transport }: Logged) => {
  const own = { reason: delivery.reason, until: delivery.nextAttemptAt }
  const blocks = [
    { reason: 'endpoint_blocked' as const, until: destination.blockedUntil },
    { reason: transport?.reason ?? null, until: transport?.blockedUntil ?? null },
  ]
  return blocks.reduce<typeof own>(
    (latest, { reason, until }) =>
      until !== null && until > latest.until ? { reason, until } : latest,
    own,
  )
}

const present = (logged: Logged): Delivery => {
  const wait = logged.delivery.state === 'pending' ? waitOf(logged) : null
  return {
    ...presentRow(logged),
    reason: wait === null ? logged.delivery.reason : wait.reason,
    nextAttemptAt: wait?.until.toISOString() ?? null,
  }
}

const presentRow = ({
  delivery,
  destination,
}: Logged): Omit<Delivery, 'reason' | 'nextAttemptAt'> => ({
  id: delivery.id,
  eventId: delivery.eventId,
  event: delivery.kind,
  state: delivery.state,
  destination: {
    kind: destination.kind,
    id: destination.subscriberId ?? destination.userId ?? destination.id,
    type: destination.type,
    label: labelOf(destination),
  },
  attemptCount: delivery.attempts,
  deferrals: delivery.deferrals,
  supersededBy: delivery.supersededBy,
  finishedAt: delivery.finishedAt?.toISOString() ?? null,
  expiresAt: delivery.expiresAt.toISOString(),
  createdAt: delivery.createdAt.toISOString(),
  updatedAt: delivery.updatedAt.toISOString(),
})
