/** Array operations in steps return the results of those in one step. */
import { runToEnd } from '@status-page/service'
import { largestStep } from '@status-page/testing'
import fc from 'fast-check'
import t from 'tap'
import { flatMapInSteps, STEP_ENTRIES, sortInSteps } from './steps.ts'

const ENTRIES = 20_500
const entries = Array.from({ length: ENTRIES }, (_, index) => ({ index, key: (index * 7) % 5_003 }))

t.test('many entries are sorted stably, with pauses', async (t) => {
  let compared = 0
  const compare = (left: { key: number }, right: { key: number }) => {
    compared += 1
    return left.key - right.key
  }
  t.same(runToEnd(sortInSteps(entries, compare)), entries.toSorted(compare))
  const largest = largestStep(sortInSteps(entries, compare), () => compared)
  t.ok(largest <= STEP_ENTRIES * Math.log2(STEP_ENTRIES), `${largest} without a pause`)
})

t.test('any numbers are sorted', async (t) => {
  const numbers = fc.array(fc.integer(), { maxLength: 4_000, size: 'max' })
  const ascending = (left: number, right: number) => left - right
  t.doesNotThrow(() =>
    fc.assert(
      fc.property(numbers, (values) => {
        const sorted = runToEnd(sortInSteps(values, ascending))
        return sorted.join() === values.toSorted(ascending).join()
      }),
      { numRuns: 20 },
    ),
  )
})

t.test('many entries are mapped, with pauses', async (t) => {
  let mapped = 0
  const twice = ({ index }: { index: number }) => {
    mapped += 1
    return [index, index]
  }
  t.same(runToEnd(flatMapInSteps(entries, twice)), entries.flatMap(twice))
  const largest = largestStep(flatMapInSteps(entries, twice), () => mapped)
  t.equal(largest, STEP_ENTRIES)
})
