/** A seed determines the faults, which never overlap. */
import t from 'tap'
import { planFaults } from './plan.ts'

const options = { seed: 7, durationMs: 600_000, targets: ['core-1', 'core-2', 'nats'] }

t.test('the same seed gives the same plan, and another seed another one', (t) => {
  t.same(planFaults(options), planFaults(options))
  t.notSame(planFaults(options), planFaults({ ...options, seed: 8 }))
  t.end()
})

t.test('a fault ends before the next one begins, and begins within the duration', (t) => {
  const plan = planFaults(options)
  t.ok(plan.length > 20)
  for (const [index, { atMs, durationMs }] of plan.entries()) {
    const next = plan[index + 1]
    t.ok(next === undefined ? atMs < options.durationMs : atMs + durationMs < next.atMs)
  }
  t.end()
})
