import { eventually } from '@status-page/testing'
import { connect, headers } from 'nats'
import t from 'tap'
import {
  aggregate,
  type BusTestScope,
  commitEvent,
  cutConnections,
  moved,
  openCount,
  opened,
  receiptsOf,
  recordingHandler,
  register,
  startBus,
  twoServices,
} from './bus.fixture.ts'
import { startNats } from './nats-server.fixture.ts'
import { requeueDead } from './requeue-quarantined.ts'

const fixture = async (test: BusTestScope) => {
  const services = await twoServices(test)
  const nats = await startNats(test)
  const notices = recordingHandler('notifier-notices', [opened, moved])
  await register(services.notifier, notices.handler)
  return { ...services, nats, notices }
}

t.test('a committed event is handled once and then settled', async (t) => {
  const { core, notifier, nats, notices } = await fixture(t)
  const bus = await startBus(t, core, [], { natsUrl: nats.url })
  await startBus(t, notifier, [notices.handler], { natsUrl: nats.url })
  await commitEvent(core, opened, 'one')
  await eventually(() => notices.seen.length === 1)
  await eventually(async () => (await openCount(core)) === 0)
  t.same(notices.seen, ['one'])
  t.equal(bus.mode(), 'nats')
  await eventually(() => bus.status().epoch !== null && bus.status().lastRoundTripAt !== null)
  await eventually(() => bus.status().unsettledAgeSeconds === 0)
})

t.test('the same message five times has one effect', async (t) => {
  const { core, notifier, nats, notices } = await fixture(t)
  await startBus(t, core, [], { natsUrl: nats.url })
  await startBus(t, notifier, [notices.handler], { natsUrl: nats.url })
  await commitEvent(core, opened, 'one')
  await eventually(() => notices.seen.length === 1)
  const client = await connect({ servers: nats.url })
  t.teardown(() => client.close())
  const jsm = await client.jetstreamManager()
  const { subject, data, header } = await jsm.streams.getMessage('EVENTS', { seq: 1 })
  const eventId = header.get('Nats-Msg-Id')
  for (let copy = 1; copy < 5; copy++) {
    await client.jetstream().publish(subject, data, { msgID: `${eventId}:r${copy}` })
  }
  await commitEvent(core, opened, 'two')
  await eventually(() => ['one', 'two'].every((text) => notices.seen.includes(text)))
  t.same(notices.seen.toSorted(), ['one', 'two'])
})

t.test('versions of one aggregate are handled in order', async (t) => {
  const { core, notifier, nats, notices } = await fixture(t)
  await startBus(t, core, [], { natsUrl: nats.url })
  await startBus(t, notifier, [notices.handler], { natsUrl: nats.url })
  const { id } = aggregate()
  const titles = Array.from({ length: 20 }, (_, index) => `v${index + 1}`)
  for (const [index, title] of titles.entries()) {
    await commitEvent(core, moved, title, { id, version: index + 1 })
  }
  await eventually(() => notices.seen.length === titles.length)
  t.same(notices.seen, titles)
})

t.test('events of one organization that wait are handled in few transactions', async (t) => {
  const { core, notifier, nats, notices } = await fixture(t)
  await startBus(t, core, [], { natsUrl: nats.url })
  const titles = Array.from({ length: 40 }, (_, index) => `event ${index}`)
  for (const title of titles) await commitEvent(core, opened, title)
  const handler = { ...notices.handler, isBatched: true }
  // A slow probe would start the bypass, which handles each event alone.
  const intervals = { staleAfterMs: 60_000 }
  await startBus(t, notifier, [handler], { natsUrl: nats.url, intervals })
  await eventually(() => notices.seen.length >= titles.length)
  await eventually(async () => (await openCount(core)) === 0)
  t.same(notices.seen, titles, 'each once, in their order')
  const [row] = await notifier.batchSql`SELECT count(DISTINCT xmin::text)::int AS n FROM inbox`
  t.ok(row?.n < titles.length / 2, `${row?.n} transactions`)
})

