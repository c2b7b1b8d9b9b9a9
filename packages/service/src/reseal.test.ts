/** Rotation of the key: all records come under the current one, and the log says when they have. */
import { type SealContext, sealer } from '@status-page/secrets'
import t from 'tap'
import { resealWork, type SealedRow } from './reseal.ts'

const [previous, current] = ['p'.repeat(32), 'c'.repeat(32)]
const context = (id: string): SealContext => ({
  organizationId: 'o',
  purpose: 'totp',
  recordId: id,
})

const stage = (records: Map<string, string>) => {
  const keys = sealer({ current, previous })
  const said: string[] = []
  const work = resealWork({
    name: 'records',
    sealer: keys,
    logger: {
      info: (_details: unknown, message?: string) => said.push(message ?? ''),
      error: (_details: unknown, message?: string) => said.push(message ?? ''),
    } as never,
    list: async (after, limit) =>
      [...records]
        .filter(([id, sealed]) => !sealed.startsWith(keys.prefix) && id > (after ?? ''))
        .sort(([left], [right]) => (left < right ? -1 : 1))
        .slice(0, limit)
        .map(([id, sealed]): SealedRow => ({ id, sealed, context: context(id) })),
    replace: async ({ id }, sealed) => void records.set(id, sealed),
  })
  return { run: () => work.run(new AbortController().signal), said }
}

const sealedBy = (key: string, count: number) =>
  new Map(
    Array.from({ length: count }, (_, index): [string, string] => {
      const id = String(1_000 + index)
      return [id, sealer({ current: key }).seal(`secret ${id}`, context(id))]
    }),
  )

t.test('every record comes under the current key, whatever their number; said once', async (t) => {
  const records = sealedBy(previous, 250)
  const { run, said } = stage(records)
  await run()
  await run()
  const alone = sealer({ current })
  for (const [id, sealed] of records) {
    if (alone.open(sealed, context(id)) !== `secret ${id}`) t.fail(id)
  }
  t.same(said, ['nothing needs the previous key'])
})

t.test('one that does not open is an alarm each time, and keeps no other waiting', async (t) => {
  const records = sealedBy(previous, 101)
  records.set('0', sealer({ current: 'x'.repeat(32) }).seal('lost', context('0')))
  const { run, said } = stage(records)
  await run()
  await run()
  const stale = [...records.values()].filter((sealed) => sealer({ current }).isStale(sealed))
  t.equal(stale.length, 1)
  t.same(said, Array(2).fill('a sealed record does not open'))
})
