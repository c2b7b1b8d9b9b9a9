/**
 * Who is on call: a pure function of a schedule and the time. Turns and restrictions are reckoned in
 * the local time that the wall clock has reached, which never goes back; so shifts never overlap, and
 * between the turns of one layer nothing is left out.
 */
import type { OncallLayer, Restriction, RotationInterval } from '@status-page/contracts'
import { shownAt, type WallClock, wallClock } from './wall-clock.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
export const DAY_MS = 24 * HOUR_MS
const WEEK_MS = 7 * DAY_MS
/** 1970-01-05. */
const FIRST_MONDAY_MS = 4 * DAY_MS

export interface Override {
  userId: string
  startsAt: Date
  endsAt: Date
}

export interface Rota {
  timezone: string
  layers: readonly OncallLayer[]
  /** Newest first: it wins. */
  overrides: readonly Override[]
}

export interface Duty {
  userId: string
  /** Null by an override. */
  layerId: string | null
}

export interface Shift extends Duty {
  startsAt: number
  endsAt: number
}

/** Null: nobody. */
export const onCallAt = (rota: Rota, instant: number): Duty | null =>
  dutyAt(planOf(rota, instant, instant), instant)

/** The final schedule from `from` to `to`, cut there; contiguous turns of one person are one shift. */
export const shiftsBetween = (rota: Rota, from: number, to: number): Shift[] => {
  const plan = planOf(rota, from, to)
  const starts = [from, ...changesBetween(plan, from, to)]
  const shifts: Shift[] = []
  for (const [index, startsAt] of starts.entries()) {
    const endsAt = starts[index + 1] ?? to
    const duty = dutyAt(plan, startsAt)
    if (duty === null || endsAt <= startsAt) continue
    const last = shifts.at(-1)
    if (last?.endsAt === startsAt && isSame(last, duty)) last.endsAt = endsAt
    else shifts.push({ ...duty, startsAt, endsAt })
  }
  return shifts
}

/** Looks further only where the shift goes on, because most end within days. */
const LOOK_AHEAD_DAYS = [1, 8, 90]

/** Who is on call and until when; null: longer than anybody looks ahead. */
export const currentShift = (
  rota: Rota,
  instant: number,
): (Duty & { until: number | null }) | null => {
  for (const days of LOOK_AHEAD_DAYS) {
    const horizon = instant + days * DAY_MS
    const [first] = shiftsBetween(rota, instant, horizon)
    if (first === undefined || first.startsAt > instant) return null
    const { startsAt: _startsAt, endsAt, ...duty } = first
    if (endsAt < horizon) return { ...duty, until: endsAt }
    if (days === LOOK_AHEAD_DAYS.at(-1)) return { ...duty, until: null }
  }
  return null
}

interface LayerPlan {
  layer: OncallLayer
  startsAt: number
  endsAt: number
  /** Local time at which the first turn is reckoned to begin. */
  anchor: number
  turnMs: number
  coverage: Stretch[]
}

interface Plan {
  clock: WallClock
  /** The first one on duty wins. */
  layers: LayerPlan[]
  overrides: readonly Override[]
}

const planOf = (rota: Rota, from: number, to: number): Plan => {
  // Of two layers of one order the later in the list wins.
  const layers = rota.layers
    .toReversed()
    .toSorted((left, right) => right.order - left.order)
    .map((layer) => layerPlanOf(layer, rota.timezone))
  const last = layers.findIndex((one) => isAlwaysOnDuty(one, from, to))
  return {
    clock: wallClock(rota.timezone, from, to),
    layers: last === -1 ? layers : layers.slice(0, last + 1),
    overrides: rota.overrides,
  }
}

/** Nothing below it ever shows. */
const isAlwaysOnDuty = ({ startsAt, endsAt, coverage }: LayerPlan, from: number, to: number) =>
  startsAt <= from && endsAt > to && isWhole(coverage)

const intervalsMs: Record<RotationInterval, number> = {
  hourly: HOUR_MS,
  daily: DAY_MS,
  weekly: WEEK_MS,
}

const layerPlanOf = (layer: OncallLayer, timezone: string): LayerPlan => {
  const startsAt = Date.parse(layer.startsAt)
  const turnMs = intervalsMs[layer.rotationInterval] * layer.rotationLength
  return {
    layer,
    startsAt,
    endsAt: layer.endsAt === null ? Number.POSITIVE_INFINITY : Date.parse(layer.endsAt),
    anchor: anchorOf(layer, shownAt(timezone, startsAt), turnMs),
    turnMs,
    coverage: coverageOf(layer.restrictions),
  }
}

/**
 * The hand-off time of the day on which the layer starts: who starts on a Monday hands off on Mondays.
 * Until it the first person is on duty too. Hourly turns are shorter than that wait and begin before.
 */
