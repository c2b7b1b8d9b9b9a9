/** Durations, budgets and values of service levels. */
import t from 'tap'
import { partsOf } from './duration-parts.ts'
import { readFilters, toServiceLevelQuery } from './filters.ts'
import { budgetShareOf } from './states.ts'

const textOf = (seconds: number) =>
  partsOf(seconds)
    .map(({ unit, value }) => `${value} ${unit}`)
    .join(' ')

t.test('a duration has two units at most', async (t) => {
  t.equal(textOf(0), '0 second')
  t.equal(textOf(59.6), '1 minute')
  t.equal(textOf(3_661), '1 hour 1 minute')
  t.equal(textOf(86_400), '1 day')
  t.equal(textOf(2 * 86_400 + 90), '2 day')
})

t.test('the share of the budget is between nothing and all', async (t) => {
  const share = (budgetTotalSeconds: number | null, budgetRemainingSeconds: number | null) =>
    budgetShareOf({ budgetTotalSeconds, budgetRemainingSeconds })
  t.equal(share(100, 25), 0.25)
  t.equal(share(100, -25), 0)
  t.equal(share(0, 0), 1)
  t.equal(share(null, null), null)
})

t.test('values of the address that are not valid are ignored', async (t) => {
  t.same(readFilters({ status: 'x', page: 'y' }), { status: undefined, page: undefined })
  t.same(toServiceLevelQuery(readFilters({ status: 'breached', page: 2 })), {
    page: 2,
    pageSize: 20,
    sortBy: 'name',
    status: 'breached',
  })
})
