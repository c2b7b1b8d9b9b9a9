/** Steps of the first run by data, rights and skipped steps. */
import t from 'tap'
import { type FirstRunData, isFirstRunComplete, nextStep, stepsOf } from './steps.ts'

const empty: FirstRunData = {
  page: null,
  componentCount: 0,
  hasSample: false,
  isEmailVerified: false,
  colleagueCount: 0,
}
const statesOf = (data: Partial<FirstRunData>, skipped: string[] = []) => {
  const steps = stepsOf({ ...empty, ...data }, new Set(skipped) as never, () => true)
  return steps.map(({ state }) => state)
}

t.test('each step is done by its own data', async (t) => {
  t.same(statesOf({}), ['open', 'open', 'open', 'open', 'open'])
  t.same(statesOf({ componentCount: 1 }), ['open', 'done', 'open', 'open', 'open'])
  t.same(statesOf({ page: { isPublished: false } as never }).slice(0, 3), ['done', 'open', 'open'])
  t.same(statesOf({ page: { isPublished: true } as never })[2], 'done')
  t.same(statesOf({ isEmailVerified: true, colleagueCount: 1 }).slice(3), ['done', 'done'])
})

t.test('a skipped step stays in the list, and is done once its data exist', async (t) => {
  t.equal(statesOf({}, ['components'])[1], 'skipped')
  t.equal(statesOf({ componentCount: 1 }, ['components'])[1], 'done')
})

t.test('a role without the right does not see the step', async (t) => {
  t.same(
    stepsOf(empty, new Set(), () => false),
    [],
  )
  const steps = stepsOf(empty, new Set(), (right) => right === 'COMPONENTS_CREATE')
  t.same(
    steps.map(({ id }) => id),
    ['components'],
  )
})

t.test('the first run is complete once each step is done, not when it is skipped', async (t) => {
  const steps = stepsOf({ ...empty, componentCount: 1 }, new Set(['page']), (right) =>
    ['STATUS_PAGES_CREATE', 'COMPONENTS_CREATE'].includes(right),
  )
  t.notOk(isFirstRunComplete({ steps, data: { hasSample: false } }))
  const done = steps.map(({ id }) => ({ id, state: 'done' as const }))
  t.ok(isFirstRunComplete({ steps: done, data: { hasSample: false } }))
  t.notOk(isFirstRunComplete({ steps: done, data: { hasSample: true } }))
})

t.test('the next step is the first open one after the present, then before it', async (t) => {
  const steps = stepsOf({ ...empty, isEmailVerified: true }, new Set(['invite']), () => true)
  t.equal(nextStep(steps, null), 'page')
  t.equal(nextStep(steps, 'page'), 'components')
  t.equal(nextStep(steps, 'publish'), 'page')
  t.equal(nextStep([], null), null)
})
