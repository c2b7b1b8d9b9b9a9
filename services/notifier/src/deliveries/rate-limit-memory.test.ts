/** What a process remembers of full limits. */
import t from 'tap'
import { globalKey, webhooksOf } from './rate.ts'
import { createPace } from './rate-limit-memory.ts'

t.test('a full limit holds what it limits, for its time, and then lets few through', async (t) => {
  let now = 0
  const pace = createPace(() => now)
  t.equal(pace.isHeld(), false)
  t.equal(pace.claimSize(64), 64)
  pace.refused({ key: globalKey, freeMs: 1_000 })
  pace.refused({ key: webhooksOf('o1'), freeMs: 5_000 })
  t.equal(pace.isHeld(), true)
  t.equal(pace.claimSize(64), 64, 'of what no limit holds')
  now = 1_001
  t.equal(pace.isHeld(), false)
  t.ok(pace.claimSize(64) < 10)
  t.equal(pace.isHeldFor('o1'), true)
  t.equal(pace.isHeldFor('o2'), false)
  now = 100_000
  t.equal(pace.claimSize(64), 64)
  t.equal(pace.isHeldFor('o1'), false)
})
