/**
 * Computes who is on call, from a schedule and a time. Pure. Turns and restrictions use the latest
 * local time that the wall clock has shown. That time never goes back, so shifts never overlap and
 * consecutive turns of a layer leave no gap.
 */
import {
  MAX_ONCALL_DAYS,
  type OncallLayer,
  type Restriction,
  type RotationInterval,
} from '@status-page/contracts'
import { createWallClock, localTimeAt, type WallClock } from './wall-clock.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
export const DAY_MS = 24 * HOUR_MS
const WEEK_MS = 7 * DAY_MS
/** Monday, 1970-01-05. */
const FIRST_MONDAY_MS = 4 * DAY_MS

export interface OncallShiftOverride {
  userId: string
  startsAt: Date
  endsAt: Date
}

export interface RotationInput {
  timezone: string
  layers: readonly OncallLayer[]
  /** Newest first; the newest takes precedence. */
  overrides: readonly OncallShiftOverride[]
}

export interface OncallAssignment {
  userId: string
  /** Null when assigned by an override. */
  layerId: string | null
}

export interface Shift extends OncallAssignment {
  startsAt: number
  endsAt: number
}

/** Assignment at an instant; null when no user is on call. */
export const assignmentAtInstant = (
  rotation: RotationInput,
  instant: number,
): OncallAssignment | null => assignmentAt(buildPlan(rotation, instant, instant), instant)

/** Final schedule, clipped to `from` and `to`; contiguous turns of one user are one shift. */
export const shiftsBetween = (rotation: RotationInput, from: number, to: number): Shift[] => {
  const plan = buildPlan(rotation, from, to)
  const starts = [from, ...transitionsBetween(plan, from, to)]
  const shifts: Shift[] = []
  for (const [index, startsAt] of starts.entries()) {
    const endsAt = starts[index + 1] ?? to
    const assignment = assignmentAt(plan, startsAt)
    if (assignment === null || endsAt <= startsAt) continue
    const last = shifts.at(-1)
    if (last?.endsAt === startsAt && isSameAssignment(last, assignment)) last.endsAt = endsAt
    else shifts.push({ ...assignment, startsAt, endsAt })
  }
  return shifts
}

/**
 * Distances of the horizons tried one after another, in days; most shifts begin and end within
 * days, so the longer ones are rarely computed.
 */
const HORIZON_DAYS = [1, 8, MAX_ONCALL_DAYS]

export interface OncallPeriod extends OncallAssignment {
  /** Null when the shift began before the last horizon. */
  since: number | null
  /** Null when the shift ends after the last horizon. */
  until: number | null
}

export interface AdjacentPeriods {
  /** Shift at the instant; null in a gap. */
  current: OncallPeriod | null
  /** First later shift of a user who `isMember` accepts; null when none begins in time. */
  next: (OncallPeriod & { since: number }) | null
}

/** Shift at an instant and the one that follows it, which begins after a gap at the latest. */
export const adjacentPeriods = (
  rotation: RotationInput,
  instant: number,
  isMember: (userId: string) => boolean = () => true,
): AdjacentPeriods => {
  let periods: AdjacentPeriods = { current: null, next: null }
  for (const days of HORIZON_DAYS) {
    const horizon = instant + days * DAY_MS
    const shifts = shiftsBetween(rotation, instant, horizon)
    const periodOf = ({ userId, layerId, startsAt: since, endsAt }: Shift) => ({
      userId,
      layerId,
      since,
      until: endsAt < horizon ? endsAt : null,
    })
    const current = shifts.find(({ startsAt }) => startsAt === instant)
    const next = shifts.find(({ startsAt, userId }) => startsAt > instant && isMember(userId))
    periods = { current: current ? periodOf(current) : null, next: next ? periodOf(next) : null }
    const isCurrentComplete = periods.current === null || periods.current.until !== null
    if (isCurrentComplete && (periods.next?.until ?? null) !== null) break
  }
  const { current, next } = periods
  return { current: current && { ...current, since: shiftStart(rotation, instant) }, next }
}

