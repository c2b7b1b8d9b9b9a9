/** Import of large documents: complete, and without blocking requests of others. */
import { componentOperations, importOperations } from '@status-page/contracts'
import { longestEventLoopBlock } from '@status-page/testing'
import t from 'tap'
import { coreKit } from '../core.fixture.ts'
import * as source from './statuspage.fixture.ts'

const kit = await coreKit(t)
const COMPONENTS = 200
const INCIDENTS = 1_000

const large = () => {
  const ids = Array.from({ length: COMPONENTS }, (_, index) => `c${index}`)
  const incidents = Array.from({ length: INCIDENTS }, (_, index) => {
    const days = 1 + index * 0.35
    const code = ids[index % COMPONENTS] ?? ''
    const id = `i${index}`
    const updates = [
      source.update(`${id}a`, 'investigating', source.ago(days, 3), {
        body: 'We see <b>errors</b> and <i>delays</i>.<br/>More <a href="https://a.example">here</a>.',
        changes: [{ code, from: 'operational', to: 'major_outage' }],
      }),
      source.update(`${id}b`, 'monitoring', source.ago(days, 2), {
        body: 'A fix is deployed.',
        changes: [{ code, from: 'major_outage', to: 'partial_outage' }],
      }),
      source.update(`${id}c`, 'resolved', source.ago(days, 1), {
        changes: [{ code, from: 'partial_outage', to: 'operational' }],
      }),
    ]
    const one = source.incident(id, `Incident ${index}`, {
      impact: 'critical',
      components: [],
      updates,
    })
    return { ...one, components: [{ id: code }] }
  })
  const components = ids.map((id, index) => source.component(id, `Component ${index}`, index))
  return { page: source.page, components, incidents }
}

t.test('1,000 incidents of 200 components are imported while others are served', async (t) => {
  const one = kit.as()
  const other = kit.as()
  await other.request(componentOperations.list)
  const body = large()
  let isOver = false
  let reads = 0
  const readOften = async () => {
    while (!isOver) {
      await other.request(componentOperations.list)
      reads++
    }
  }
  const reading = readOften()
  const { holdMs, result } = await longestEventLoopBlock(() =>
    one.request(importOperations.statuspage, { body: body as never }),
  )
  isOver = true
  await reading
  t.equal(result.status, 200)
  t.ok(holdMs < 200, `${holdMs} ms of processor time without yielding`)
  t.ok(reads > 20, `${reads} requests of another organization were served`)
  const { body: list } = await one.request(componentOperations.list, {
    query: { search: 'Component 7', pageSize: 1 },
  })
  const params = { id: list.data[0]?.id ?? '' }
  const { body: history } = await one.request(componentOperations.statusHistory, { params })
  t.equal(history.meta.total, 1 + (3 * INCIDENTS) / COMPONENTS)
})

t.test('thousands of changes of one component are imported', async (t) => {
  const one = kit.as()
  const updates = (id: string, days: number) =>
    Array.from({ length: 100 }, (_, index) =>
      source.update(
        `${id}-${index}`,
        index === 99 ? 'resolved' : 'identified',
        source.ago(days, 100 - index),
        {
          changes: [
            {
              code: 'c',
              from: 'operational',
              to: index % 2 === 0 ? 'major_outage' : 'operational',
            },
          ],
        },
      ),
    )
  const incidents = Array.from({ length: 60 }, (_, index) =>
    source.incident(`i${index}`, 'Flapping', {
      impact: 'critical',
      components: ['c'],
      updates: updates(`u${index}`, index + 1),
    }),
  )
  const body = { components: [source.component('c', 'C', 1)], incidents }
  const { status } = await one.request(importOperations.statuspage, { body: body as never })
  t.equal(status, 200)
  const { body: list } = await one.request(componentOperations.list)
  const params = { id: list.data[0]?.id ?? '' }
  const { body: history } = await one.request(componentOperations.statusHistory, { params })
  t.ok(history.meta.total > 1_000)
})
