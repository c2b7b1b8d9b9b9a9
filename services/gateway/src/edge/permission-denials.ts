/** Audit of denied permissions: at most one entry a minute per caller and operation. */

import { AppError, type Operation } from '@status-page/contracts'
import { type Database, transact } from '@status-page/postgres'
import { entryLimit } from '@status-page/service'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'

const EVERY_MS = 60_000
const MAX_REMEMBERED = 10_000

export const recordPermissionDenials = (fastify: FastifyInstance, database: Database): void => {
  const recorded = new LRUCache<string, true>({ ...entryLimit(MAX_REMEMBERED), ttl: EVERY_MS })

  const isDue = (key: string): boolean => {
    if (recorded.has(key)) return false
    recorded.set(key, true)
    return true
  }

  fastify.addHook('onError', async (request, _reply, error) => {
    const { operation } = request
    const { organizationId } = request.identified?.caller ?? { organizationId: null }
    const refused = missingPermission(error)
    if (operation === undefined || organizationId === null || refused === null) return
    if (!isDue(`${request.identified.rateKey}|${operation.id}`)) return
    record(database, request, organizationId, operation, refused).catch((failure: unknown) =>
      request.log.error(
        { err: failure, requestId: request.id },
        'failed to record a denied permission',
      ),
    )
  })
}

const missingPermission = (error: unknown): string | null => {
  if (!(error instanceof AppError) || error.code !== 'FORBIDDEN') return null
  const permission = error.details?.permission
  return typeof permission === 'string' ? permission : null
}

const MAX_AGENT_LENGTH = 512

const record = (
  database: Database,
  request: FastifyRequest,
  organizationId: string,
  operation: Operation,
  permission: string,
) => {
  const actor = {
    ...request.identified.caller.actor,
    ipAddress: request.ip,
    userAgent: request.headers['user-agent']?.slice(0, MAX_AGENT_LENGTH) ?? null,
    requestId: request.id,
  }
  const audit = {
    action: 'auth.permission_denied',
    entityType: 'operation',
    entityId: operation.id,
    entityName: null,
    changes: { permission: { to: permission } },
  }
  return transact(database, { organizationId, actor }, async () => ({
    result: null,
    events: [],
    audit: [audit],
  }))
}
