/** Corrections of the status history, compared with a model that looks at each tick. */
import {
  componentStatuses,
  incidentComponentStatuses,
  statusesBySeverity,
} from '@status-page/contracts'
import { runToEnd } from '@status-page/service'
import fc from 'fast-check'
import t from 'tap'
import * as corrections from './corrections.ts'

type CorrectedInterval = corrections.CorrectedInterval
type StatusSpan = corrections.StatusSpan

const correctIntervals = (...given: Parameters<typeof corrections.correctIntervals>) =>
  runToEnd(corrections.correctIntervals(...given))

const CREATED_AT = 10
const TICKS = 60

/** Gapless history since the creation; the last interval has no end. */
const recorded = fc
  .array(
    fc.tuple(
      fc.constantFrom(...componentStatuses),
      fc.constantFrom('manual' as const, 'incident' as const),
      fc.integer({ min: 1, max: 8 }),
    ),
    { minLength: 1, maxLength: 6 },
  )
  .map((parts) => {
    let start = CREATED_AT
    const intervals = parts.map(([status, source, length], index): CorrectedInterval => {
      const startedAt = start
      start += length
      const endedAt = index === parts.length - 1 ? null : start
      return { status, source, startedAt, endedAt, recordedStatus: null, recordedSource: null }
    })
    return correctIntervals(intervals, [], CREATED_AT)
  })

const spans = fc.array(
  fc
    .tuple(
      fc.constantFrom(...incidentComponentStatuses),
      fc.nat(50),
      fc.integer({ min: 1, max: 9 }),
    )
    .map(([status, from, length]): StatusSpan => ({ status, from, to: from + length })),
  { maxLength: 5 },
)

const at = (intervals: readonly CorrectedInterval[], tick: number) =>
  intervals.find(
    ({ startedAt, endedAt }) => startedAt <= tick && (endedAt === null || endedAt > tick),
  )

const expectedAt = (
  intervals: readonly CorrectedInterval[],
  all: readonly StatusSpan[],
  tick: number,
) => {
  const active = all.filter(({ from, to }) => from <= tick && to > tick)
  const outages = all.filter(({ status }) => status !== 'operational')
  const start = Math.min(CREATED_AT, ...outages.map(({ from }) => from))
  if (tick < start) return undefined
  const { status, source } = at(intervals, tick) ?? { status: 'operational', source: 'manual' }
  const isRemoved = source === 'incident' && active.some((span) => span.status === 'operational')
  const shown = [isRemoved ? 'operational' : status, ...active.map((span) => span.status)]
  return statusesBySeverity.find((one) => shown.includes(one))
}

t.test('each tick has the worst of the recorded status and the corrections', async (t) => {
  t.doesNotThrow(() =>
    fc.assert(
      fc.property(recorded, spans, (intervals, all) => {
        const corrected = correctIntervals(intervals, all, CREATED_AT)
        return Array.from({ length: TICKS }, (_none, tick) => tick).every(
          (tick) => at(corrected, tick)?.status === expectedAt(intervals, all, tick),
        )
      }),
    ),
  )
})

t.test(
  'corrected history has no gaps, and repeated or removed corrections leave none',
  async () => {
    fc.assert(
      fc.property(recorded, spans, spans, (intervals, first, second) => {
        const once = correctIntervals(intervals, first, CREATED_AT)
        const isGapless = once.every(
          ({ endedAt }, index) => endedAt === (once[index + 1]?.startedAt ?? null),
        )
        const repeated = correctIntervals(once, first, CREATED_AT)
        const replaced = correctIntervals(once, second, CREATED_AT)
        const direct = correctIntervals(intervals, second, CREATED_AT)
        const removed = correctIntervals(once, [], CREATED_AT)
        const same = (left: unknown, right: unknown) =>
          JSON.stringify(left) === JSON.stringify(right)
        return (
          isGapless && same(repeated, once) && same(replaced, direct) && same(removed, intervals)
        )
      }),
    )
  },
)
