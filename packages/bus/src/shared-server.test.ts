/** Several installations on one nats-server, each with its prefix and its users. */
import { randomUUID } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { ServiceName } from '@status-page/contracts'
import { eventually } from '@status-page/testing'
import type { NatsConnection } from 'nats'
import postgres from 'postgres'
import t from 'tap'
import {
  type BusTestScope,
  commitEvent,
  openCount,
  opened,
  organizationId,
  recordingHandler,
  register,
  startBus,
  twoServices,
} from './bus.fixture.ts'
import { durableConsumersOf } from './event-handler.ts'
import {
  type GuardedNats,
  guardedNats,
  natsTestClient,
  rejectsForPermissions,
} from './guarded-nats.fixture.ts'
import { natsNames } from './nats-names.ts'
import { startNats } from './nats-server.fixture.ts'
import type { RegisteredConsumer } from './permissions.ts'
import { ensureStreams } from './streams.ts'

const PREFIXES = ['', 'north_', 'south_']
const consumers: RegisteredConsumer[] = [
  { service: 'notifier', consumer: 'notifier-notices', kinds: [opened.kind] },
]

/** Counts the messages of the streams: each event is published once. */
const intervals = { republishMs: 3_600_000 }

const installation = async (t: BusTestScope, { urlOf }: GuardedNats, natsPrefix: string) => {
  const { core, notifier } = await twoServices(t)
  const { handler, seen } = recordingHandler('notifier-notices', [opened])
  await register(notifier, handler)
  const options = (service: ServiceName) => {
    return { natsUrl: urlOf(service, natsPrefix), natsPrefix, intervals }
  }
  const producer = await startBus(t, core, [], options('core'))
  const taker = await startBus(t, notifier, [handler], options('notifier'))
  return { core, seen, modes: () => [producer.mode(), taker.mode()] }
}

const heldBy = async (t: BusTestScope, guarded: GuardedNats, prefix: string): Promise<number> => {
  const { jsm } = await natsTestClient(t, guarded, 'core', prefix)
  return (await jsm.streams.info(natsNames(prefix).eventStream)).state.messages
}

t.test('an event of one installation never reaches another one on the same server', async (t) => {
  const guarded = await guardedNats(t, consumers, PREFIXES)
  const all = await Promise.all(PREFIXES.map((prefix) => installation(t, guarded, prefix)))
  for (const [index, { core }] of all.entries())
    await commitEvent(core, opened, `of ${PREFIXES[index]}`)
  for (const { core } of all) await eventually(async () => (await openCount(core)) === 0)
  for (const [index, { core, seen, modes }] of all.entries()) {
    t.same(seen, [`of ${PREFIXES[index]}`])
    t.same(modes(), ['nats', 'nats'])
    const [row] = await core.batchSql`SELECT bus_seq::int, subject FROM outbox`
    t.same(row, { bus_seq: 1, subject: `events.incident.created.${organizationId}` })
    t.equal(await heldBy(t, guarded, PREFIXES[index] ?? ''), 1, 'the stream holds its own event')
  }
})

/** Databases with an installation of their own; those of other tests share one. */
const otherInstallation = async (t: BusTestScope) => {
  const { databases, core, notifier } = await twoServices(t)
  const admin = postgres(databases.adminUrl, { max: 1 })
  await admin`UPDATE status_page.installation SET id = ${randomUUID()}`
  await admin.end()
  return { core, notifier }
}

t.test('an installation does not start with the streams of another one', async (t) => {
  const guarded = await guardedNats(t, consumers)
  const { core } = await installation(t, guarded, '')
  await commitEvent(core, opened, 'of the first')
  await eventually(async () => (await openCount(core)) === 0)
  const { jsm } = await natsTestClient(t, guarded, 'notifier')
  const durable = async () => {
    const [{ name } = { name: '' }] = durableConsumersOf('notifier-notices', [opened.kind])
    const { created, ack_floor } = await jsm.consumers.info('EVENTS', name)
    return { created, ack_floor }
  }
  const before = await durable()

  const second = await otherInstallation(t)
  const { handler, seen } = recordingHandler('notifier-notices', [opened])
  await register(second.notifier, handler)
  const problems: string[] = []
  const onUnusable = (problem: string) => void problems.push(problem)
  const options = { natsUrl: guarded.urlOf('notifier'), onUnusable, intervals }
  await startBus(t, second.notifier, [handler], options)
  await eventually(() => problems.length > 0)
  t.match(problems, [/NATS stream EVENTS belongs to another installation: set NATS_PREFIX/])
  t.same(seen, [], 'it reads no event of the first')
  t.same(await durable(), before)
})

