/**
 * An incident's fact, made to fit an event whatever the incident is. What every legal incident may
 * lose is decided here, mildest first: nothing but form, then the tails of long names, and last the
 * tail of the message, which the page tells in full. Whom it concerns is always told exactly.
 */
import { type IncidentFact, MAX_EVENT_BYTES, packAncestors } from '@status-page/contracts'

/** In code points, tried in turn; 500 names of 15 four-byte ones are 30 KB. */
const SHORTER_NAMES = [60, 30, 15]
const ELLIPSIS = '…'

export const fittingFact = (fact: IncidentFact): IncidentFact => {
  if (excessOf(fact) <= 0) return fact
  const packed = packAncestors(fact)
  const candidates = SHORTER_NAMES.map((length) => withNames(packed, length))
  const fitting = [packed, ...candidates].find((candidate) => excessOf(candidate) <= 0)
  return fitting ?? withShorterMessage(candidates.at(-1) ?? packed)
}

/** Bytes above what an event may hold. */
const excessOf = (incident: IncidentFact): number =>
  Buffer.byteLength(JSON.stringify({ incident })) - MAX_EVENT_BYTES

const withNames = (fact: IncidentFact, length: number): IncidentFact => ({
  ...fact,
  components: fact.components.map((one) => ({ ...one, name: shortened(one.name, length) })),
})

const shortened = (text: string, length: number): string => {
  const points = [...text]
  return points.length <= length ? text : `${points.slice(0, length - 1).join('')}${ELLIPSIS}`
}

const withShorterMessage = (fact: IncidentFact): IncidentFact => {
  let room = -excessOf({ ...fact, message: ELLIPSIS })
  let message = ''
  for (const point of fact.message) {
    room -= Buffer.byteLength(JSON.stringify(point)) - '""'.length
    if (room < 0) break
    message += point
  }
  return { ...fact, message: `${message}${ELLIPSIS}` }
}
