/** Results that cannot be stored: halved, dropped, deferred, in order. */
import { invalid } from '@status-page/contracts'
import t from 'tap'
import { ResultBuffer, type ResultBufferOptions } from './index.ts'

interface Entry {
  organization: string
  number: number
}

const refusal = () => invalid({ field: 'value', message: 'value is out of range' })
const failure = (code: string) => Object.assign(new Error(code), { code })

const bufferOf = (given: Partial<ResultBufferOptions<Entry>> = {}) => {
  const stored: number[] = []
  const dropped: number[] = []
  let lost = 0
  let calls = 0
  const { store = async () => {}, ...others } = given
  const buffer = new ResultBuffer<Entry>({
    batchSize: 8,
    maxBuffered: 100,
    groupOf: ({ organization }) => organization,
    createPartitions: async () => {},
    onDropped: (count) => {
      lost += count
    },
    onRefused: ({ number }) => dropped.push(number),
    ...others,
    store: async (entries, done) => {
      calls++
      await store(entries, done)
      for (const entry of entries) {
        stored.push(entry.number)
        done(entry)
      }
    },
  })
  const add = (organization: string, ...numbers: number[]) => {
    for (const number of numbers) buffer.add({ organization, number })
  }
  return { buffer, add, stored, dropped, lost: () => lost, calls: () => calls }
}

const upTo = (length: number) => Array.from({ length }, (_, index) => index)

t.test('a rejected entry is dropped alone, within a logarithm of attempts', async (t) => {
  const { buffer, add, stored, dropped, lost, calls } = bufferOf({
    batchSize: 64,
    store: async (entries) => {
      if (entries.some(({ number }) => number === 37)) throw refusal()
    },
  })
  add('a', ...upTo(64))
  await buffer.flush()
  t.same(dropped, [37])
  t.equal(lost(), 1)
  t.equal(buffer.size, 0)
  t.same(
    stored,
    upTo(64).filter((number) => number !== 37),
    'all others, in their order',
  )
  t.ok(calls() <= 24, `${calls()} attempts`)
})

t.test('an organization that fails delays no other and stays in order', async (t) => {
  let isFailing = true
  const { buffer, add, stored, lost } = bufferOf({
    batchSize: 4,
    store: async (entries, done) => {
      const failing = entries.filter(({ organization }) => organization === 'bad')
      for (const entry of entries) if (!failing.includes(entry)) done(entry)
      // 55P03: lock_not_available, which a retry may not meet.
      if (isFailing && failing.length > 0) throw failure('55P03')
    },
  })
  add('bad', 1, 2)
  add('fine', 3, 4)
  add('bad', 5)
  add('other', 6, 7, 8)
  await t.rejects(buffer.flush(), { code: '55P03' })
  t.equal(buffer.size, 3, 'the failed ones alone')
  t.same(stored, [6, 7, 8])
  isFailing = false
  add('bad', 9)
  await buffer.flush()
  t.same(stored.slice(3), [1, 2, 5, 9])
  t.equal(lost(), 0)
})

t.test('without a connection the flush ends, and all entries wait', async (t) => {
  let isLost = true
  const { buffer, add, stored, calls } = bufferOf({
    batchSize: 2,
    store: async () => {
      if (isLost) throw failure('ECONNREFUSED')
    },
  })
  add('a', 1, 2)
  add('b', 3, 4)
  await t.rejects(buffer.flush(), { code: 'ECONNREFUSED' })
  t.equal(calls(), 1)
  isLost = false
  await buffer.flush()
  t.same(stored, [1, 2, 3, 4])
})

t.test('missing partitions are created once, and nothing is dropped for them', async (t) => {
  let created = 0
  const { buffer, add, stored, dropped } = bufferOf({
    createPartitions: async () => created++,
    store: async () => {
      if (created === 0) throw failure('23514')
    },
  })
  add('a', 1, 2, 3)
  await buffer.flush()
  t.same(stored, [1, 2, 3])
  t.same(dropped, [])
  t.equal(created, 1)
})

t.test('the oldest entries make room beyond the limit, also during a flush', async (t) => {
  const { promise: gate, resolve: open } = Promise.withResolvers<void>()
  let isFirst = true
  const { buffer, add, stored, lost } = bufferOf({
    maxBuffered: 4,
    store: async () => {
      if (!isFirst) return
      isFirst = false
      await gate
      throw failure('55P03')
    },
  })
  add('a', ...upTo(6))
  t.equal(lost(), 2)
  const flushed = buffer.flush()
  await Promise.resolve()
  add('b', 6, 7)
  open()
  await t.rejects(flushed)
  t.equal(buffer.size, 4)
  t.equal(lost(), 4)
  await buffer.flush()
  t.same(stored, [4, 5, 6, 7])
})