const anchorOf = (layer: OncallLayer, start: number, turnMs: number): number => {
  const anchor = start - modulo(start, DAY_MS) + timeOf(layer.handoffTime)
  if (layer.rotationInterval !== 'hourly' || anchor <= start) return anchor
  return anchor - Math.ceil((anchor - start) / turnMs) * turnMs
}

const dutyAt = ({ clock, layers, overrides }: Plan, instant: number): Duty | null => {
  const override = overrides.find(
    ({ startsAt, endsAt }) => startsAt.getTime() <= instant && instant < endsAt.getTime(),
  )
  if (override !== undefined) return { userId: override.userId, layerId: null }
  const local = clock.reached(instant)
  const plan = layers.find(
    ({ startsAt, endsAt, coverage }) =>
      startsAt <= instant && instant < endsAt && covers(coverage, local),
  )
  if (plan === undefined) return null
  const turn = Math.max(0, Math.floor((local - plan.anchor) / plan.turnMs))
  const { id: layerId, userIds } = plan.layer
  return { userId: userIds[turn % userIds.length] as string, layerId }
}

/** Instants after `from` and before `to` at which somebody else may come on duty, in order. */
const changesBetween = ({ clock, layers, overrides }: Plan, from: number, to: number): number[] => {
  const locals = layers.flatMap((plan) => {
    const first = clock.reached(Math.max(from, plan.startsAt))
    const last = clock.reached(Math.min(to, plan.endsAt))
    return localChanges(plan).flatMap(({ start, cycleMs }) =>
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

/** Hand-offs from one to another, and the edges of windows. */
const localChanges = ({ layer, anchor, turnMs, coverage }: LayerPlan) => {
  const edges = isWhole(coverage) ? [] : coverage.flatMap(({ start, end }) => [start, end])
  return [
    ...(new Set(layer.userIds).size === 1 ? [] : [{ start: anchor, cycleMs: turnMs }]),
    ...edges.map((edge) => ({ start: FIRST_MONDAY_MS + edge, cycleMs: WEEK_MS })),
  ]
}

/** `start` and its repetitions, from `first` to `last`. */
const recurrences = (start: number, cycleMs: number, first: number, last: number): number[] => {
  const earliest = first + modulo(start - first, cycleMs)
  const count = Math.max(0, Math.floor((last - earliest) / cycleMs) + 1)
  return Array.from({ length: count }, (_, index) => earliest + index * cycleMs)
}

/** A part of the local week, from Monday 00:00. */
interface Stretch {
  start: number
  end: number
}

const wholeWeek: Stretch[] = [{ start: 0, end: WEEK_MS }]

const isWhole = ([first]: readonly Stretch[]): boolean =>
  first?.start === 0 && first.end === WEEK_MS

/** The windows as parts of the week that do not touch, in order: looked up once for each change. */
const coverageOf = (restrictions: readonly Restriction[]): Stretch[] => {
  if (restrictions.length === 0) return wholeWeek
  const stretches = restrictions.flatMap(windowsOf).flatMap(withinWeek)
  const merged: Stretch[] = []
  for (const { start, end } of stretches.sort((left, right) => left.start - right.start)) {
    const last = merged.at(-1)
    if (last === undefined || start > last.end) merged.push({ start, end })
    else last.end = Math.max(last.end, end)
  }
  return merged
}

const WEEK_DAYS = [0, 1, 2, 3, 4, 5, 6]

const windowsOf = (restriction: Restriction): Stretch[] => {
  const durationMs = restriction.durationSeconds * 1000
  const days = restriction.type === 'daily' ? WEEK_DAYS : [restriction.startDay - 1]
  return days.map((day) => {
    const start = day * DAY_MS + timeOf(restriction.startTime)
    return { start, end: start + durationMs }
  })
}

/** What reaches beyond Sunday begins the week. */
const withinWeek = ({ start, end }: Stretch): Stretch[] =>
  end <= WEEK_MS
    ? [{ start, end }]
    : [
        { start, end: WEEK_MS },
        { start: 0, end: end - WEEK_MS },
      ]

const covers = (coverage: readonly Stretch[], local: number): boolean => {
  const place = modulo(local - FIRST_MONDAY_MS, WEEK_MS)
  let [low, high] = [0, coverage.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((coverage[middle] as Stretch).end > place) high = middle
    else low = middle + 1
  }
  const stretch = coverage[low]
  return stretch !== undefined && stretch.start <= place
}

const timeOf = (text: string): number => {
  const [hours = 0, minutes = 0] = text.split(':').map(Number)
  return hours * HOUR_MS + minutes * MINUTE_MS
}

const modulo = (value: number, by: number): number => ((value % by) + by) % by

const isSame = (left: Duty, right: Duty): boolean =>
  left.userId === right.userId && left.layerId === right.layerId
