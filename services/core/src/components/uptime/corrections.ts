/**
 * Status history corrected by incidents that were entered or changed after the fact. Pure. Recorded
 * statuses are retained, so that the removal of a correction restores them.
 */
import type { ComponentStatus, IncidentComponentStatus, StatusSource } from '@status-page/contracts'
import { type StatusInterval, type TimeSpan, worstStatus } from './uptime.ts'

/** A correction: the worst status applies; `operational` removes statuses set by incidents. */
export interface StatusSpan extends TimeSpan {
  status: IncidentComponentStatus
}

export interface CorrectedInterval extends StatusInterval {
  source: StatusSource
  /** Status and source before the correction; null where nothing is corrected. */
  recordedStatus: ComponentStatus | null
  recordedSource: StatusSource | null
}

/**
 * Applies all corrections of one component to its intervals, oldest first. With `createdAt`,
 * outages before the creation of the component extend the history to their start; `intervals` must
 * then include all earlier ones.
 */
export const correctIntervals = (
  intervals: readonly CorrectedInterval[],
  spans: readonly StatusSpan[],
  createdAt: number | null,
): CorrectedInterval[] => {
  const recorded = intervals
    .filter(({ startedAt }) => createdAt === null || startedAt >= createdAt)
    .map((one) => ({
      ...one,
      status: one.recordedStatus ?? one.status,
      source: one.recordedSource ?? one.source,
    }))
  const earlier = createdAt === null ? [] : earlierInterval(spans, createdAt)
  const correct = (interval: CorrectedInterval) => corrected(interval, spans)
  // Recorded history stays apart from what precedes it, so that the next correction finds it.
  return [...merged(earlier.flatMap(correct)), ...merged(recorded.flatMap(correct))]
}

const uncorrected = { recordedStatus: null, recordedSource: null }

const earlierInterval = (spans: readonly StatusSpan[], createdAt: number): CorrectedInterval[] => {
  const outages = spans.filter(({ status }) => status !== 'operational')
  const startedAt = Math.min(createdAt, ...outages.map(({ from }) => from))
  if (startedAt === createdAt) return []
  return [
    { startedAt, endedAt: createdAt, status: 'operational', source: 'manual', ...uncorrected },
  ]
}

const corrected = (
  interval: CorrectedInterval,
  spans: readonly StatusSpan[],
): CorrectedInterval[] => {
  const { startedAt, endedAt, status, source } = interval
  const end = endedAt ?? Number.POSITIVE_INFINITY
  const overlapping = spans.filter(({ from, to }) => from < end && to > startedAt)
  const edges = overlapping.flatMap(({ from, to }) => [from, to])
  const inside = edges.filter((edge) => edge > startedAt && edge < end)
  const starts = [startedAt, ...new Set(inside.toSorted((left, right) => left - right))]
  return starts.map((from, index) => {
    const active = overlapping.filter((span) => span.from <= from && span.to > from)
    const shown = shownStatus({ status, source }, active)
    const isSame = shown.status === status && shown.source === source
    const recorded = isSame ? uncorrected : { recordedStatus: status, recordedSource: source }
    return { ...shown, startedAt: from, endedAt: starts[index + 1] ?? endedAt, ...recorded }
  })
}

type Shown = Pick<CorrectedInterval, 'status' | 'source'>

const shownStatus = (recorded: Shown, active: readonly StatusSpan[]): Shown => {
  const isRemoved =
    recorded.source === 'incident' && active.some(({ status }) => status === 'operational')
  const base: Shown = isRemoved ? { status: 'operational', source: 'manual' } : recorded
  const status = worstStatus([base.status, ...active.map((span) => span.status)]) ?? base.status
  return status === base.status ? base : { status, source: 'incident' }
}

/** Joins adjoining intervals that differ in their times only. */
const merged = (intervals: readonly CorrectedInterval[]): CorrectedInterval[] => {
  const result: CorrectedInterval[] = []
  for (const interval of intervals) {
    const last = result.at(-1)
    const isContinued =
      last !== undefined &&
      last.endedAt === interval.startedAt &&
      last.status === interval.status &&
      last.source === interval.source &&
      last.recordedStatus === interval.recordedStatus &&
      last.recordedSource === interval.recordedSource
    if (isContinued) last.endedAt = interval.endedAt
    else result.push({ ...interval })
  }
  return result
}
