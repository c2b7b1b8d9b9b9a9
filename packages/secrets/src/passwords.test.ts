/** Hashes: few at once, a short queue, and nothing that matches by its beginning or without a hash. */
import { AppError } from '@status-page/contracts'
import bcrypt from 'bcrypt'
import t from 'tap'
import { COST, createPasswords } from './passwords.ts'

t.test('four run, thirty-two wait, and the next is told to come back', async (t) => {
  const passwords = createPasswords()
  const asked = Array.from({ length: 40 }, () => passwords.matches('whatever it is', null))
  const settled = await Promise.allSettled(asked)
  const refused = settled.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))
  t.equal(refused.length, 4)
  for (const error of refused) {
    t.ok(error instanceof AppError)
    t.match(error, { code: 'SERVICE_UNAVAILABLE', headers: { 'retry-after': '1' } })
  }
  t.equal(await passwords.matches('whatever it is', null), false, 'there is room again')
})

t.test('a hash has cost 10; no hash and no 73rd byte ever match', async (t) => {
  const passwords = createPasswords()
  const longest = 'x'.repeat(72)
  const hash = await passwords.hash(longest)
  t.equal(bcrypt.getRounds(hash), COST)
  t.equal(COST, 10)
  t.equal(await passwords.matches(longest, hash), true)
  t.equal(await passwords.matches(`${longest}y`, hash), false)
  t.equal(await passwords.matches('', null), false)
})
