/** Renewals during the work, after a failure, and after the end of the work. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import t from 'tap'
import { renewWhile } from './lease-renewal.ts'

t.test('a lease is renewed until the work ends, also after a failed renewal', async (t) => {
  const third = Promise.withResolvers<void>()
  let renewals = 0
  const renew = async () => {
    renewals++
    if (renewals === 1) throw new Error('the database is not available')
    if (renewals === 3) third.resolve()
  }
  const work = async () => {
    await third.promise
    return 'done'
  }
  t.equal(await renewWhile({ intervalMs: 1, renew }, work), 'done')
})

t.test('renewals do not overlap, and the last one ends before the result', async (t) => {
  const started = Promise.withResolvers<void>()
  const gate = Promise.withResolvers<void>()
  let renewals = 0
  let isReturned = false
  const renew = async () => {
    renewals++
    started.resolve()
    await gate.promise
  }
  const returned = renewWhile({ intervalMs: 1, renew }, () => started.promise).then(() => {
    isReturned = true
  })
  await started.promise
  await nextTurn()
  t.notOk(isReturned)
  gate.resolve()
  await returned
  t.equal(renewals, 1)
})

t.test('work that fails before the first renewal ends at once', async (t) => {
  let renewals = 0
  const renew = async () => void renewals++
  const work = async () => {
    throw new Error('the work failed')
  }
  await t.rejects(renewWhile({ intervalMs: 3_600_000, renew }, work), {
    message: 'the work failed',
  })
  t.equal(renewals, 0)
})