t.test('events travel through Postgres once another one has created the streams', async (t) => {
  const nats = await startNats(t)
  const server = { nats, urlOf: () => nats.url }
  const { core, seen, modes } = await installation(t, server, '')
  await commitEvent(core, opened, 'before')
  await eventually(() => seen.includes('before'))
  const { jsm } = await natsTestClient(t, server, 'core')
  const options = { names: natsNames(), ackWaitMs: 1_000, replicas: null, durables: [] }
  const foreign = { ...options, installationId: randomUUID() }
  // The services create deleted streams again, too.
  await eventually(async () => {
    for (const name of ['EVENTS', 'PROBE']) await jsm.streams.delete(name).catch(() => {})
    return ensureStreams(jsm, foreign)
  })
  await eventually(() => modes().every((mode) => mode === 'bypass'))
  await commitEvent(core, opened, 'after')
  await eventually(() => seen.includes('after'))
  t.equal(await heldBy(t, server, ''), 0, 'nothing is published to the other installation')
})

/** Files of the server that contain the text. */
const filesWith = (folder: string, text: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => readFileSync(path, 'latin1').includes(text))

t.test('an erasure of an organization overwrites its events and no others', async (t) => {
  const guarded = await guardedNats(t, consumers, PREFIXES)
  for (const prefix of PREFIXES) {
    const { core } = await installation(t, guarded, prefix)
    for (const part of ['first', 'second'])
      await commitEvent(core, opened, `${part} of "${prefix}"`)
    await eventually(async () => (await openCount(core)) === 0)
  }
  const { storeFolder } = guarded.nats
  const isStored = (prefix: string) => filesWith(storeFolder, `first of \\"${prefix}\\"`).length > 0
  await eventually(() => PREFIXES.every(isStored))
  const { core } = await twoServices(t)
  const natsUrl = guarded.urlOf('gateway', 'north_')
  const options = { service: 'gateway', natsUrl, natsPrefix: 'north_' } as const
  const gateway = await startBus(t, core, [], options)
  await eventually(() => gateway.purge(organizationId))
  const held = PREFIXES.map((prefix) => heldBy(t, guarded, prefix))
  t.same(await Promise.all(held), [2, 0, 2])
  t.same(PREFIXES.map(isStored), [true, false, true])
})

t.test('a user of one installation may use no subject of another', async (t) => {
  const guarded = await guardedNats(t, consumers, PREFIXES)
  for (const [own, foreign] of [
    ['', 'north_'],
    ['north_', ''],
    ['south_', 'north_'],
  ]) {
    const { connection, js, jsm } = await natsTestClient(t, guarded, 'gateway', own)
    const [names, others] = [natsNames(own), natsNames(foreign)]
    const event = others.subject(`events.audit.recorded.${organizationId}`)
    await rejectsForPermissions(t, 'event', js.publish(event, '{}'))
    await rejectsForPermissions(t, 'probe', js.publish(others.subject('probe.gateway'), ''))
    await rejectsForPermissions(t, 'stream', jsm.streams.info(others.eventStream))
    await rejectsForPermissions(t, 'purge', jsm.streams.purge(others.eventStream))
    await rejectsForPermissions(t, 'deletion', jsm.streams.deleteMessage(others.eventStream, 1))
    await rejectsForPermissions(
      t,
      'inbox',
      subscribed(connection, `${others.inboxPrefix('gateway')}.>`),
    )
    await jsm.streams.add({ name: names.probeStream, subjects: [names.subject('probe.>')] })
    await js.publish(names.subject('probe.gateway'), '')
    t.pass('its own probe passes')
  }
})

const REFUSAL_WAIT_MS = 1_000

/**
 * Rejects with the server's permission error; the server does not confirm an allowed subscription.
 */
const subscribed = async (connection: NatsConnection, subject: string) => {
  const { promise, reject } = Promise.withResolvers<void>()
  connection.subscribe(subject, { callback: (error) => error !== null && reject(error) })
  await connection.flush()
  return Promise.race([promise, pause(REFUSAL_WAIT_MS)])
}
