/**
 * Compares the consumers that the migrations of a service register with its event handlers. The
 * events of a consumer without a handler would never be settled, and those of a handler without a
 * consumer are settled before it handles them.
 */
import type { ConsumerSpec, Database } from '@status-page/postgres'

interface ConsumerAssertions {
  same(actual: unknown, expected: unknown): unknown
}

export const assertConsumers = async (
  t: ConsumerAssertions,
  { batchSql }: Database,
  eventHandlers: readonly ConsumerSpec[],
): Promise<void> => {
  const rows = await batchSql<{ consumer: string; kinds: string[] }[]>`
    SELECT consumer, kinds FROM outbox_consumer`
  const handled = eventHandlers.map(({ consumer, on }) => ({
    consumer,
    kinds: on.map(({ kind }) => kind),
  }))
  t.same(kindsByConsumer(rows), kindsByConsumer(handled))
}

const kindsByConsumer = (all: readonly { consumer: string; kinds: string[] }[]) =>
  Object.fromEntries(all.map(({ consumer, kinds }) => [consumer, kinds.toSorted()]))
