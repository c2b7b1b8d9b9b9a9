/** Input of a new incident from a request body, with defaults for absent fields. */
import type { IncidentSource, NewIncident } from '@status-page/contracts'
import { newId, type Scope } from '@status-page/postgres'
import type { IncidentInput } from './rules.ts'

export const toIncidentInput = (
  body: NewIncident & { title: string },
  { organizationId, now }: Scope,
  source: IncidentSource,
): IncidentInput => ({
  id: newId(),
  updateId: newId(),
  organizationId,
  title: body.title,
  status: body.status ?? 'investigating',
  impact: body.impact ?? 'minor',
  message: body.message ?? '',
  componentIds: body.componentIds ?? [],
  componentStatuses: body.componentStatuses ?? {},
  startedAt: body.startedAt === undefined ? now : new Date(body.startedAt),
  resolvedAt: body.resolvedAt === undefined ? undefined : new Date(body.resolvedAt),
  nextUpdateAt: parseTime(body.nextUpdateAt) ?? null,
  source,
  triggerComponentId: null,
})

/** Null clears the time; undefined leaves it unchanged. */
export const parseTime = (time: string | null | undefined): Date | null | undefined =>
  typeof time === 'string' ? new Date(time) : time
