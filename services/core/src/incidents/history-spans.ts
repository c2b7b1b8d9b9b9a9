/**
 * Spans in which a resolved incident corrects the status history of its components. Pure, computed
 * from its times and updates, so that a second correction does not depend on the first.
 */
import type { ComponentStatus, IncidentComponentStatus } from '@status-page/contracts'
import type { StatusSpan } from '../components/uptime/corrections.ts'
import type { TimeSpan } from '../components/uptime/uptime.ts'
import type { IncidentRow, IncidentUpdateRow } from '../tables.ts'

type CorrectingIncident = Pick<IncidentRow, 'isBackfilled' | 'reopenCount' | 'startedAt'> & {
  /** Time of the resolution; the present for an open incident. */
  resolvedAt: Date
}

type CorrectingUpdate = Pick<
  IncidentUpdateRow,
  'status' | 'componentStatuses' | 'createdAt' | 'displayAt' | 'isImported'
>

/** `updates` are oldest first; `others` are the times of other incidents of the component. */
export const historySpans = (
  incident: CorrectingIncident,
  updates: readonly CorrectingUpdate[],
  componentId: string,
  others: readonly TimeSpan[],
): StatusSpan[] => {
  const imported = updates.filter(({ isImported }) => isImported)
  const written = updates.filter(({ isImported }) => !isImported)
  const entered = incident.isBackfilled ? enteredStatus(written, componentId) : undefined
  return [
    ...(entered === undefined
      ? importedSpans(incident, { imported, written }, componentId)
      : enteredSpans(incident, { entered, first: updates[0] })),
    ...liveSpans({ ...incident, isImported: imported.length > 0 }, written, componentId, others),
  ]
}

/**
 * Statuses of an imported incident: each holds from the time of its update to the next one, those of
 * the first update from the start. The history since the import is recorded.
 */
const importedSpans = (
  { startedAt, resolvedAt }: CorrectingIncident,
  { imported, written }: Record<'imported' | 'written', readonly CorrectingUpdate[]>,
  componentId: string,
): StatusSpan[] => {
  const continued = written.find(({ status }) => status !== 'resolved')?.createdAt
  const end = Math.min(resolvedAt.getTime(), continued?.getTime() ?? Number.POSITIVE_INFINITY)
  const spans: StatusSpan[] = []
  let from = startedAt.getTime()
  let status = imported[0] === undefined ? undefined : statusIn(imported[0], componentId)
  for (const update of imported.slice(1)) {
    const next = statusIn(update, componentId)
    if (next === undefined || next === status) continue
    const to = Math.min(Math.max(update.displayAt.getTime(), from), end)
    spans.push(...outage(status, from, to))
    status = next
    from = to
  }
  return [...spans, ...outage(status, from, end)]
}

/** A resolution without a status for the component ends its outage. */
const statusIn = (
  { status, componentStatuses }: CorrectingUpdate,
  componentId: string,
): ComponentStatus | undefined =>
  componentStatuses[componentId] ?? (status === 'resolved' ? 'operational' : undefined)

/** Latest status that was given while the incident was over. */
const enteredStatus = (
  updates: readonly CorrectingUpdate[],
  componentId: string,
): ComponentStatus | undefined => {
  const reopening = updates.findIndex(({ status }) => status !== 'resolved')
  const entered = reopening === -1 ? updates : updates.slice(0, reopening)
  return entered.flatMap(({ componentStatuses }) => componentStatuses[componentId] ?? []).at(-1)
}

/** Statuses given while the incident was over apply from its start to its end. */
const enteredSpans = (
  { startedAt, resolvedAt, reopenCount }: CorrectingIncident,
  { entered, first }: { entered: ComponentStatus; first: CorrectingUpdate | undefined },
): StatusSpan[] => {
  const firstEnd = first?.displayAt ?? resolvedAt
  const to = reopenCount === 0 || firstEnd > resolvedAt ? resolvedAt : firstEnd
  return outage(entered, startedAt.getTime(), to.getTime())
}

/**
 * Corrections of statuses that were recorded while the incident was open: removed outside of its
 * times, and extended to its times at both ends.
 */
const liveSpans = (
  incident: CorrectingIncident & { isImported: boolean },
  updates: readonly CorrectingUpdate[],
  componentId: string,
  others: readonly TimeSpan[],
): StatusSpan[] => {
  const recorded = recordedTimes(updates, componentId)
  if (recorded === null) return []
  const { openedAt, closedAt, firstStatus, lastStatus } = recorded
  const [from, to] = [incident.startedAt.getTime(), incident.resolvedAt.getTime()]
  const start = incident.isBackfilled || incident.isImported ? openedAt : from
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
  const statusGivenIn = ({ componentStatuses }: CorrectingUpdate) =>
    componentStatuses[componentId] as IncidentComponentStatus | undefined
  let closedAt = first.createdAt.getTime()
  let [status, lastStatus]: IncidentComponentStatus[] = ['operational', 'operational']
  let isOpen = false
  for (const update of updates.slice(updates.indexOf(first))) {
    if (update.status !== 'resolved') status = statusGivenIn(update) ?? status
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
    firstStatus: statusGivenIn(first) ?? 'operational',
    lastStatus: lastStatus ?? 'operational',
  }
}

const outage = (status: ComponentStatus | undefined, from: number, to: number): StatusSpan[] => {
  const isOutage = status !== undefined && status !== 'operational'
  // A maintenance is no outage, and has a history of its own.
  if (!isOutage || status === 'under_maintenance' || from >= to) return []
  return [{ status, from, to }]
}

const subtract = (span: TimeSpan, others: readonly TimeSpan[]): TimeSpan[] =>
  others.reduce<TimeSpan[]>(
    (left, other) =>
      left.flatMap(({ from, to }) =>
        [
          { from, to: Math.min(to, other.from) },
          { from: Math.max(from, other.to), to },
        ].filter((part) => part.from < part.to),
      ),
    span.from < span.to ? [span] : [],
  )
