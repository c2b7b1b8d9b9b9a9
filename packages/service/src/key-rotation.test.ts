/**
 * Key rotation: all records are re-encrypted under the current key, and the log reports the end.
 */
import { createSealer, type SealContext } from '@status-page/secrets'
import t from 'tap'
import { type EncryptedRecord, keyRotationJob } from './key-rotation.ts'

const [previous, current] = ['p'.repeat(32), 'c'.repeat(32)]
const context = (id: string): SealContext => ({
  organizationId: 'o',
  purpose: 'totp',
  recordId: id,
})

const stage = (records: Map<string, string>, before: (what: string) => void = () => {}) => {
  const keys = createSealer({ current, previous })
  const said: string[] = []
  const list = async (after: string | null, limit: number) =>
    [...records]
      .filter(([id, sealed]) => !sealed.startsWith(keys.prefix) && id > (after ?? ''))
      .sort(([left], [right]) => (left < right ? -1 : 1))
      .slice(0, limit)
      .map(([id, sealed]): EncryptedRecord => ({ id, texts: [{ sealed, context: context(id) }] }))
  const work = keyRotationJob({
    sealer: keys,
    logger: {
      info: (_details: unknown, message?: string) => said.push(message ?? ''),
      error: (_details: unknown, message?: string) => said.push(message ?? ''),
    } as never,
    sources: [
      {
        name: 'none',
        list: async () => {
          before('list')
          return []
        },
        replace: async () => {},
      },
      {
        name: 'records',
        list,
        replace: async ({ id, to }) => {
          before(id)
          records.set(id, to)
        },
      },
    ],
  })
  return { run: () => work.run(new AbortController().signal), said }
}

const sealedBy = (key: string, count: number) =>
  new Map(
    Array.from({ length: count }, (_, index): [string, string] => {
      const id = String(1_000 + index)
      return [id, createSealer({ current: key }).seal(`secret ${id}`, context(id))]
    }),
  )

t.test(
  'every record is re-encrypted under the current key, and the end is logged once',
  async (t) => {
    const records = sealedBy(previous, 250)
    const { run, said } = stage(records)
    await run()
    await run()
    const alone = createSealer({ current })
    for (const [id, sealed] of records) {
      if (alone.open(sealed, context(id)) !== `secret ${id}`) t.fail(id)
    }
    t.same(said, ['no records use the previous key'])
  },
)

t.test(
  'a record that cannot be decrypted raises an alarm each time and delays no other',
  async (t) => {
    const records = sealedBy(previous, 101)
    records.set('0', createSealer({ current: 'x'.repeat(32) }).seal('lost', context('0')))
    const { run, said } = stage(records)
    await run()
    await run()
    const stale = [...records.values()].filter((sealed) =>
      createSealer({ current }).isStale(sealed),
    )
    t.equal(stale.length, 1)
    t.same(said, Array(2).fill('failed to decrypt a record'))
  },
)

t.test(
  'a record or a source that fails stops no other, and the end is not logged until all succeed',
  async (t) => {
    const records = sealedBy(previous, 101)
    const [first = ''] = records.keys()
    const failing = new Set([first, 'list'])
    const { run, said } = stage(records, (what) => {
      if (failing.has(what)) throw new Error('refused')
    })
    await run()
    const staleIds = () =>
      [...records]
        .filter(([, sealed]) => createSealer({ current }).isStale(sealed))
        .map(([id]) => id)
    t.same(staleIds(), [first])
    t.same(said, ['failed to list records', 'failed to re-encrypt a record'])
    failing.clear()
    await run()
    t.same(staleIds(), [])
    t.same(said.slice(2), ['no records use the previous key'])
  },
)

t.test('a lost connection to Postgres ends the run', async (t) => {
  const records = sealedBy(previous, 2)
  const { run, said } = stage(records, (what) => {
    if (what !== 'list') throw Object.assign(new Error('reset'), { code: 'ECONNRESET' })
  })
  await t.rejects(run(), { code: 'ECONNRESET' })
  t.same(said, [])
})

t.test(
  'a late record of the previous key is re-encrypted too, and the end is logged again',
  async (t) => {
    const records = sealedBy(previous, 1)
    const { run, said } = stage(records)
    await run()
    for (const [id, sealed] of sealedBy(previous, 2)) records.set(id, sealed)
    await run()
    t.notOk([...records.values()].some((sealed) => createSealer({ current }).isStale(sealed)))
    t.same(said, Array(2).fill('no records use the previous key'))
  },
)