t.test('after the store was wiped, only open events are published again', async (t) => {
  const { core, notifier, nats, notices } = await fixture(t)
  const bus = await startBus(t, core, [], { natsUrl: nats.url })
  const other = await startBus(t, notifier, [notices.handler], { natsUrl: nats.url })
  const settled = await commitEvent(core, opened, 'before')
  await eventually(async () => (await openCount(core)) === 0)
  const before = bus.status().epoch
  await other.stop()
  const open = await commitEvent(core, opened, 'open')
  const isPublished = async () => {
    const [row] =
      await core.batchSql`SELECT published_at, settled_at FROM outbox WHERE event_id = ${open}`
    return row?.published_at !== null
  }
  await eventually(isPublished)
  await nats.wipe()
  await startBus(t, notifier, [notices.handler], { natsUrl: nats.url })
  await eventually(() => notices.seen.includes('open'))
  await eventually(() => bus.status().epoch !== before)
  const [row] = await core.batchSql`SELECT publish_count FROM outbox WHERE event_id = ${settled}`
  t.equal(row?.publish_count, 1, 'settled rows stay')
  t.same(notices.seen, ['before', 'open'])
})

t.test('a store wiped under running services loses and repeats nothing', async (t) => {
  const { core, notifier, nats, notices } = await fixture(t)
  await startBus(t, core, [], { natsUrl: nats.url })
  await startBus(t, notifier, [notices.handler], { natsUrl: nats.url })
  await commitEvent(core, opened, '0')
  await eventually(() => notices.seen.length === 1)
  const wiping = nats.wipe()
  for (let n = 1; n <= 10; n++) await commitEvent(core, opened, String(n))
  await wiping
  for (let n = 11; n <= 15; n++) await commitEvent(core, opened, String(n))
  await eventually(() => notices.seen.length >= 16)
  await eventually(async () => (await openCount(core)) === 0)
  t.equal(new Set(notices.seen).size, 16)
  t.equal(notices.seen.length, 16)
})

t.test('without NATS events arrive by bypass, and over NATS again after its return', async (t) => {
  const { core, notifier, nats, notices } = await fixture(t)
  await startBus(t, core, [], { natsUrl: nats.url })
  const bus = await startBus(t, notifier, [notices.handler], { natsUrl: nats.url })
  await commitEvent(core, opened, 'over nats')
  await eventually(() => notices.seen.length === 1)
  await nats.kill()
  await commitEvent(core, opened, 'by bypass')
  await eventually(() => bus.mode() === 'bypass')
  await eventually(() => notices.seen.length === 2)
  await eventually(async () => (await openCount(core)) === 0)
  await nats.start()
  await eventually(() => bus.mode() === 'nats')
  const id = await commitEvent(core, opened, 'over nats again')
  await eventually(() => notices.seen.length === 3)
  await eventually(async () => {
    const [row] = await core.batchSql`SELECT bus_seq FROM outbox WHERE event_id = ${id}`
    return row?.bus_seq !== null
  })
  t.same(notices.seen, ['over nats', 'by bypass', 'over nats again'])
})

t.test('a stopped NATS is bypassed although its port still accepts', async (t) => {
  const { core, notifier, nats, notices } = await fixture(t)
  await startBus(t, core, [], { natsUrl: nats.url })
  const bus = await startBus(t, notifier, [notices.handler], { natsUrl: nats.url })
  await eventually(() => bus.status().lastRoundTripAt !== null)
  nats.signal('SIGSTOP')
  await commitEvent(core, opened, 'one')
  await eventually(() => bus.mode() === 'bypass')
  await eventually(() => notices.seen.length === 1)
  nats.signal('SIGCONT')
  await eventually(() => bus.mode() === 'nats')
  t.same(notices.seen, ['one'])
})

