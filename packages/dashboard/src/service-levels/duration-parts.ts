/** Largest units of a duration. */

const units = [
  { unit: 'day', seconds: 86_400 },
  { unit: 'hour', seconds: 3_600 },
  { unit: 'minute', seconds: 60 },
  { unit: 'second', seconds: 1 },
] as const

export interface DurationPart {
  unit: (typeof units)[number]['unit']
  value: number
}

/** Two units at most; the smaller one is absent if it is zero. */
export const partsOf = (seconds: number): DurationPart[] => {
  const whole = Math.round(seconds)
  const index = units.findIndex((unit) => whole >= unit.seconds)
  if (index === -1) return [{ unit: 'second', value: 0 }]
  const parts: DurationPart[] = []
  let rest = whole
  for (const { unit, seconds: length } of units.slice(index, index + 2)) {
    const value = Math.floor(rest / length)
    rest -= value * length
    if (value > 0) parts.push({ unit, value })
  }
  return parts
}
