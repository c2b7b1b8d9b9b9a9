/** An incident as somebody asks for it, with what they leave out. */
import type { IncidentSource, NewIncident } from '@status-page/contracts'
import { newId, type Scope } from '@status-page/postgres'
import type { IncidentInput } from './rules.ts'

export const openingFrom = (
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
  nextUpdateAt: timeFrom(body.nextUpdateAt) ?? null,
  source,
  triggerComponentId: null,
})

/** Null means none, undefined not spoken of. */
export const timeFrom = (time: string | null | undefined): Date | null | undefined =>
  typeof time === 'string' ? new Date(time) : time
