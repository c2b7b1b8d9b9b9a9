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
    if (found === null) throw notFound('Notification')
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

const present = ({ delivery, destination }: Logged): Delivery => ({
  id: delivery.id,
  eventId: delivery.eventId,
  event: delivery.kind,
  state: delivery.state,
  reason: delivery.reason,
  destination: {
    kind: 'subscriber',
    id: destination.subscriberId,
    type: destination.type,
    label: labelOf(destination),
  },
  attemptCount: delivery.attempts,
  deferrals: delivery.deferrals,
  nextAttemptAt: delivery.state === 'pending' ? delivery.nextAttemptAt.toISOString() : null,
  supersededBy: delivery.supersededBy,
  finishedAt: delivery.finishedAt?.toISOString() ?? null,
  expiresAt: delivery.expiresAt.toISOString(),
  createdAt: delivery.createdAt.toISOString(),
  updatedAt: delivery.updatedAt.toISOString(),
})
