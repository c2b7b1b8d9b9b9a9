import type { Envelope } from '@status-page/contracts'
import type { Database } from '@status-page/postgres'
import t from 'tap'
import { joined, moved, opened } from './bus.fixture.ts'
import { durableConsumersOf, eventHandler, eventKindsOf } from './event-handler.ts'
import { DEFAULT_INTERVALS, retryPauseMs, scaledIntervals } from './intervals.ts'
import { createBusMode } from './probe.ts'

t.test('a handler receives the data type of its event kinds', (t) => {
  const handler = eventHandler({
    consumer: 'core-example',
    on: [opened, joined],
    async handle(_scope, envelope) {
      const title: string = envelope.kind === 'incident.created' ? envelope.data.title : ''
      t.type(title, 'string')
    },
  })
  t.same(eventKindsOf(handler), ['incident.created', 'subscriber.created'])
  t.end()
})

t.test('a handler includes its preparation', async (t) => {
  const prepared: string[] = []
  const { prepare } = eventHandler({
    consumer: 'core-example',
    on: [opened],
    handle: async () => {},
    async prepare(_database, { kind }) {
      prepared.push(kind)
    },
  })
  await prepare?.({} as Database, { kind: opened.kind } as Envelope)
  t.same(prepared, ['incident.created'])
})

t.test('a consumer has one durable per noun', (t) => {
  const kinds = [opened, moved, joined].map(({ kind }) => kind)
  t.same(durableConsumersOf('notifier-deliveries', kinds), [
    { name: 'notifier-deliveries-incident-v1', filter: 'events.incident.>' },
    { name: 'notifier-deliveries-subscriber-v1', filter: 'events.subscriber.>' },
  ])
  t.end()
})

t.test('pauses double up to a minute', (t) => {
  const pauses = [1, 2, 3, 5, 6, 40].map((n) => retryPauseMs(DEFAULT_INTERVALS, n))
  t.same(pauses, [2_000, 4_000, 8_000, 32_000, 60_000, 60_000])
  t.end()
})

t.test(
  'scaled intervals keep their proportions, but for the time of an answer and canaries',
  (t) => {
    t.same(scaledIntervals(100), DEFAULT_INTERVALS)
    const { ackWaitMs, workingMs, staleAfterMs, ...others } = scaledIntervals(25)
    t.same([ackWaitMs, workingMs, staleAfterMs], [7_500, 2_500, 3_750])
    t.match(others, { requestTimeoutMs: 5_000, canaryMs: 60_000 })
    t.end()
  },
)

t.test('bypass begins after 15 s without a round trip and ends after 30 s of good ones', (t) => {
  let now = 0
  const liveness = createBusMode(DEFAULT_INTERVALS, () => now)
  const at = (seconds: number, event: 'succeeded' | 'failed') => {
    now = seconds * 1_000
    liveness[event]()
    return liveness.mode()
  }
  t.equal(at(0, 'succeeded'), 'nats')
  t.equal(at(10, 'failed'), 'nats')
  t.equal(at(15, 'failed'), 'bypass')
  t.equal(at(20, 'succeeded'), 'bypass')
  t.equal(at(34, 'succeeded'), 'bypass')
  t.equal(at(40, 'failed'), 'bypass', 'one failure restarts the 30 s')
  t.equal(at(45, 'succeeded'), 'bypass')
  for (const second of [50, 55, 60, 65, 70]) t.equal(at(second, 'succeeded'), 'bypass')
  t.equal(at(75, 'succeeded'), 'nats')
  t.end()
})
