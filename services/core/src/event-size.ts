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

export const fitIncidentEventSize = (data: IncidentEventData): IncidentEventData => fitSize(data)

export const fitMaintenanceEventSize = (data: MaintenanceEventData): MaintenanceEventData =>
  fitSize(data)

type SizedEventData = IncidentEventData | MaintenanceEventData

const fitSize = <Data extends SizedEventData>(data: Data): Data => {
  if (excessBytes(data) <= 0) return data
  const packed = packAncestors(data)
  const candidates = SHORTER_NAMES.map((length) => withNames(packed, length))
  const found = [packed, ...candidates].find((candidate) => excessBytes(candidate) <= 0)
  return found ?? withShorterMessage(withFewerPages(candidates.at(-1) ?? packed))
}

/**
 * Keeps as many pages as fit without a message: display names are dropped first, then the newest
 * pages.
 */
const withFewerPages = <Data extends SizedEventData>(data: Data): Data => {
  const fits = (pages: readonly EventPage[]) =>
    excessBytes({ ...data, pages: [...pages], message: ELLIPSIS }) <= 0
  const all = data.pages ?? []
  if (fits(all)) return data
  const unnamed = all.map(withoutNames)
  let [fitSize, excessive] = [0, unnamed.length + 1]
  while (excessive - fitSize > 1) {
    const middle = Math.floor((fitSize + excessive) / 2)
    if (fits(unnamed.slice(0, middle))) fitSize = middle
    else excessive = middle
  }
  return { ...data, pages: unnamed.slice(0, fitSize) }
}

/**
 * Omits components with a display name, because readers of the page must not see the internal name.
 */
const withoutNames = ({ names = {}, ...page }: EventPage): EventPage => {
  const isShown = unpackPositions(page.shown)
  const positions = Array.from({ length: MAX_INCIDENT_COMPONENTS }, (_none, position) => position)
  const unnamed = positions.filter((position) => isShown(position) && names[position] === undefined)
  return { ...page, shown: packPositions(unnamed) }
}

/** Bytes above the size limit of an event. */
const excessBytes = (data: SizedEventData): number =>
  Buffer.byteLength(JSON.stringify('news' in data ? { maintenance: data } : { incident: data })) -
  MAX_EVENT_BYTES

const withNames = <Data extends SizedEventData>(data: Data, length: number): Data => ({
  ...data,
  components: data.components.map((component) => ({
    ...component,
    name: shortened(component.name, length),
  })),
  ...(data.pages === undefined
    ? {}
    : { pages: data.pages.map((page) => withShortNames(page, length)) }),
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

const withShorterMessage = <Data extends SizedEventData>(data: Data): Data => {
  let remainingBytes = -excessBytes({ ...data, message: ELLIPSIS })
  let message = ''
  for (const point of data.message) {
    remainingBytes -= Buffer.byteLength(JSON.stringify(point)) - '""'.length
    if (remainingBytes < 0) break
    message += point
  }
  return { ...data, message: `${message}${ELLIPSIS}` }
}
