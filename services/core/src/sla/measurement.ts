/**
 * Downtime of several components over a span, computed from their status history. Pure, in whole
 * milliseconds. Results of adjoining spans add up to the result of the covering span, whatever the
 * terms.
 */
import type { Cooperative, DowntimeStatus, SlaAggregation } from '@status-page/contracts'
import type { StatusIntervalWithSource } from '../components/uptime/history.ts'
import type { TimeSpan } from '../components/uptime/uptime.ts'
import { flatMapInSteps, STEP_ENTRIES, sortInSteps } from './steps.ts'

export interface SlaTerms {
  aggregation: SlaAggregation
  downtimeStatuses: readonly DowntimeStatus[]
  /** Weight of each downtime status except major_outage. */
  partialWeight: number
  excludeMaintenance: boolean
  minOutageSeconds: number
}

/** Totals in ms: counted time with data, time excluded by maintenance, and weighted downtime. */
export interface SlaTotals {
  countedMs: number
  excludedMs: number
  downtimeMs: number
}

export interface Outage extends TimeSpan {
  componentId: string
  status: DowntimeStatus
  /** True when the outage continues after the span, or after now. */
  isOngoing: boolean
}

export interface SlaMeasurement extends SlaTotals {
  /** Start of the data within the span; null without data. */
  since: number | null
  components: ReadonlyMap<string, SlaTotals>
  /** Outages of each component, cut to the span, oldest first. */
  outages: readonly Outage[]
}

/** Interval of a component's status; states whether a maintenance of the component was active. */
export interface SlaInterval extends StatusIntervalWithSource {
  duringMaintenance?: boolean
}

export type SlaHistories = ReadonlyMap<string, readonly SlaInterval[]>

const SECOND_MS = 1_000

/** Span that the history must cover, so that the full length of outages at the edges is known. */
export const requiredHistorySpan = (
  { from, to }: TimeSpan,
  { minOutageSeconds }: SlaTerms,
): TimeSpan => ({
  from: from - minOutageSeconds * SECOND_MS,
  to: to + minOutageSeconds * SECOND_MS,
})

/** `histories` cover `requiredHistorySpan`; time after `now` is ignored. */
export function* measureSla(
  histories: SlaHistories,
  terms: SlaTerms,
  window: TimeSpan,
  now: Date,
): Cooperative<SlaMeasurement> {
  const span = { from: window.from, to: Math.min(window.to, now.getTime()) }
  const single = { ...terms, aggregation: 'any_down' as const }
  const all: Piece[] = []
  const outages: Outage[] = []
  const components = new Map<string, SlaTotals>()
  let since: number | null = null
  for (const [id, history] of histories) {
    const classified = yield* classify(history, terms, now.getTime())
    const pieces = yield* flatMapInSteps(classified, (piece) => {
      const parts = cut(piece, span)
      all.push(...parts)
      outages.push(...parts.flatMap((part) => outageOf(id, part, now)))
      return parts
    })
    components.set(id, yield* sweep(pieces, single))
    const [first] = pieces
    if (first !== undefined) since = Math.min(first.from, since ?? first.from)
  }
  return {
    ...(yield* sweep(all, terms)),
    since,
    components,
    outages: yield* sortInSteps(outages, (left, right) => left.from - right.from),
  }
}

type Kind = 'up' | 'partial' | 'full' | 'excluded'

interface Piece extends TimeSpan {
  kind: Kind
  status: StatusIntervalWithSource['status']
}

/** Splits a history by how its statuses count; outages below the minimum length count as uptime. */
function* classify(
  history: readonly SlaInterval[],
  terms: SlaTerms,
  now: number,
): Cooperative<Piece[]> {
  const pieces: Piece[] = []
  for (const [index, interval] of history.entries()) {
    if (index % STEP_ENTRIES === 0) yield
    const kind = kindOf(interval, terms)
    const { status, startedAt: from } = interval
    const to = interval.endedAt ?? Math.max(now, from)
    const last = pieces.at(-1)
    if (last?.kind === kind && last.status === status && last.to === from) last.to = to
    else pieces.push({ kind, status, from, to })
  }
  return yield* dropShortOutages(pieces, terms.minOutageSeconds * SECOND_MS)
}