t.test('an installation without NATS delivers and settles', async (t) => {
  const { core, notifier, notices } = await fixture(t)
  await startBus(t, core, [], { natsUrl: null })
  const bus = await startBus(t, notifier, [notices.handler], { natsUrl: null })
  await commitEvent(core, opened, 'one')
  await eventually(async () => (await openCount(core)) === 0)
  t.same(notices.seen, ['one'])
  t.equal(bus.mode(), 'bypass')
})

t.test('one producer whose relay has failed is bypassed while NATS is live', async (t) => {
  const { core, notifier, nats, notices } = await fixture(t)
  const bus = await startBus(t, notifier, [notices.handler], { natsUrl: nats.url })
  await commitEvent(core, opened, 'one')
  await eventually(() => notices.seen.length === 1)
  t.equal(bus.mode(), 'nats')
})

t.test('an event whose mark was lost is published again and deduplicated', async (t) => {
  const { core, notifier, nats, notices } = await fixture(t)
  const unswept = { natsUrl: nats.url, intervals: { sweepMs: 3_600_000 } }
  await startBus(t, core, [], unswept)
  await startBus(t, notifier, [notices.handler], unswept)
  const id = await commitEvent(core, opened, 'one')
  const published = async () => {
    const [row] = await core.batchSql`SELECT publish_count, bus_seq::int FROM outbox
      WHERE event_id = ${id} AND published_at IS NOT NULL`
    return row
  }
  await eventually(published)
  await core.batchSql`UPDATE outbox SET published_at = NULL, bus_seq = NULL, publish_count = 0`
  t.match(await eventually(published), { publish_count: 1, bus_seq: 1 })
  await commitEvent(core, opened, 'two')
  await eventually(() => notices.seen.includes('two'))
  t.same(notices.seen, ['one', 'two'])
})

t.test('the sweep publishes an event that a consumer lacks under another id', async (t) => {
  const { core, notifier, nats, notices } = await fixture(t)
  await startBus(t, core, [], { natsUrl: nats.url })
  const id = await commitEvent(core, opened, 'one')
  const published = async (atLeast: number) => {
    const [row] = await core.batchSql`SELECT publish_count FROM outbox WHERE event_id = ${id}`
    return row?.publish_count >= atLeast
  }
  await eventually(() => published(2))
  const client = await connect({ servers: nats.url })
  t.teardown(() => client.close())
  const jsm = await client.jetstreamManager()
  await jsm.streams.purge('EVENTS')
  await startBus(t, notifier, [notices.handler], { natsUrl: nats.url })
  await eventually(() => notices.seen.length === 1)
  await eventually(async () => (await openCount(core)) === 0)
})

t.test('a durable that is ahead of its stream is created again', async (t) => {
  const { core, notifier, nats, notices } = await fixture(t)
  await startBus(t, core, [], { natsUrl: nats.url })
  await startBus(t, notifier, [notices.handler], { natsUrl: nats.url })
  await commitEvent(core, opened, 'one')
  await commitEvent(core, opened, 'two')
  await eventually(async () => (await openCount(core)) === 0)
  const client = await connect({ servers: nats.url })
  t.teardown(() => client.close())
  const [jsm, name] = [await client.jetstreamManager(), 'notifier-notices-incident-v1']
  const { created: before } = await jsm.consumers.info('EVENTS', name)
  const { config } = await jsm.streams.info('EVENTS')
  await jsm.streams.delete('EVENTS')
  // The bus may create the stream first; nats-server 2.9 rejects one of two concurrent creations as
  // short of storage.
  await jsm.streams.add(config).catch(() => undefined)
  const info = () => jsm.consumers.info('EVENTS', name).catch(() => ({ created: before }))
  await eventually(async () => (await info()).created !== before)
  await commitEvent(core, opened, 'three')
  await eventually(() => notices.seen.includes('three'))
  t.same([...notices.seen].sort(), ['one', 'three', 'two'])
})

