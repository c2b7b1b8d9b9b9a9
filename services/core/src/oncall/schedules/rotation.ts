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

/** A repeating window of local time. */
interface Window {
  start: number
  durationMs: number
  cycleMs: number
}

interface LayerPlan {
  layer: OncallLayer
  startsAt: number
  endsAt: number
  /** Local time at which the first turn is reckoned to begin. */
  anchor: number
  turnMs: number
  windows: Window[]
}

interface Plan {
  clock: WallClock
  /** The first one on duty wins. */
  layers: LayerPlan[]
  overrides: readonly Override[]
}

const planOf = (rota: Rota, from: number, to: number): Plan => ({
  clock: wallClock(rota.timezone, from, to),
  // Of two layers of one order the later in the list wins.
  layers: rota.layers
    .toReversed()
    .toSorted((left, right) => right.order - left.order)
    .map((layer) => layerPlanOf(layer, rota.timezone)),
  overrides: rota.overrides,
})

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
    windows: layer.restrictions.map(windowOf),
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

const windowOf = (restriction: Restriction): Window => {
  const durationMs = restriction.durationSeconds * 1000
  const time = timeOf(restriction.startTime)
  if (restriction.type === 'daily') return { start: time, durationMs, cycleMs: DAY_MS }
  const day = FIRST_MONDAY_MS + (restriction.startDay - 1) * DAY_MS
  return { start: day + time, durationMs, cycleMs: WEEK_MS }
}

const dutyAt = ({ clock, layers, overrides }: Plan, instant: number): Duty | null => {
  const override = overrides.find(
    ({ startsAt, endsAt }) => startsAt.getTime() <= instant && instant < endsAt.getTime(),
  )
  if (override !== undefined) return { userId: override.userId, layerId: null }
  const local = clock.reached(instant)
  const plan = layers.find((one) => isOnDuty(one, instant, local))
  if (plan === undefined) return null
  const turn = Math.max(0, Math.floor((local - plan.anchor) / plan.turnMs))
  const { id: layerId, userIds } = plan.layer
  return { userId: userIds[turn % userIds.length] as string, layerId }
}

const isOnDuty = (plan: LayerPlan, instant: number, local: number): boolean =>
  plan.startsAt <= instant &&
  instant < plan.endsAt &&
  (plan.windows.length === 0 ||
    plan.windows.some(
      ({ start, durationMs, cycleMs }) => modulo(local - start, cycleMs) < durationMs,
    ))

/** Instants after `from` and before `to` at which somebody else may come on duty, in order. */
const changesBetween = ({ clock, layers, overrides }: Plan, from: number, to: number): number[] => {
  const [first, last] = [clock.reached(from), clock.reached(to)]
  const locals = layers.flatMap(({ anchor, turnMs, windows }) => [
    ...recurrences(anchor, turnMs, first, last),
    ...windows.flatMap(({ start, durationMs, cycleMs }) => [
      ...recurrences(start, cycleMs, first, last),
      ...recurrences(start + durationMs, cycleMs, first, last),
    ]),
  ])
  const instants = [
    ...[...new Set(locals)].map((local) => clock.instantOf(local)),
    ...layers.flatMap(({ startsAt, endsAt }) => [startsAt, endsAt]),
    ...overrides.flatMap(({ startsAt, endsAt }) => [startsAt.getTime(), endsAt.getTime()]),
  ]
  return [...new Set(instants)]
    .filter((instant) => from < instant && instant < to)
    .sort((left, right) => left - right)
}

/** `start` and its repetitions, from `first` to `last`. */
const recurrences = (start: number, cycleMs: number, first: number, last: number): number[] => {
  const earliest = first + modulo(start - first, cycleMs)
  const count = Math.max(0, Math.floor((last - earliest) / cycleMs) + 1)
  return Array.from({ length: count }, (_, index) => earliest + index * cycleMs)
}

const timeOf = (text: string): number => {
  const [hours = 0, minutes = 0] = text.split(':').map(Number)
  return hours * HOUR_MS + minutes * MINUTE_MS
}

const modulo = (value: number, by: number): number => ((value % by) + by) % by

const isSame = (left: Duty, right: Duty): boolean =>
  left.userId === right.userId && left.layerId === right.layerId
