/** Queries of the scheduler for targets: targets, versions and stored checks of one location. */

import { systemActor } from '@status-page/contracts'
import { newId, transact } from '@status-page/postgres'
import { shardOf, slotAt } from '@status-page/schedule'
import { testDatabase } from '@status-page/testing'
import t, { type Test } from 'tap'
import { component, endpoint, LOCATION, setup, successfulProbe } from '../monitor.fixture.ts'
import { type CheckRow, checkRowOf, insertChecks } from './record/rows.ts'
import { scheduledTargets } from './scheduled-targets.ts'

// Keeps the test server running for the whole file; releasing the last database stops it.
await testDatabase(t, { services: [] })

const MINUTE = 60_000

const withTargets = async (t: Test, count: number) => {
  const { publishComponent, database } = await setup(t)
  const organizationId = newId()
  const ids = Array.from({ length: count }, () => newId())
  const say = (kind: 'created' | 'updated' | 'deleted', id: string, version: number) => {
    const url = `http://${version}.example.com/`
    return publishComponent(
      organizationId,
      kind,
      component({ id, endpoint: endpoint(url) }),
      version,
    )
  }
  for (const id of ids) await say('created', id, 1)
  return { database, organizationId, ids, say, source: scheduledTargets(database, LOCATION) }
}

t.test('a slot is stored by its scheduled check from the location only', async (t) => {
  const { database, organizationId, ids, source } = await withTargets(t, 5)
  const [stored, later, manual, elsewhere] = ids as [string, string, string, string]
  const nowMs = Date.now()
  const row = (id: string, change: Partial<Parameters<typeof checkRowOf>[2]> = {}): CheckRow => {
    const when = { slotMs: slotAt(id, MINUTE, nowMs), location: LOCATION }
    const result = successfulProbe(nowMs)
    const subject = { organizationId, componentId: id }
    return checkRowOf(subject, result, { ...when, trigger: 'schedule', ...change })
  }
  const rows = [
    row(stored),
    row(later, { slotMs: slotAt(later, MINUTE, nowMs) + MINUTE }),
    row(manual, { trigger: 'manual' }),
    row(elsewhere, { location: 'elsewhere' }),
  ]
  await transact(database, { organizationId, actor: systemActor }, async (scope) => {
    await insertChecks(scope, rows)
    return { result: undefined }
  })
  const loaded = await source.load({ shards: ids.map(shardOf) })
  t.same(loaded.map(({ id }) => id).sort(), ids.toSorted())
  t.same(
    [...(await source.findLastSlots(loaded, nowMs))],
    [[stored, slotAt(stored, MINUTE, nowMs)]],
  )
})

t.test('loads and versions contain the changed targets without the deleted ones', async (t) => {
  const { ids, say, source, database } = await withTargets(t, 3)
  const [same, changed, deleted] = ids as [string, string, string]
  await say('updated', changed, 2)
  await say('deleted', deleted, 2)
  const shards = ids.map(shardOf)
  const expected = new Map([
    [same, 1],
    [changed, 2],
  ])
  t.same(await source.loadVersions(shards), expected)
  for (const wanted of [{ shards }, { ids }]) {
    const loaded = await source.load(wanted)
    t.same(new Map(loaded.map(({ id, version }) => [id, version])), expected)
  }
  const other = scheduledTargets(database, 'elsewhere')
  t.same([...(await other.loadVersions(shards))], [])
  t.same(await other.load({ ids }), [])
})
