/** SLA measurement, compared with a model that counts tick by tick. */
import { type ComponentStatus, componentStatuses, slaAggregations } from '@status-page/contracts'
import { runToEnd } from '@status-page/service'
import fc from 'fast-check'
import t from 'tap'
import type { StatusIntervalWithSource } from '../components/uptime/history.ts'
import { measureSla, type SlaHistories, type SlaMeasurement, type SlaTerms } from './measurement.ts'
import { uptimePercentageOf } from './rules.ts'

const measured = (...input: Parameters<typeof measureSla>): SlaMeasurement =>
  runToEnd(measureSla(...input))

const period = (
  status: ComponentStatus,
  from: number,
  to: number | null,
): StatusIntervalWithSource => ({
  status,
  startedAt: from,
  endedAt: to,
  source: status === 'under_maintenance' ? 'maintenance' : 'monitor',
})

/** Gapless history whose first period begins at any time and whose last has no end. */
const history = fc
  .tuple(
    fc.nat(10),
    fc.array(fc.tuple(fc.constantFrom(...componentStatuses), fc.integer({ min: 1, max: 9 })), {
      minLength: 1,
      maxLength: 8,
    }),
  )
  .map(([first, parts]) => {
    let start = first
    return parts.map(([status, length], index) => {
      const from = start
      start += length
      return period(status, from, index === parts.length - 1 ? null : start)
    })
  })

const manyHistories = fc
  .array(history, { minLength: 1, maxLength: 4 })
  .map((lists): SlaHistories => new Map(lists.map((list, index) => [`c${index}`, list])))

const anyTerms = fc.record({
  aggregation: fc.constantFrom(...slaAggregations),
  downtimeStatuses: fc.constantFrom(
    ['major_outage' as const],
    ['partial_outage' as const, 'major_outage' as const],
    ['degraded_performance' as const, 'partial_outage' as const, 'major_outage' as const],
  ),
  partialWeight: fc.constantFrom(0, 0.5, 1),
  excludeMaintenance: fc.boolean(),
  minOutageSeconds: fc.constant(0),
})

const MAX_TICK = 60

/** Reference implementation: every tick of every component. */
const model = (
  given: SlaHistories,
  { aggregation, ...special }: SlaTerms,
  from: number,
  to: number,
) => {
  const figures = { countedMs: 0, excludedMs: 0, downtime: 0 }
  for (let tick = from; tick < to; tick++) {
    const shown = [...given.values()].flatMap(
      (list) => list.find((one) => one.startedAt <= tick && (one.endedAt ?? Infinity) > tick) ?? [],
    )
    const counted = shown.filter(
      ({ status }) => !(special.excludeMaintenance && status === 'under_maintenance'),
    )
    const weights = counted.map(({ status }) => {
      if (!special.downtimeStatuses.some((one) => one === status)) return 0
      return status === 'major_outage' ? 1 : special.partialWeight
    })
    const mean = weights.reduce((sum, one) => sum + one, 0) / weights.length
    if (counted.length > 0) {
      figures.countedMs += 1
      figures.downtime += aggregation === 'any_down' ? Math.max(...weights) : mean
    } else if (shown.length > 0) figures.excludedMs += 1
  }
  return { ...figures, downtimeMs: Math.round(figures.downtime - 1e-9) }
}

t.test('the measurement equals counting ticks', async (t) => {
  t.doesNotThrow(() =>
    fc.assert(
      fc.property(
        manyHistories,
        anyTerms,
        fc.nat(30),
        fc.nat(30),
        (given, special, from, length) => {
          const to = from + length
          const measurement = measured(given, special, { from, to }, new Date(MAX_TICK))
          const expected = model(given, special, from, to)
          return (
            measurement.countedMs === expected.countedMs &&
            measurement.excludedMs === expected.excludedMs &&
            Math.abs(measurement.downtimeMs - expected.downtimeMs) <= 1
          )
        },
      ),
    ),
  )
})

t.test('a window split in two adds up to the whole', async (t) => {
  const lengths = fc.tuple(fc.nat(20), fc.nat(20), fc.nat(20))
  const longer = anyTerms.chain((special) =>
    fc.record({ ...constantsOf(special), minOutageSeconds: fc.nat(12) }),
  )
  t.doesNotThrow(() =>
    fc.assert(
      fc.property(manyHistories, longer, lengths, (given, special, [from, first, second]) => {
        // Ticks are seconds here, so that the minimum length of an outage matters.
        const inSeconds = new Map([...given].map(([id, list]) => [id, list.map(stretch)]))
        const measurement = (start: number, end: number) =>
          measured(
            inSeconds,
            special,
            { from: start * 1_000, to: end * 1_000 },
            new Date(MAX_TICK * 1_000),
          )
        const [middle, end] = [from + first, from + first + second]
        const [left, right, whole] = [
          measurement(from, middle),
          measurement(middle, end),
          measurement(from, end),
        ]
        return (
          left.countedMs + right.countedMs === whole.countedMs &&
          left.excludedMs + right.excludedMs === whole.excludedMs &&
          Math.abs(left.downtimeMs + right.downtimeMs - whole.downtimeMs) <= 1 &&
          lengthOf(left) + lengthOf(right) === lengthOf(whole)
        )
      }),
    ),
  )
})

t.test('the percentage follows from the outages that are listed', async (t) => {
  const weightless = anyTerms.map((special) => ({
    ...special,
    aggregation: 'any_down' as const,
    partialWeight: 1,
  }))
  t.doesNotThrow(() =>
    fc.assert(
      fc.property(
        manyHistories,
        weightless,
        fc.nat(30),
        fc.nat(30),
        (given, special, from, length) => {
          const measurement = measured(
            given,
            special,
            { from, to: from + length },
            new Date(MAX_TICK),
          )
          const down = new Set(
            measurement.outages.flatMap((outage) =>
              Array.from(
                { length: outage.to - outage.from },
                (_none, index) => outage.from + index,
              ),
            ),
          )
          const { countedMs } = measurement
          const expected =
            countedMs === 0 ? null : Math.floor(((countedMs - down.size) * 1e6) / countedMs) / 1e4
          return uptimePercentageOf(measurement) === expected
        },
      ),
    ),
  )
})

const constantsOf = (special: SlaTerms) => ({
  aggregation: fc.constant(special.aggregation),
  downtimeStatuses: fc.constant(special.downtimeStatuses),
  partialWeight: fc.constant(special.partialWeight),
  excludeMaintenance: fc.constant(special.excludeMaintenance),
})

const stretch = (interval: StatusIntervalWithSource): StatusIntervalWithSource => ({
  ...interval,
  startedAt: interval.startedAt * 1_000,
  endedAt: interval.endedAt === null ? null : interval.endedAt * 1_000,
})

const lengthOf = ({ outages }: SlaMeasurement): number =>
  outages.reduce((sum, { from, to }) => sum + to - from, 0)