/** Start of the shift at an instant; null when it lies before the last horizon. */
const shiftStart = (rotation: RotationInput, instant: number): number | null => {
  for (const days of HORIZON_DAYS) {
    const horizon = instant - days * DAY_MS
    const last = shiftsBetween(rotation, horizon, instant + 1).at(-1)
    if (last !== undefined && last.startsAt > horizon) return last.startsAt
  }
  return null
}

interface LayerPlan {
  layer: OncallLayer
  startsAt: number
  endsAt: number
  /** Local time at which the first turn is assumed to begin. */
  anchor: number
  turnMs: number
  coverage: WeekInterval[]
}

interface Plan {
  clock: WallClock
  /** Highest precedence first. */
  layers: LayerPlan[]
  overrides: readonly OncallShiftOverride[]
}

const buildPlan = (rotation: RotationInput, from: number, to: number): Plan => {
  // Of two layers of a schedule with equal `order`, the one later in the list takes precedence.
  const layers = rotation.layers
    .toReversed()
    .toSorted((left, right) => right.order - left.order)
    .map((layer) => buildLayerPlan(layer, rotation.timezone))
  const last = layers.findIndex((layer) => coversWholeWindow(layer, from, to))
  return {
    clock: createWallClock(rotation.timezone, from, to),
    layers: last === -1 ? layers : layers.slice(0, last + 1),
    overrides: rotation.overrides,
  }
}

/** Checks that a layer hides all layers below it from `from` to `to`. */
const coversWholeWindow = ({ startsAt, endsAt, coverage }: LayerPlan, from: number, to: number) =>
  startsAt <= from && endsAt > to && isWholeWeek(coverage)

const intervalsMs: Record<RotationInterval, number> = {
  hourly: HOUR_MS,
  daily: DAY_MS,
  weekly: WEEK_MS,
}

const buildLayerPlan = (layer: OncallLayer, timezone: string): LayerPlan => {
  const startsAt = Date.parse(layer.startsAt)
  const turnMs = intervalsMs[layer.rotationInterval] * layer.rotationLength
  return {
    layer,
    startsAt,
    endsAt: layer.endsAt === null ? Number.POSITIVE_INFINITY : Date.parse(layer.endsAt),
    anchor: anchorOf(layer, localTimeAt(timezone, startsAt), turnMs),
    turnMs,
    coverage: coverageOf(layer.restrictions),
  }
}

/**
 * Hand-off time on the day on which the layer starts, so that a layer that starts on a Monday hands
 * off on Mondays. The first user is also on call before that time. Hourly turns are shorter than
 * that wait, so their anchor is at or before the start.
 */
const anchorOf = (layer: OncallLayer, start: number, turnMs: number): number => {
  const anchor = start - modulo(start, DAY_MS) + parseTimeOfDay(layer.handoffTime)
  if (layer.rotationInterval !== 'hourly' || anchor <= start) return anchor
  return anchor - Math.ceil((anchor - start) / turnMs) * turnMs
}

const assignmentAt = (
  { clock, layers, overrides }: Plan,
  instant: number,
): OncallAssignment | null => {
  const override = overrides.find(
    ({ startsAt, endsAt }) => startsAt.getTime() <= instant && instant < endsAt.getTime(),
  )
  if (override !== undefined) return { userId: override.userId, layerId: null }
  const local = clock.latestLocalTime(instant)
  const plan = layers.find(
    ({ startsAt, endsAt, coverage }) =>
      startsAt <= instant && instant < endsAt && covers(coverage, local),
  )
  if (plan === undefined) return null
  const turn = Math.max(0, Math.floor((local - plan.anchor) / plan.turnMs))
  const { id: layerId, userIds } = plan.layer
  return { userId: userIds[turn % userIds.length] as string, layerId }
}

