/** A loop over items: which failures stop it. */
import t from 'tap'
import { settleEach } from './index.ts'

const numbers = [0, 1, 2, 3]
const failure = (code: string) => Object.assign(new Error(code), { code })

t.test('a failing item stops no other, unless the connection is lost', async (t) => {
  const done: number[] = []
  const failing = (at: number, code: string) => async (number: number) => {
    if (number === at) throw failure(code)
    done.push(number)
  }
  await t.rejects(settleEach(numbers, failing(1, '57014')), { code: '57014' })
  t.same(done.splice(0), [0, 2, 3])
  await t.rejects(settleEach(numbers, failing(1, 'ECONNRESET')), { code: 'ECONNRESET' })
  t.same(done, [0])
})
