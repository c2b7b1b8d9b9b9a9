/**
 * Status history corrected by incidents that were entered or changed after the fact. Pure. Recorded
 * statuses are retained, so that the removal of a correction restores them.
 */
import type {
  ComponentStatus,
  Cooperative,
  IncidentComponentStatus,
  StatusSource,
} from '@status-page/contracts'
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
 * Applies all corrections of one component to its intervals, oldest first, in time proportional to
 * both. With `createdAt`, outages before the creation of the component extend the history to their
 * start; `intervals` must then include all earlier ones.
 */
export function* correctIntervals(
  intervals: readonly CorrectedInterval[],
  spans: readonly StatusSpan[],
  createdAt: number | null,
): Cooperative<CorrectedInterval[]> {
  const recorded = intervals
    .filter(({ startedAt }) => createdAt === null || startedAt >= createdAt)
    .map((interval) => ({
      ...interval,
      status: interval.recordedStatus ?? interval.status,
      source: interval.recordedSource ?? interval.source,
    }))
  const earlier = createdAt === null ? [] : earlierInterval(spans, createdAt)
  const active = new ActiveSpans(spans)
  // Recorded history stays apart from what precedes it, so that the next correction finds it.
  return [
    ...merged(yield* correctedBy(active, earlier)),
    ...merged(yield* correctedBy(active, recorded)),
  ]
}

const uncorrected = { recordedStatus: null, recordedSource: null }

const earlierInterval = (spans: readonly StatusSpan[], createdAt: number): CorrectedInterval[] => {
  const startedAt = spans.reduce(
    (first, { status, from }) => (status === 'operational' ? first : Math.min(first, from)),
    createdAt,
  )
  if (startedAt === createdAt) return []
  return [
    { startedAt, endedAt: createdAt, status: 'operational', source: 'manual', ...uncorrected },
  ]
}

interface SpanEdge {
  at: number
  status: StatusSpan['status']
  change: 1 | -1
}

/** Corrections that are active at a time, which only advances. */
class ActiveSpans {
  readonly #edges: readonly SpanEdge[]
  readonly #counts = new Map<StatusSpan['status'], number>()
  #next = 0

  constructor(spans: readonly StatusSpan[]) {
    this.#edges = spans
      .flatMap(({ status, from, to }) => [
        { at: from, status, change: 1 as const },
        { at: to, status, change: -1 as const },
      ])
      .toSorted((left, right) => left.at - right.at)
  }

  /** Statuses of the corrections that are active at the time. */
  statusesAt(time: number): StatusSpan['status'][] {
    for (; this.nextChange <= time; this.#next++) {
      const { status, change } = this.#edges[this.#next] as SpanEdge
      this.#counts.set(status, (this.#counts.get(status) ?? 0) + change)
    }
    return [...this.#counts].flatMap(([status, count]) => (count > 0 ? [status] : []))
  }

  /** Time of the next start or end of a correction. */
  get nextChange(): number {
    return this.#edges[this.#next]?.at ?? Number.POSITIVE_INFINITY
  }
}

function* correctedBy(
  active: ActiveSpans,
  intervals: readonly CorrectedInterval[],
): Cooperative<CorrectedInterval[]> {
  const result: CorrectedInterval[] = []
  for (const { startedAt, endedAt, status, source } of intervals) {
    const end = endedAt ?? Number.POSITIVE_INFINITY
    for (let from = startedAt; from < end; ) {
      const shown = shownStatus({ status, source }, active.statusesAt(from))
      const until = active.nextChange < end ? active.nextChange : endedAt
      const isSame = shown.status === status && shown.source === source
      const recorded = isSame ? uncorrected : { recordedStatus: status, recordedSource: source }
      result.push({ ...shown, startedAt: from, endedAt: until, ...recorded })
      from = until ?? end
      yield
    }
  }
  return result
}

type Shown = Pick<CorrectedInterval, 'status' | 'source'>

const shownStatus = (recorded: Shown, active: readonly StatusSpan['status'][]): Shown => {
  const isRemoved = recorded.source === 'incident' && active.includes('operational')
  const base: Shown = isRemoved ? { status: 'operational', source: 'manual' } : recorded
  const status = worstStatus([base.status, ...active]) ?? base.status
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