const kindOf = (interval: SlaInterval, terms: SlaTerms): Kind => {
  const { status, source, duringMaintenance = false } = interval
  if (status === 'under_maintenance') {
    return terms.excludeMaintenance && source === 'maintenance' ? 'excluded' : 'up'
  }
  if (!terms.downtimeStatuses.some((counted) => counted === status)) return 'up'
  if (terms.excludeMaintenance && duringMaintenance) return 'excluded'
  return status === 'major_outage' ? 'full' : 'partial'
}

const isDown = ({ kind }: Piece): boolean => kind === 'partial' || kind === 'full'

/** An outage is a run of downtime, whatever its statuses. */
function* dropShortOutages(pieces: readonly Piece[], minOutageMs: number): Cooperative<Piece[]> {
  let run: TimeSpan = { from: 0, to: 0 }
  let last: Piece | undefined
  const runs = yield* flatMapInSteps(pieces, (piece) => {
    const isContinued =
      last !== undefined && isDown(last) && isDown(piece) && last.to === piece.from
    if (isContinued) run.to = piece.to
    else run = { from: piece.from, to: piece.to }
    last = piece
    return [{ piece, run }]
  })
  return yield* flatMapInSteps(runs, ({ piece, run: { from, to } }) => [
    isDown(piece) && to - from < minOutageMs ? { ...piece, kind: 'up' as const } : piece,
  ])
}

const cut = (piece: Piece, span: TimeSpan): Piece[] => {
  const from = Math.max(piece.from, span.from)
  const to = Math.min(piece.to, span.to)
  return from < to ? [{ ...piece, from, to }] : []
}

/** Sweeps over the edges of all histories and aggregates the components between two edges. */
function* sweep(
  pieces: readonly Piece[],
  terms: Pick<SlaTerms, 'aggregation' | 'partialWeight'>,
): Cooperative<SlaTotals> {
  const unsorted = yield* flatMapInSteps(pieces, ({ kind, from, to }) => [
    { at: from, kind, step: 1 },
    { at: to, kind, step: -1 },
  ])
  const edges = yield* sortInSteps(unsorted, (left, right) => left.at - right.at)
  const showing: Record<Kind, number> = { up: 0, partial: 0, full: 0, excluded: 0 }
  const totals = { countedMs: 0, excludedMs: 0, downtimeMs: 0 }
  let since = edges[0]?.at ?? 0
  for (const [index, { at, kind, step }] of edges.entries()) {
    if (index % STEP_ENTRIES === 0) yield
    const lengthMs = at - since
    if (showing.up + showing.partial + showing.full > 0) {
      totals.countedMs += lengthMs
      totals.downtimeMs += lengthMs * weightOf[terms.aggregation](showing, terms.partialWeight)
    } else if (showing.excluded > 0) totals.excludedMs += lengthMs
    showing[kind] += step
    since = at
  }
  return { ...totals, downtimeMs: Math.round(totals.downtimeMs) }
}

/** Downtime weight of a moment. Components under maintenance are excluded. */
const weightOf: Record<
  SlaAggregation,
  (showing: Record<Kind, number>, partialWeight: number) => number
> = {
  any_down: ({ partial, full }, partialWeight) => {
    if (full > 0) return 1
    return partial > 0 ? partialWeight : 0
  },
  average: ({ up, partial, full }, partialWeight) =>
    (full + partial * partialWeight) / (up + partial + full),
}

const outageOf = (componentId: string, piece: Piece, now: Date): Outage[] => {
  if (!isDown(piece)) return []
  const { from, to } = piece
  const isOngoing = to >= now.getTime()
  return [{ componentId, status: piece.status as DowntimeStatus, from, to, isOngoing }]
}
