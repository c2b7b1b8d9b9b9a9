/** A seed determines the faults, which never overlap. */
import t from 'tap'
import { type FaultKind, planFaults } from './plan.ts'

const targets = new Map<string, readonly FaultKind[]>([
  ['core-1', ['kill', 'stop', 'pause']],
  ['nats-1', ['kill', 'partition', 'delay']],
  ['postgres-primary', ['failover']],
])
const options = { seed: 7, durationMs: 600_000, targets }

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

t.test('a target has only faults of its kinds, and every target has some', (t) => {
  const plan = planFaults(options)
  for (const { target, kind } of plan) t.ok(targets.get(target)?.includes(kind), target)
  t.same(new Set(plan.map(({ target }) => target)), new Set(targets.keys()))
  t.end()
})
