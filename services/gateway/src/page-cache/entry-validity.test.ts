/** Validity of cache entries: ages, invalidations, and their bounded number. */
import t from 'tap'
import type { CacheEntry } from './cache-entry.ts'
import { EntryValidity } from './entry-validity.ts'

const ACME = 'organization-acme'
const OTHERS = 10_000

const start = () => {
  let time = 1_000_000
  const validity = new EntryValidity(() => time)
  const entryOf = (organizationId: string): CacheEntry => ({
    headers: {},
    body: { bytes: Buffer.alloc(0), encoding: 'identity', length: 0 },
    etag: '"1"',
    locales: undefined,
    variants: {},
    requestedAt: time,
    validatedAt: time,
    maxAgeMs: 30_000,
    slug: 'acme',
    organizationId,
  })
  const pass = (ms: number) => {
    time += ms
  }
  const forOthers = (change: (organizationId: string) => void) => {
    for (let index = 0; index < OTHERS; index++) change(`organization-${index}`)
  }
  return { validity, entryOf, pass, forOthers }
}

t.test('an invalidation stays in force after those of many other organizations', async (t) => {
  const { validity, entryOf, pass, forOthers } = start()
  // A request in flight: its entry is stored after the invalidations.
  const entry = entryOf(ACME)
  pass(1)
  validity.invalidate(ACME)
  forOthers((id) => validity.invalidate(id))
  t.notOk(validity.isFresh(entry))
  pass(1)
  t.ok(validity.isFresh(entryOf(ACME)), 'a later entry is fresh')
})

t.test('an access change stays in force after those of many other organizations', async (t) => {
  const { validity, entryOf, pass, forOthers } = start()
  const entry = entryOf(ACME)
  pass(1)
  validity.revoke(ACME)
  forOthers((id) => validity.revoke(id))
  t.ok(validity.isRevoked(entry))
  pass(1)
  t.notOk(validity.isRevoked(entryOf(ACME)), 'a later entry is valid')
})

t.test('a change of an unknown organization leaves entries fresh for a second', async (t) => {
  const { validity, entryOf, pass } = start()
  const entry = entryOf(ACME)
  pass(1)
  validity.markAllStale()
  t.ok(validity.isFresh(entry))
  pass(999)
  t.notOk(validity.isFresh(entry))
})
