/** Every event has a consumer, or a reason in this table why it has none. */
import { events, selectableChannelEvents, services } from '@status-page/contracts'
import t from 'tap'
import { testDatabase } from './database.ts'

/** Reasons by event kind. An event without a consumer is either listed here or a defect. */
const unconsumed: Readonly<Record<string, string>> = {
  'configuration.applied': 'the owners of the resources state each change by events of their own',
}

t.test('every event kind has a consumer or a written reason', async (t) => {
  const databases = await testDatabase(t, { services })
  const consumersOf = new Map<string, string[]>()
  for (const service of services) {
    const { batchSql } = await databases.database(service)
    const rows = await batchSql<{ consumer: string; kinds: string[] }[]>`
      SELECT consumer, kinds FROM outbox_consumer`
    for (const { consumer, kinds } of rows) {
      for (const kind of kinds) {
        consumersOf.set(kind, [...(consumersOf.get(kind) ?? []), consumer])
      }
    }
  }
  for (const { kind } of events) {
    const consumers = consumersOf.get(kind) ?? []
    t.equal(
      consumers.length > 0,
      unconsumed[kind] === undefined,
      `${kind}: ${consumers.join(', ')}`,
    )
  }
  for (const kind of selectableChannelEvents) {
    const consumers = consumersOf.get(kind) ?? []
    t.ok(
      consumers.some((one) => one.startsWith('notifier-')),
      `${kind} can be delivered`,
    )
  }
  const kinds = new Set(events.map(({ kind }) => kind as string))
  t.same(
    [...consumersOf.keys(), ...Object.keys(unconsumed)].filter((kind) => !kinds.has(kind)),
    [],
  )
})
