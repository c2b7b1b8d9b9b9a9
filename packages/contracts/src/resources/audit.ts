/** Audit log: every change and every authentication, recorded by the service that decided it. */
import { type Static, Type } from '@sinclair/typebox'
import { event } from '../event.ts'
import { listOf, listQuery, TimeRange } from '../listing.ts'
import { operationsOf, services } from '../operation.ts'
import { Id, Nullable, OneOf, Timestamp } from '../scalars.ts'

export const AuditEntry = Type.Object({
  id: Id,
  organizationId: Id,
  action: Type.String(),
  entityType: Type.String(),
  entityId: Type.String(),
  entityName: Nullable(Type.String()),
  actorType: OneOf(['user', 'api_key', 'config_sync', 'system']),
  userId: Nullable(Id),
  apiKeyId: Nullable(Id),
  changes: Type.Record(Type.String(), Type.Unknown()),
  ipAddress: Nullable(Type.String()),
  userAgent: Nullable(Type.String()),
  requestId: Nullable(Type.String()),
  occurredAt: Timestamp,
})
export type AuditEntry = Static<typeof AuditEntry>

export const auditRecorded = event('audit.recorded', services, AuditEntry)

/** Audit entry as returned by the API. */
export const AuditLog = Type.Composite([
  Type.Omit(AuditEntry, ['occurredAt']),
  Type.Object({ createdAt: Timestamp, updatedAt: Timestamp }),
])
export type AuditLog = Static<typeof AuditLog>

export const auditFormats = ['json', 'csv', 'ndjson'] as const

export const auditOperations = operationsOf('gateway', 'audit', {
  list: {
    route: 'GET /audit-logs',
    summary: 'List or export audit entries',
    description:
      'Newest first. `format=csv` and `format=ndjson` ignore the paging and return up to ' +
      '100,000 entries as a file.',
    permission: 'audit:read',
    query: listQuery(['createdAt'], {
      action: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
      entityType: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
      entityId: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
      userId: Type.Optional(Id),
      apiKeyId: Type.Optional(Id),
      ...TimeRange,
      format: OneOf(auditFormats, { default: 'json' }),
    }),
    reply: listOf(AuditLog),
    produces: ['application/json', 'text/csv', 'application/x-ndjson'],
  },
})
