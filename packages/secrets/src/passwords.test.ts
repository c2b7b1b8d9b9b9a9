/** Hashing: limited concurrency, a short queue, and no match by prefix or without a hash. */
import { stat } from 'node:fs/promises'
import { AppError } from '@status-page/contracts'
import bcrypt from 'bcrypt'
import t from 'tap'
import { BCRYPT_COST, createPasswords, maxConcurrentHashes } from './passwords.ts'

t.test('two run, thirty-two wait, and the next gets 503 with Retry-After', async (t) => {
  const passwords = createPasswords()
  const asked = Array.from({ length: 40 }, () => passwords.matches('whatever it is', null))
  const settled = await Promise.allSettled(asked)
  const refused = settled.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))
  t.equal(refused.length, 40 - maxConcurrentHashes(process.env) - 32)
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
  t.equal(bcrypt.getRounds(hash), BCRYPT_COST)
  t.equal(BCRYPT_COST, 10)
  t.equal(await passwords.matches(longest, hash), true)
  t.equal(await passwords.matches(`${longest}y`, hash), false)
  t.equal(await passwords.matches('', null), false)
})

t.test('every comparison has the cost of the hashes, also without a hash', async (t) => {
  for (const cost of [4, 5]) {
    const passwords = createPasswords({ cost })
    const compared: string[] = []
    const { compare } = bcrypt
    t.intercept(bcrypt, 'compare', {
      value: (candidate: string, hash: string) => {
        compared.push(hash)
        return compare(candidate, hash)
      },
    })
    t.equal(await passwords.matches('any password', null), false)
    t.equal(await passwords.matches('any password', await passwords.hash('another')), false)
    t.same(compared.map(bcrypt.getRounds), [cost, cost])
  }
})

t.test('a file is read while hashing is saturated', async (t) => {
  const passwords = createPasswords()
  const load = { compared: 0, isOver: false }
  const keepComparing = async () => {
    while (!load.isOver) {
      await passwords.matches('any password', null)
      load.compared++
    }
  }
  const comparing = Array.from({ length: 16 }, keepComparing)
  // Each call needs a thread of the pool; without a free one it waits for the end of a hash.
  for (let call = 0; call < 100; call++) await stat(import.meta.filename)
  const { compared } = load
  load.isOver = true
  await Promise.all(comparing)
  t.ok(compared < 40, `100 file operations took the time of ${compared} hashes`)
})

t.test('hashing takes at most half of the thread pool', async (t) => {
  const cases: [string | undefined, number][] = [
    [undefined, 2],
    ['1', 1],
    ['2', 1],
    ['5', 2],
    ['16', 8],
    ['4096', 512],
    ['0', 1],
    ['many', 1],
  ]
  for (const [size, expected] of cases) {
    t.equal(maxConcurrentHashes({ UV_THREADPOOL_SIZE: size }), expected, `pool of ${size}`)
  }
})
