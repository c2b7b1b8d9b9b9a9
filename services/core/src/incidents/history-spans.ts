/**
 * Spans in which a resolved incident corrects the status history of its components. Pure, computed
 * from its times and updates, so that a second correction does not depend on the first.
 */
import type { IncidentComponentStatus } from '@status-page/contracts'
import type { StatusSpan } from '../components/uptime/corrections.ts'
import type { TimeSpan } from '../components/uptime/uptime.ts'
import type { IncidentRow, IncidentUpdateRow } from '../tables.ts'

type CorrectingIncident = Pick<IncidentRow, 'isBackfilled' | 'reopenCount' | 'startedAt'> & {
  resolvedAt: Date
}

type CorrectingUpdate = Pick<
  IncidentUpdateRow,
  'status' | 'componentStatuses' | 'createdAt' | 'displayAt'
>

/** `updates` are oldest first; `others` are the times of other incidents of the component. */
export const historySpans = (
  incident: CorrectingIncident,
  updates: readonly CorrectingUpdate[],
  componentId: string,
  others: readonly TimeSpan[],
): StatusSpan[] => [
  ...(incident.isBackfilled ? enteredSpans(incident, updates, componentId) : []),
  ...liveSpans(incident, updates, componentId, others),
]

/** Statuses given while the incident was over apply from its start to its end. */
const enteredSpans = (
  { startedAt, resolvedAt, reopenCount }: CorrectingIncident,
  updates: readonly CorrectingUpdate[],
  componentId: string,
): StatusSpan[] => {
  const reopening = updates.findIndex(({ status }) => status !== 'resolved')
  const entered = reopening === -1 ? updates : updates.slice(0, reopening)
  const status = entered
    .flatMap(({ componentStatuses }) => componentStatuses[componentId] ?? [])
    .at(-1) as IncidentComponentStatus | undefined
  const firstEnd = updates[0]?.displayAt ?? resolvedAt
  const to = reopenCount === 0 || firstEnd > resolvedAt ? resolvedAt : firstEnd
  return status === undefined ? [] : outage(status, startedAt.getTime(), to.getTime())
}

/**
 * Corrections of statuses that were recorded while the incident was open: removed outside of its
 * times, and extended to its times at both ends.
 */
const liveSpans = (
  incident: CorrectingIncident,
  updates: readonly CorrectingUpdate[],
  componentId: string,
  others: readonly TimeSpan[],
): StatusSpan[] => {
  const recorded = recordedTimes(updates, componentId)
  if (recorded === null) return []
  const { openedAt, closedAt, firstStatus, lastStatus } = recorded
  const [from, to] = [incident.startedAt.getTime(), incident.resolvedAt.getTime()]
  const start = incident.isBackfilled ? openedAt : from
  const removed = [
    { from: openedAt, to: Math.min(start, closedAt) },
    { from: Math.max(to, openedAt), to: closedAt },
  ]
  return [
    ...removed
      .flatMap((span) => subtract(span, others))
      .map((span) => ({ ...span, status: 'operational' as const })),
    ...outage(firstStatus, start, Math.min(openedAt, to)),
    ...outage(lastStatus, Math.max(closedAt, from), to),
  ]
}

interface RecordedTimes {
  openedAt: number
  /** Time of the last resolution. */
  closedAt: number
  firstStatus: IncidentComponentStatus
  lastStatus: IncidentComponentStatus
}

/** Null for an incident that was never open. */
const recordedTimes = (
  updates: readonly CorrectingUpdate[],
  componentId: string,
): RecordedTimes | null => {
  const first = updates.find(({ status }) => status !== 'resolved')
  if (first === undefined) return null
  const statusIn = ({ componentStatuses }: CorrectingUpdate) =>
    componentStatuses[componentId] as IncidentComponentStatus | undefined
  let closedAt = first.createdAt.getTime()
  let [status, lastStatus]: IncidentComponentStatus[] = ['operational', 'operational']
  let isOpen = false
  for (const update of updates.slice(updates.indexOf(first))) {
    if (update.status !== 'resolved') status = statusIn(update) ?? status
    else if (isOpen) {
      closedAt = update.createdAt.getTime()
      lastStatus = status ?? 'operational'
      status = 'operational'
    }
    isOpen = update.status !== 'resolved'
  }
  return {
    openedAt: first.createdAt.getTime(),
    closedAt,
    firstStatus: statusIn(first) ?? 'operational',
    lastStatus: lastStatus ?? 'operational',
  }
}

const outage = (status: IncidentComponentStatus, from: number, to: number): StatusSpan[] =>
  status === 'operational' || from >= to ? [] : [{ status, from, to }]

const subtract = (span: TimeSpan, others: readonly TimeSpan[]): TimeSpan[] =>
  others.reduce<TimeSpan[]>(
    (left, other) =>
      left.flatMap(({ from, to }) =>
        [
          { from, to: Math.min(to, other.from) },
          { from: Math.max(from, other.to), to },
        ].filter((rest) => rest.from < rest.to),
      ),
    span.from < span.to ? [span] : [],
  )
