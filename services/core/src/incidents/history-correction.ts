/**
 * Decides whether a change of an incident corrects the past: the status history instead of current
 * statuses, and without an event unless requested. Pure.
 */
import type { IncidentStatus } from '@status-page/contracts'
import type { IncidentComponentRow, IncidentRow } from '../tables.ts'
import type { StatusByComponentId } from './claims.ts'
import type { IncidentTimes } from './limits.ts'

export type ChangedFields = Pick<
  IncidentRow,
  'title' | 'impact' | 'startedAt' | 'resolvedAt' | 'nextUpdateAt'
>

interface HistoryCorrection {
  /** True while an incident that was entered after the fact stays resolved. */
  isPast: boolean
  isSilent: boolean
  correctsHistory: boolean
}

export const correctionOf = (
  before: { incident: IncidentRow; components: readonly IncidentComponentRow[] },
  given: IncidentTimes,
  after: {
    fields: ChangedFields
    status: IncidentStatus
    update: { componentStatuses: StatusByComponentId } | null
    components: readonly IncidentComponentRow[]
  },
): HistoryCorrection => {
  const { incident } = before
  const { fields, status, update } = after
  const staysResolved = incident.status === 'resolved' && status === 'resolved'
  const isPast = incident.isBackfilled && staysResolved
  const hasTimes = given.startedAt !== undefined || given.resolvedAt !== undefined
  const correctsTimes = status === 'resolved' && hasTimes && hasOtherTimes(incident, fields)
  const changesComponents = idsOf(before.components) !== idsOf(after.components)
  const changesText = fields.title !== incident.title || fields.impact !== incident.impact
  const isOnlyTimes = update === null && !changesComponents && !changesText
  const hasStatuses = Object.keys(update?.componentStatuses ?? {}).length > 0
  return {
    isPast,
    isSilent: isPast || (staysResolved && correctsTimes && isOnlyTimes),
    correctsHistory: correctsTimes || (isPast && (hasStatuses || changesComponents)),
  }
}

export const hasOtherTimes = (
  before: Pick<IncidentRow, 'startedAt' | 'resolvedAt'>,
  after: Pick<IncidentRow, 'startedAt' | 'resolvedAt'>,
): boolean =>
  before.startedAt.getTime() !== after.startedAt.getTime() ||
  before.resolvedAt?.getTime() !== after.resolvedAt?.getTime()

const idsOf = (components: readonly IncidentComponentRow[]): string =>
  components.map(({ componentId }) => componentId).join()