t.test(
  'a poison message is quarantined at the sixth attempt, others pass, requeue works',
  async (t) => {
    const { core, notifier, nats, notices } = await fixture(t)
    notices.failing.add('poison')
    await startBus(t, core, [], { natsUrl: nats.url })
    const bus = await startBus(t, notifier, [notices.handler], { natsUrl: nats.url })
    const eventId = await commitEvent(core, opened, 'poison')
    await commitEvent(core, opened, 'neighbour')
    await eventually(() => notices.seen.includes('neighbour'))
    await eventually(() => bus.status().deadEvents === 1)
    const [dead] = await notifier.batchSql`SELECT tries, error FROM dead_event`
    t.match(dead, { tries: 6, error: /cannot handle poison/ })
    await eventually(async () => (await openCount(core)) === 0)

    notices.failing.clear()
    const requeue = {
      database: notifier,
      eventHandlers: [notices.handler],
      consumer: 'notifier-notices',
      eventId,
    }
    await requeueDead(requeue)
    t.same(notices.seen, ['neighbour', 'poison'])
    await t.rejects(requeueDead(requeue), { code: 'NOT_FOUND' }, 'once')
    await eventually(() => bus.status().deadEvents === 0)
  },
)

t.test('a forged message is quarantined and delays no other event', async (t) => {
  const { core, notifier, nats, notices } = await fixture(t)
  await startBus(t, core, [], { natsUrl: nats.url })
  const bus = await startBus(t, notifier, [notices.handler], { natsUrl: nats.url })
  await commitEvent(core, opened, 'one')
  await eventually(() => notices.seen.length === 1)
  const client = await connect({ servers: nats.url })
  t.teardown(() => client.close())
  const subject = 'events.incident.created.0192f000-0000-7000-8000-00000000000f'
  await client.jetstream().publish(subject, '{not json')
  const foreign = headers()
  await client.jetstream().publish(subject, JSON.stringify({ id: 'x' }), { headers: foreign })
  await eventually(() => bus.status().deadEvents === 2)
  await commitEvent(core, opened, 'two')
  await eventually(() => notices.seen.length === 2)
  const errors = await notifier.batchSql`SELECT error FROM dead_event ORDER BY error`
  t.match(errors, [{ error: /not JSON/ }, { error: /envelope/ }])
})

t.test('replicas share the consumers, and only one of them relays', async (t) => {
  const { databases, core, notifier, nats, notices } = await fixture(t)
  const coreTwin = await databases.connect('core')
  const notifierTwin = await databases.connect('notifier')
  const twin = recordingHandler('notifier-notices', [opened, moved])
  await startBus(t, core, [], { natsUrl: nats.url })
  await startBus(t, coreTwin, [], { natsUrl: nats.url })
  await startBus(t, notifier, [notices.handler], { natsUrl: nats.url })
  await startBus(t, notifierTwin, [twin.handler], { natsUrl: nats.url })
  for (let n = 0; n < 40; n++) await commitEvent(core, opened, String(n))
  await eventually(() => notices.seen.length + twin.seen.length === 40)
  await eventually(async () => (await openCount(core)) === 0)
  t.equal(await receiptsOf(notifier, 'notifier-notices'), 40)
  t.ok(twin.seen.length > 0 && notices.seen.length > 0, 'both took part')
  const [row] = await core.batchSql`SELECT max(publish_count) AS most FROM outbox`
  t.equal(row?.most, 1)
})

t.test('lost database connections delay events and quarantine none', async (t) => {
  const { databases, core, notifier, nats, notices } = await fixture(t)
  await startBus(t, core, [], { natsUrl: nats.url })
  const bus = await startBus(t, notifier, [notices.handler], { natsUrl: nats.url })
  await commitEvent(core, opened, 'one')
  await eventually(() => notices.seen.length === 1)
  await cutConnections(databases.adminUrl)
  await eventually(async () => (await commitEvent(core, opened, 'two')) !== undefined)
  await eventually(() => notices.seen.includes('two'))
  await eventually(async () => (await openCount(core)) === 0)
  t.equal(bus.status().deadEvents, 0)
})
