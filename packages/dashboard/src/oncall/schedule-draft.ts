/** Settings of a schedule as a form holds them, and their conversion from and to the API. */
import type { Schemas } from '@status-page/client'
import type { Schedule } from './queries.ts'

type Layer = Schedule['layers'][number]
export type LayerWindow = Layer['restrictions'][number]

/** Numbers are texts, as they are entered. */
export interface LayerDraft {
  /** Null for a layer that is not stored. */
  id: string | null
  name: string
  /** Null: now. */
  startsAt: string | null
  endsAt: string | null
  rotationInterval: Layer['rotationInterval']
  rotationLength: string
  handoffTime: string
  userIds: string[]
  restrictions: LayerWindow[]
}

export interface StepDraft {
  delayMinutes: string
  targets: string[]
}

export interface ScheduleDraft {
  name: string
  description: string
  timezone: string
  isEnabled: boolean
  componentIds: string[]
  events: Schedule['events'][number][]
  /** The last one has the highest precedence. */
  layers: LayerDraft[]
  escalation: StepDraft[]
}

export const newLayer: LayerDraft = {
  id: null,
  name: '',
  startsAt: null,
  endsAt: null,
  rotationInterval: 'weekly',
  rotationLength: '1',
  handoffTime: '09:00',
  userIds: [],
  restrictions: [],
}

export const newSchedule = (timezone: string): ScheduleDraft => ({
  name: '',
  description: '',
  timezone,
  isEnabled: true,
  componentIds: [],
  events: [],
  layers: [newLayer],
  escalation: [{ delayMinutes: '0', targets: ['schedule'] }],
})

export const draftOf = (schedule: Schedule): ScheduleDraft => ({
  name: schedule.name,
  description: schedule.description ?? '',
  timezone: schedule.timezone,
  isEnabled: schedule.isEnabled,
  componentIds: [...schedule.componentIds],
  events: [...schedule.events],
  // Of two layers of equal order the later one takes precedence, and a sort retains their order.
  layers: [...schedule.layers]
    .sort((left, right) => left.order - right.order)
    .map(({ order: _order, ...layer }) => ({
      ...layer,
      rotationLength: String(layer.rotationLength),
      userIds: [...layer.userIds],
      restrictions: [...layer.restrictions],
    })),
  escalation: schedule.escalation.map(({ delayMinutes, targets }) => ({
    delayMinutes: String(delayMinutes),
    targets: [...targets],
  })),
})

/** A text that is no number is sent as it is: the service refuses it with its own message. */
const numberOf = (text: string): number => {
  const value = text.trim() === '' ? Number.NaN : Number(text)
  return (Number.isFinite(value) ? value : text) as number
}

type Body = Schemas['CreateOncallSchedule']

const toApi: { [Field in keyof ScheduleDraft]: (value: ScheduleDraft[Field]) => unknown } = {
  name: (name) => name,
  description: (text) => (text === '' ? null : text),
  timezone: (timezone) => timezone,
  isEnabled: (isEnabled) => isEnabled,
  componentIds: (ids) => ids,
  events: (events) => events,
  layers: (layers) =>
    layers.map(({ id, name, startsAt, rotationLength, ...layer }, order) => ({
      ...layer,
      ...(id !== null && { id }),
      ...(name !== '' && { name }),
      ...(startsAt !== null && { startsAt }),
      rotationLength: numberOf(rotationLength),
      order,
    })),
  escalation: (steps) =>
    steps.map(({ delayMinutes, targets }) => ({ delayMinutes: numberOf(delayMinutes), targets })),
}

/** Body of a request with the given fields. */
export const bodyOf = <Fields extends Partial<ScheduleDraft>>(
  draft: Fields,
): Pick<Body, keyof Fields & keyof Body> => {
  const entries = Object.entries(draft).map(([field, value]) => {
    const convert = toApi[field as keyof ScheduleDraft] as (given: unknown) => unknown
    return [field, convert(value)]
  })
  return Object.fromEntries(entries)
}

const MINUTE_S = 60
const HOUR_S = 60 * MINUTE_S
const DAY_S = 24 * HOUR_S
const WEEK_S = 7 * DAY_S

export interface WindowEnd {
  /** Day of the week; 1 is Monday. */
  day: number
  time: string
}

const secondsOf = (time: string): number => {
  const [hours = 0, minutes = 0] = time.split(':').map(Number)
  return hours * HOUR_S + minutes * MINUTE_S
}

/** Local end of a window; that of a daily one has no day. */
export const windowEnd = (restriction: LayerWindow): WindowEnd => {
  const { startTime, durationSeconds } = restriction
  const startDay = restriction.type === 'weekly' ? restriction.startDay : 1
  const seconds = (startDay - 1) * DAY_S + secondsOf(startTime) + durationSeconds
  const ofDay = seconds % DAY_S
  const two = (value: number) => String(Math.floor(value)).padStart(2, '0')
  const time = `${two(ofDay / HOUR_S)}:${two((ofDay % HOUR_S) / MINUTE_S)}`
  return { day: (Math.floor(seconds / DAY_S) % 7) + 1, time }
}

/** Window with another end. An end at the start is that of the next day or week. */
export const endingAt = (restriction: LayerWindow, { day, time }: WindowEnd): LayerWindow => {
  const isWeekly = restriction.type === 'weekly'
  const cycle = isWeekly ? WEEK_S : DAY_S
  const days = isWeekly ? day - restriction.startDay : 0
  const seconds = days * DAY_S + secondsOf(time) - secondsOf(restriction.startTime)
  return { ...restriction, durationSeconds: ((seconds % cycle) + cycle) % cycle || cycle }
}

export const newWindow = (type: LayerWindow['type']): LayerWindow =>
  type === 'daily'
    ? { type, startTime: '09:00', durationSeconds: 8 * HOUR_S }
    : { type, startDay: 1, startTime: '09:00', durationSeconds: 4 * DAY_S + 8 * HOUR_S }
