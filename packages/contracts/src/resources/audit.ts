/** The audit log: every change and every question of identity, stated by the service that decided it. */
import { type Static, Type } from '@sinclair/typebox'
import { event } from '../event.ts'
import { services } from '../operation.ts'
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

export const auditRecorded = event({
  kind: 'audit.recorded',
  producers: services,
  selectableBy: 'nobody',
  data: AuditEntry,
})
