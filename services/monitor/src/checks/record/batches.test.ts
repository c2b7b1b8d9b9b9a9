/** Batches of results, of which another replica may have stored some. */
import { newId } from '@status-page/postgres'
import { notMeasured } from '@status-page/probes'
import { testDatabase } from '@status-page/testing'
import t from 'tap'
import { LOCATION, monitorOf } from '../../monitor.fixture.ts'
import { storeBatch } from './batches.ts'
import { checkRowOf } from './rows.ts'

// Keeps the test server running for the whole file; releasing the last database stops it.
await testDatabase(t, { services: [] })

t.test('a batch with a slot that is stored already stores the other results', async (t) => {
  const { database, organizationId, sql } = await monitorOf(t)
  const slotMs = Date.now()
  const rowOf = (componentId: string, status: 'SUCCESS' | 'FAILURE') => {
    const result = { ...notMeasured, status, checkedAtMs: slotMs }
    const when = { slotMs, location: LOCATION, trigger: 'schedule' } as const
    return checkRowOf({ organizationId, componentId }, result, when)
  }
  const [stored, later] = [newId(), newId()]
  const store = (rows: ReturnType<typeof rowOf>[]) =>
    storeBatch(database, { rows, moved: [], location: LOCATION })
  await store([rowOf(stored, 'SUCCESS')])
  await store([rowOf(stored, 'FAILURE'), rowOf(later, 'FAILURE')])
  t.same(
    [...(await sql`SELECT component_id, status FROM monitor.checks ORDER BY component_id`)],
    [
      { component_id: stored, status: 'SUCCESS' },
      { component_id: later, status: 'FAILURE' },
    ],
  )
})
