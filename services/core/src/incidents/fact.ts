/**
 * Fits the data of incident and maintenance events into the size limit of an event. Reductions,
 * mildest first: packed ancestors, truncated names, a truncated message (the page shows it in
 * full), and fewer names on single pages. Component ids, on which the audience depends, are never
 * dropped.
 */
import {
  type EventPage,
  type IncidentEventData,
  MAX_EVENT_BYTES,
  MAX_INCIDENT_COMPONENTS,
  type MaintenanceEventData,
  packAncestors,
  packPositions,
  unpackPositions,
} from '@status-page/contracts'

/** Lengths in code points, tried in order; 500 names of 15 four-byte code points are 30 KB. */
const SHORTER_NAMES = [60, 30, 15]
const ELLIPSIS = '…'

export const fitEventSize = (fact: IncidentEventData): IncidentEventData => fitting(fact)

export const fittingMaintenance = (fact: MaintenanceEventData): MaintenanceEventData =>
  fitting(fact)

type Fact = IncidentEventData | MaintenanceEventData

const fitting = <Told extends Fact>(fact: Told): Told => {
  if (excessOf(fact) <= 0) return fact
  const packed = packAncestors(fact)
  const candidates = SHORTER_NAMES.map((length) => withNames(packed, length))
  const found = [packed, ...candidates].find((candidate) => excessOf(candidate) <= 0)
  return found ?? withShorterMessage(withFewerPages(candidates.at(-1) ?? packed))
}

/**
 * Keeps as many pages as fit without a message: display names are dropped first, then the newest
 * pages.
 */
const withFewerPages = <Told extends Fact>(fact: Told): Told => {
  const fits = (pages: readonly EventPage[]) =>
    excessOf({ ...fact, pages: [...pages], message: ELLIPSIS }) <= 0
  const all = fact.pages ?? []
  if (fits(all)) return fact
  const unnamed = all.map(withoutNames)
  let [fitting, excessive] = [0, unnamed.length + 1]
  while (excessive - fitting > 1) {
    const middle = Math.floor((fitting + excessive) / 2)
    if (fits(unnamed.slice(0, middle))) fitting = middle
    else excessive = middle
  }
  return { ...fact, pages: unnamed.slice(0, fitting) }
}

/**
 * Omits components with a display name, because readers of the page must not see the internal name.
 */
const withoutNames = ({ names = {}, ...page }: EventPage): EventPage => {
  const isShown = unpackPositions(page.shown)
  const positions = Array.from({ length: MAX_INCIDENT_COMPONENTS }, (_none, position) => position)
  const own = positions.filter((position) => isShown(position) && names[position] === undefined)
  return { ...page, shown: packPositions(own) }
}

/** Bytes above the size limit of an event. */
const excessOf = (fact: Fact): number =>
  Buffer.byteLength(JSON.stringify('news' in fact ? { maintenance: fact } : { incident: fact })) -
  MAX_EVENT_BYTES

const withNames = <Told extends Fact>(fact: Told, length: number): Told => ({
  ...fact,
  components: fact.components.map((one) => ({ ...one, name: shortened(one.name, length) })),
  ...(fact.pages === undefined
    ? {}
    : { pages: fact.pages.map((page) => withShortNames(page, length)) }),
})

const withShortNames = ({ names, ...page }: EventPage, length: number): EventPage =>
  names === undefined
    ? page
    : {
        ...page,
        names: Object.fromEntries(
          Object.entries(names).map(([position, name]) => [position, shortened(name, length)]),
        ),
      }

const shortened = (text: string, length: number): string => {
  const points = [...text]
  return points.length <= length ? text : `${points.slice(0, length - 1).join('')}${ELLIPSIS}`
}

const withShorterMessage = <Told extends Fact>(fact: Told): Told => {
  let room = -excessOf({ ...fact, message: ELLIPSIS })
  let message = ''
  for (const point of fact.message) {
    room -= Buffer.byteLength(JSON.stringify(point)) - '""'.length
    if (room < 0) break
    message += point
  }
  return { ...fact, message: `${message}${ELLIPSIS}` }
}
