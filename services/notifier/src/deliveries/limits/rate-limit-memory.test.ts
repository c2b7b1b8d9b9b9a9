/** The memory of full limits reduces claims. */
import t from 'tap'
import { globalRateKey } from './rate.ts'
import { createRateLimitMemory } from './rate-limit-memory.ts'

t.test('a full limit stops claims for its time, and then admits small claims', async (t) => {
  let now = 0
  const rateLimitMemory = createRateLimitMemory(() => now)
  t.equal(rateLimitMemory.isGlobalLimitFull(), false)
  t.equal(rateLimitMemory.claimSize(64), 64)
  rateLimitMemory.refused({ key: globalRateKey, freeMs: 1_000 })
  rateLimitMemory.refused({ key: 'o1', freeMs: 5_000 })
  t.equal(rateLimitMemory.isGlobalLimitFull(), true)
  t.equal(rateLimitMemory.claimSize(64), 64, 'for unlimited deliveries')
  now = 1_001
  t.equal(rateLimitMemory.isGlobalLimitFull(), false)
  t.ok(rateLimitMemory.claimSize(64) < 10)
  t.equal(rateLimitMemory.isRateLimited('o1'), true)
  t.equal(rateLimitMemory.isRateLimited('o2'), false)
  now = 100_000
  t.equal(rateLimitMemory.claimSize(64), 64)
  t.equal(rateLimitMemory.isRateLimited('o1'), false)
})
