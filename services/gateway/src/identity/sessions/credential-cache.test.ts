/** Cache of credentials: one query for concurrent requests, never a result from before a revocation. */
import t from 'tap'
import { type CredentialCache, createCredentialCache } from './credential-cache.ts'
import { type IdentifiedCaller, unidentifiedCaller } from './identified-caller.ts'
import { CACHE_MS } from './replica-registry.ts'

const HASH = 'hash of a token'
const ORGANIZATION = 'an organization'

const identified: IdentifiedCaller = {
  ...unidentifiedCaller,
  kind: 'key',
  caller: { ...unidentifiedCaller.caller, organizationId: ORGANIZATION },
}

/** Cache with a clock, and queries that the test answers in the order of their start. */
const testCache = () => {
  const state = { nowMs: 0, mayCache: true }
  const queries: PromiseWithResolvers<IdentifiedCaller>[] = []
  const cache = createCredentialCache({ mayCache: () => state.mayCache }, () => state.nowMs)
  const load = () =>
    cache.load(HASH, () => {
      const query = Promise.withResolvers<IdentifiedCaller>()
      queries.push(query)
      return query.promise
    })
  return { cache, load, queries, state }
}

t.test(
  'concurrent requests of a credential wait for one query, whose result is cached',
  async (t) => {
    const { cache, load, queries } = testCache()
    const requests = [load(), load(), load()]
    t.equal(queries.length, 1)
    queries[0]?.resolve(identified)
    t.same(await Promise.all(requests), [identified, identified, identified])
    t.equal(cache.read(HASH), identified)
  },
)

t.test(
  'a failed query fails for all that wait for it, and the next request repeats it',
  async (t) => {
    const { load, queries } = testCache()
    const requests = Promise.allSettled([load(), load()])
    queries[0]?.reject(new Error('no database'))
    t.same(
      (await requests).map(({ status }) => status),
      ['rejected', 'rejected'],
    )
    const repeated = load()
    queries[1]?.resolve(identified)
    t.equal(await repeated, identified)
  },
)

const revocations: Record<string, (cache: CredentialCache) => void> = {
  'of the credential': (cache) => cache.delete(HASH),
  'of another credential': (cache) => cache.delete('another hash'),
  'of its organization': (cache) => cache.deleteOrganization(ORGANIZATION),
  'that may have been missed': (cache) => cache.clear(),
}

for (const [name, revoke] of Object.entries(revocations)) {
  t.test(`a request after a revocation ${name} starts a query of its own`, async (t) => {
    const { cache, load, queries } = testCache()
    const before = load()
    revoke(cache)
    const after = load()
    t.equal(queries.length, 2)
    queries[0]?.resolve(identified)
    t.equal(await before, identified)
    t.equal(cache.read(HASH), null, 'the result from before the revocation is not cached')
    queries[1]?.resolve(unidentifiedCaller)
    t.equal(await after, unidentifiedCaller)
  })
}

t.test('a request waits for no query that is older than the lifetime of its result', async (t) => {
  const { load, queries, state } = testCache()
  load()
  state.nowMs = CACHE_MS
  load()
  t.equal(queries.length, 2)
})

t.test('a replica that may not cache shares no query', async (t) => {
  const { load, queries, state } = testCache()
  state.mayCache = false
  load()
  load()
  t.equal(queries.length, 2)
})

t.test('a query that began while the replica may not cache has no other user', async (t) => {
  const { cache, load, queries, state } = testCache()
  state.mayCache = false
  const before = load()
  state.mayCache = true
  queries[0]?.resolve(identified)
  t.equal(await before, identified)
  t.equal(cache.read(HASH), null)
  load()
  t.equal(queries.length, 2)
})

t.test('a request that waited for a refusal queries the credential itself', async (t) => {
  const { load, queries } = testCache()
  const [first, second] = [load(), load()]
  queries[0]?.resolve(unidentifiedCaller)
  t.equal(await first, unidentifiedCaller)
  queries[1]?.resolve(identified)
  t.equal(await second, identified)
})