/** Instants between `from` and `to` at which the assignment may change, in order. */
const transitionsBetween = (
  { clock, layers, overrides }: Plan,
  from: number,
  to: number,
): number[] => {
  const locals = layers.flatMap((plan) => {
    const first = clock.latestLocalTime(Math.max(from, plan.startsAt))
    const last = clock.latestLocalTime(Math.min(to, plan.endsAt))
    return localTransitions(plan).flatMap(({ start, cycleMs }) =>
      recurrences(start, cycleMs, first, last),
    )
  })
  const instants = [
    ...[...new Set(locals)].map((local) => clock.instantOf(local)),
    ...layers.flatMap(({ startsAt, endsAt }) => [startsAt, endsAt]),
    ...overrides.flatMap(({ startsAt, endsAt }) => [startsAt.getTime(), endsAt.getTime()]),
  ]
  return [...new Set(instants)]
    .filter((instant) => from < instant && instant < to)
    .sort((left, right) => left - right)
}

/** Hand-offs between users and edges of restrictions, in local time. */
const localTransitions = ({ layer, anchor, turnMs, coverage }: LayerPlan) => {
  const edges = isWholeWeek(coverage) ? [] : coverage.flatMap(({ start, end }) => [start, end])
  return [
    ...(new Set(layer.userIds).size === 1 ? [] : [{ start: anchor, cycleMs: turnMs }]),
    ...edges.map((edge) => ({ start: FIRST_MONDAY_MS + edge, cycleMs: WEEK_MS })),
  ]
}

/** Occurrences of `start`, repeated every `cycleMs`, from `first` to `last`. */
const recurrences = (start: number, cycleMs: number, first: number, last: number): number[] => {
  const earliest = first + modulo(start - first, cycleMs)
  const count = Math.max(0, Math.floor((last - earliest) / cycleMs) + 1)
  return Array.from({ length: count }, (_, index) => earliest + index * cycleMs)
}

/** Interval of the local week, in ms since Monday 00:00. */
interface WeekInterval {
  start: number
  end: number
}

const wholeWeek: WeekInterval[] = [{ start: 0, end: WEEK_MS }]

const isWholeWeek = ([first]: readonly WeekInterval[]): boolean =>
  first?.start === 0 && first.end === WEEK_MS

/**
 * Merged, ordered intervals of the week that the restrictions allow; `covers` searches them by
 * bisection.
 */
const coverageOf = (restrictions: readonly Restriction[]): WeekInterval[] => {
  if (restrictions.length === 0) return wholeWeek
  const intervals = restrictions.flatMap(restrictionWindows).flatMap(splitAtWeekEnd)
  const merged: WeekInterval[] = []
  for (const { start, end } of intervals.sort((left, right) => left.start - right.start)) {
    const last = merged.at(-1)
    if (last === undefined || start > last.end) merged.push({ start, end })
    else last.end = Math.max(last.end, end)
  }
  return merged
}

const WEEK_DAYS = [0, 1, 2, 3, 4, 5, 6]

const restrictionWindows = (restriction: Restriction): WeekInterval[] => {
  const durationMs = restriction.durationSeconds * 1000
  const days = restriction.type === 'daily' ? WEEK_DAYS : [restriction.startDay - 1]
  return days.map((day) => {
    const start = day * DAY_MS + parseTimeOfDay(restriction.startTime)
    return { start, end: start + durationMs }
  })
}

/** Moves the part after Sunday to the beginning of the week. */
const splitAtWeekEnd = ({ start, end }: WeekInterval): WeekInterval[] =>
  end <= WEEK_MS
    ? [{ start, end }]
    : [
        { start, end: WEEK_MS },
        { start: 0, end: end - WEEK_MS },
      ]

const covers = (coverage: readonly WeekInterval[], local: number): boolean => {
  const weekTime = modulo(local - FIRST_MONDAY_MS, WEEK_MS)
  let [low, high] = [0, coverage.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((coverage[middle] as WeekInterval).end > weekTime) high = middle
    else low = middle + 1
  }
  const interval = coverage[low]
  return interval !== undefined && interval.start <= weekTime
}

const parseTimeOfDay = (text: string): number => {
  const [hours = 0, minutes = 0] = text.split(':').map(Number)
  return hours * HOUR_MS + minutes * MINUTE_MS
}

const modulo = (value: number, by: number): number => ((value % by) + by) % by

const isSameAssignment = (left: OncallAssignment, right: OncallAssignment): boolean =>
  left.userId === right.userId && left.layerId === right.layerId
