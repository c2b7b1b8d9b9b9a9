/**
 * The fact of an incident or a maintenance, made to fit an event whatever it is. What every legal one
 * may lose is decided here, mildest first: nothing but form, then the tails of long names, and last the
 * tail of the message, which the page tells in full. Whom it concerns is always told exactly.
 */
import {
  type IncidentFact,
  MAX_EVENT_BYTES,
  type MaintenanceFact,
  packAncestors,
} from '@status-page/contracts'

/** In code points, tried in turn; 500 names of 15 four-byte ones are 30 KB. */
const SHORTER_NAMES = [60, 30, 15]
const ELLIPSIS = '…'

export const fittingFact = (fact: IncidentFact): IncidentFact => fitting(fact)

export const fittingMaintenance = (fact: MaintenanceFact): MaintenanceFact => fitting(fact)

type Fact = IncidentFact | MaintenanceFact

const fitting = <Told extends Fact>(fact: Told): Told => {
  if (excessOf(fact) <= 0) return fact
  const packed = packAncestors(fact)
  const candidates = SHORTER_NAMES.map((length) => withNames(packed, length))
  const found = [packed, ...candidates].find((candidate) => excessOf(candidate) <= 0)
  return found ?? withShorterMessage(candidates.at(-1) ?? packed)
}

/** Bytes above what an event may hold. */
const excessOf = (fact: Fact): number =>
  Buffer.byteLength(JSON.stringify('news' in fact ? { maintenance: fact } : { incident: fact })) -
  MAX_EVENT_BYTES

const withNames = <Told extends Fact>(fact: Told, length: number): Told => ({
  ...fact,
  components: fact.components.map((one) => ({ ...one, name: shortened(one.name, length) })),
})

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
