/** Limits of cache entries in memory. */
import t from 'tap'
import type { CacheEntry } from './cache-entry.ts'
import { EntryMemory } from './entry-memory.ts'

const KIB = 1024

const entryOf = (contentType: string, bytes = 10, organizationId = 'a'): CacheEntry => ({
  headers: { 'content-type': contentType },
  body: { bytes: Buffer.alloc(bytes), encoding: 'identity', length: bytes },
  etag: '"1"',
  organizationId,
  slug: '',
  validatedAt: 0,
  requestedAt: 0,
  maxAgeMs: 0,
  variants: {},
})

t.test('images never evict pages', async (t) => {
  const memory = new EntryMemory()
  memory.set('page', entryOf('text/html'))
  for (let index = 0; index < 200; index++) {
    memory.set(`image-${index}`, entryOf('image/png', 512 * KIB))
  }
  t.ok(memory.get('page'))
  t.ok(memory.get('image-199'))
  t.notOk(memory.get('image-0'))
})

t.test('a key has one entry, whatever its type', async (t) => {
  const memory = new EntryMemory()
  memory.set('a', entryOf('text/html'))
  memory.set('a', entryOf('image/png'))
  t.match(memory.get('a')?.headers, { 'content-type': 'image/png' })
  memory.set('a', entryOf('text/html'))
  t.match(memory.get('a')?.headers, { 'content-type': 'text/html' })
  memory.set('b', entryOf('image/png', 10, 'b'))
  memory.deleteWhere(({ organizationId }) => organizationId === 'b')
  t.notOk(memory.get('b'))
  memory.delete('a')
  t.notOk(memory.get('a'))
})

t.test('an organization with large pages evicts its own oldest ones only', async (t) => {
  const memory = new EntryMemory()
  memory.set('other', entryOf('text/html', 10, 'b'))
  for (let index = 0; index < 100; index++) {
    memory.set(`page-${index}`, entryOf('application/json', 1024 * KIB))
  }
  t.ok(memory.get('other'))
  t.ok(memory.get('page-99'))
  t.ok(memory.get('page-85'))
  t.notOk(memory.get('page-80'))
  const last = memory.get('page-99')
  for (let count = 0; count < 100; count++) memory.set('page-99', last as CacheEntry)
  t.ok(memory.get('page-85'), 'an entry that is set again takes no more')
})
