/**
 * Slots that a replica catches up after it takes over shards; slots that may have been checked are
 * left out.
 */
import { systemActor } from '@status-page/contracts'
import { newId, transact } from '@status-page/postgres'
import { createWheel, ScheduledItems, shardOf, slotAt } from '@status-page/schedule'
import { eventually, testDatabase } from '@status-page/testing'
import t from 'tap'
import { component, endpoint, LOCATION, logger, manualClock, setup } from '../monitor.fixture.ts'
import { checkRowOf, insertChecks } from './rows.ts'
import { noTimings } from './rules.ts'
import { scheduledTargets } from './scheduled-targets.ts'

// Keeps the test server running for the whole file; releasing the last database stops it.
await testDatabase(t, { services: [] })

const MINUTE = 60_000

/** Returns ids in different shards whose newest slots are half a minute old. */
const idsAt = (now: number, count: number): string[] => {
  const ids = new Map<number, string>()
  while (ids.size < count) {
    const id = newId()
    if (Math.abs(now - slotAt(id, MINUTE, now) - MINUTE / 2) < 5000) ids.set(shardOf(id), id)
  }
  return [...ids.values()]
}

t.test('a slot of a failed replica is caught up unless it may have been checked', async (t) => {
  const { tell, database } = await setup(t)
  const organizationId = newId()
  const clock = manualClock()
  const slotOf = (id: string) => slotAt(id, MINUTE, clock.now())
  /** Last renewal of the previous holder relative to the slot, and whether the slot was stored. */
  const table = {
    'left in order': { heard: null, isMadeUp: true },
    'silent long before the slot': { heard: -10_000, isMadeUp: true },
    'silent at the slot': { heard: 0, isMadeUp: false },
    'silent just before the slot': { heard: -1500, isMadeUp: false },
    'silent before it could store the slot': { heard: 1500, isMadeUp: false },
    'silent long after the slot, without a check of it': { heard: 10_000, isMadeUp: true },
    'silent long after the slot, and checked': { heard: 10_000, isStored: true, isMadeUp: false },
  }
  const cases = Object.entries(table)
  const ids = idsAt(clock.now(), cases.length)
  const leases = []
  for (const [index, [, given]] of cases.entries()) {
    const id = ids[index] as string
    const url = 'http://a.example.com/'
    await tell(organizationId, 'created', component({ id, endpoint: endpoint(url) }), 1)
    const silentSinceMs = given.heard === null ? null : slotOf(id) + given.heard
    leases.push({ shard: shardOf(id), silentSinceMs })
    if (!('isStored' in given)) continue
    const result = {
      ...({ status: 'SUCCESS', statusCode: 200, responseMs: 1, error: null } as const),
      conditionResults: [],
      timings: noTimings,
      certificateExpiresAt: null,
      checkedAtMs: slotOf(id),
    }
    const when = { slotMs: slotOf(id), location: LOCATION, trigger: 'schedule' } as const
    const row = checkRowOf({ organizationId, componentId: id }, result, when)
    await transact(database, { organizationId, actor: systemActor }, async (scope) => {
      await insertChecks(scope, [row])
      return { result: undefined, events: [], audit: [] }
    })
  }

  const fired = new Map<string, number[]>()
  const wheel = createWheel({ now: clock.now, after: clock.after })
  t.teardown(() => wheel.stop())
  const items = new ScheduledItems({
    source: scheduledTargets(database, LOCATION),
    wheel,
    logger,
    shards: { now: clock.now, epochOf: () => 1 },
    fire: ({ componentId, firedSlotMs }) => {
      fired.set(componentId, [...(fired.get(componentId) ?? []), firedSlotMs])
    },
  })
  t.teardown(() => items.stop())
  const before = ids.map(slotOf)
  items.acquire(leases)
  await items.settled()
  clock.advance(3000)
  for (const [index, [name, { isMadeUp }]] of cases.entries()) {
    const slots = fired.get(ids[index] as string) ?? []
    t.same(slots, isMadeUp ? [before[index]] : [], name)
  }
  clock.advance(MINUTE)
  for (const [index, [name]] of cases.entries()) {
    const next = (before[index] as number) + MINUTE
    t.equal(fired.get(ids[index] as string)?.at(-1), next, `the next slot after: ${name}`)
  }
})

t.test('changes without a notification are found for any batch size', async (t) => {
  const { tell, database } = await setup(t)
  const organizationId = newId()
  const clock = manualClock()
  const ids = idsAt(clock.now(), 4)
  const say = async (version: number, kind: 'created' | 'updated', some: readonly string[]) => {
    for (const id of some) {
      const url = `http://${version}.example.com/`
      await tell(organizationId, kind, component({ id, endpoint: endpoint(url) }), version)
    }
  }
  await say(1, 'created', ids)
  const wheel = createWheel({ now: clock.now, after: clock.after })
  t.teardown(() => wheel.stop())
  const lost = new Set<number>()
  const held = new Set(ids.map(shardOf))
  const items = new ScheduledItems({
    source: scheduledTargets(database, LOCATION),
    wheel,
    logger,
    fire: () => {},
    compareBatch: 1,
    shards: { now: clock.now, epochOf: (shard) => (held.has(shard) && !lost.has(shard) ? 1 : 0) },
  })
  t.teardown(() => items.stop())
  items.acquire(ids.map((id) => ({ shard: shardOf(id), silentSinceMs: null })))
  await items.settled()
  t.equal(await items.compare(), 0, 'nothing has changed')

  const inTurns = ids.toSorted((left, right) => shardOf(left) - shardOf(right))
  await say(2, 'updated', inTurns.slice(1))
  const last = inTurns.at(-1) as string
  const compared = items.compare()
  lost.add(shardOf(last))
  t.equal(await compared, 2, 'the target of a released shard is left out')
  await t.resolves(
    eventually(() => inTurns.slice(1, -1).every((id) => items.get(id)?.version === 2)),
    'they are loaded again',
  )

  const stopping = new AbortController()
  const cutShort = items.compare(stopping.signal)
  stopping.abort()
  await t.rejects(cutShort, { name: 'AbortError' }, 'a stop does not wait for the other pages')
})
