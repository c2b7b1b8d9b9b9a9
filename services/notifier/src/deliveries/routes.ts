/** Operations of the delivery log: recipients, times, states and reasons. */
import {
  type AuditDraft,
  type Delivery,
  DeliveryAttempt,
  type deliveryOperations,
  draftAudit,
  invalid,
  limitAndOffset,
  listReply,
  notFound,
  orNotFound,
  ruleIssue,
  sortOrderOf,
  viewOf,
} from '@status-page/contracts'
import type { Scope } from '@status-page/postgres'
import type { Handlers } from '@status-page/service'
import { destinationLabel } from './label.ts'
import { loadQueueEstimate, type QueueEstimate } from './limits/queue-estimate.ts'
import type { NotifyLimits } from './limits/rate.ts'
import { type DeliveryLogRow, listDeliveries, readDelivery } from './log.ts'
import { findUnknownId, replayDelivery, replayExhaustedDeliveries } from './replay.ts'

export const deliveryRoutes = (limits: NotifyLimits): Handlers<typeof deliveryOperations> => ({
  async list({ query, read }) {
    const { total, rows, queue } = await read(async (scope) => {
      const listed = await listDeliveries(scope, query, limitAndOffset(query), sortOrderOf(query))
      return { ...listed, queue: await loadQueueIfPending(scope, listed.rows, limits) }
    })
    return listReply(
      query,
      total,
      rows.map((row) => present(row, queue)),
    )
  },

  async read({ params, read }) {
    const { found, queue } = await read(async (scope) => {
      const found = await readDelivery(scope, params.id)
      return {
        found,
        queue: await loadQueueIfPending(scope, found === null ? [] : [found], limits),
      }
    })
    if (found === null) throw notFound()
    const attempts = found.attempts.map((attempt) => viewOf(DeliveryAttempt, attempt))
    return { ...present(found, queue), attempts }
  },

  async replay({ params, change }) {
    return change(async (scope) => {
      await replayDelivery(scope, params.id)
      const found = orNotFound(await readDelivery(scope, params.id))
      const queue = await loadQueueIfPending(scope, [found], limits)
      const audit = [replayed(params.id, destinationLabel(found), {})]
      return { result: present(found, queue), events: [], audit }
    })
  },

  async replayAll({ body, change, organizationId }) {
    return change(async (scope) => {
      const field = await findUnknownId(scope, body)
      if (field !== null) throw invalid(ruleIssue(field, 'exists'))
      const count = await replayExhaustedDeliveries(scope, body)
      const about = body.channelId ?? body.subscriberId ?? organizationId
      const changes = {
        since: { from: null, to: body.since },
        replayed: { from: null, to: count },
      }
      const audit = count === 0 ? [] : [replayed(about, null, changes)]
      return { result: { replayed: count }, events: [], audit }
    })
  },
})

const replayed = (id: string, name: string | null, changes: AuditDraft['changes']): AuditDraft =>
  draftAudit('delivery.replay', { id, name }, changes)

/** Reads the whole backlog, so only when a listed delivery is pending. */
const loadQueueIfPending = async (
  scope: Scope,
  rows: readonly DeliveryLogRow[],
  limits: NotifyLimits,
): Promise<QueueEstimate | null> =>
  rows.some(({ delivery }) => delivery.state === 'pending')
    ? loadQueueEstimate(scope, limits.global)
    : null

/**
 * Returns the later of the delivery's own due time and the blocks on its destination and transport.
 */
const waitOf = ({ delivery, destination, transport }: DeliveryLogRow) => {
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

const present = (logged: DeliveryLogRow, queue: QueueEstimate | null): Delivery => {
  const wait = logged.delivery.state === 'pending' ? waitOf(logged) : null
  return {
    ...presentRow(logged),
    reason: wait === null ? logged.delivery.reason : wait.reason,
    nextAttemptAt: wait?.until.toISOString() ?? null,
    estimatedWaitSeconds:
      wait === null ? null : (queue?.secondsUntil(logged.delivery.priority, wait.until) ?? null),
  }
}

const presentRow = ({
  delivery,
  destination,
  channelName,
}: DeliveryLogRow): Omit<Delivery, 'reason' | 'nextAttemptAt' | 'estimatedWaitSeconds'> => ({
  id: delivery.id,
  eventId: delivery.eventId,
  event: delivery.kind,
  state: delivery.state,
  destination: {
    kind: destination.kind,
    id: destination.subscriberId ?? destination.userId ?? destination.channelId ?? destination.id,
    type: destination.type,
    label: destinationLabel({ destination, channelName }),
  },
  attemptCount: delivery.attempts,
  deferrals: delivery.deferrals,
  supersededBy: delivery.supersededBy,
  finishedAt: delivery.finishedAt?.toISOString() ?? null,
  expiresAt: delivery.expiresAt.toISOString(),
  createdAt: delivery.createdAt.toISOString(),
  updatedAt: delivery.updatedAt.toISOString(),
})
