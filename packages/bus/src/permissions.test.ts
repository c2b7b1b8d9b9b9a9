import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { databaseSchemaOf, events, services } from '@status-page/contracts'
import { eventually, testDatabase } from '@status-page/testing'
import postgres from 'postgres'
import t from 'tap'
import {
  commitEvent,
  joined,
  moved,
  openCount,
  opened,
  organizationId,
  recordingHandler,
  register,
  startBus,
  twoServices,
} from './bus.fixture.ts'
import { guardedNats, natsTestClient, rejectsForPermissions } from './guarded-nats.fixture.ts'
import { natsNames } from './nats-names.ts'
import { natsPermissions, type RegisteredConsumer } from './permissions.ts'
import { ensureStreams } from './streams.ts'

const pathOf = (name: string) =>
  fileURLToPath(new URL(`../../../infra/nats/${name}`, import.meta.url))
const consumersFile = pathOf('consumers.json')
const permissionsFile = pathOf('permissions.conf')

const registeredConsumers = async (adminUrl: string): Promise<RegisteredConsumer[]> => {
  const sql = postgres(adminUrl, { max: 1 })
  try {
    const all = await Promise.all(
      services.map(async (service) => {
        const rows = await sql<{ consumer: string; kinds: string[] }[]>`
          SELECT consumer, kinds FROM ${sql(databaseSchemaOf(service))}.consumers ORDER BY consumer`
        return rows.map((row) => ({ service, ...row }))
      }),
    )
    return all.flat()
  } finally {
    await sql.end()
  }
}

// After a new event or consumer: run this file with `--write`, then format.
t.test('the committed permissions match events and consumers', async (t) => {
  const { adminUrl } = await testDatabase(t, { services })
  const registered = await registeredConsumers(adminUrl)
  const generated = natsPermissions({ events, consumers: registered })
  if (process.argv.includes('--write')) {
    await writeFile(consumersFile, JSON.stringify(registered, null, 2))
    await writeFile(permissionsFile, generated)
  }
  t.same(JSON.parse(await readFile(consumersFile, 'utf8')), registered)
  t.equal(await readFile(permissionsFile, 'utf8'), generated)
})

const notices = () => recordingHandler('notifier-notices', [opened, moved])
const consumers: RegisteredConsumer[] = [
  {
    service: 'notifier',
    consumer: 'notifier-notices',
    kinds: [opened.kind, moved.kind],
  },
]

t.test('the bus needs no more than its permissions', async (t) => {
  const { core, notifier } = await twoServices(t)
  const { nats, urlOf } = await guardedNats(t, consumers)
  const { handler, seen } = notices()
  await register(notifier, handler)
  const producer = await startBus(t, core, [], { natsUrl: urlOf('core') })
  const consumer = await startBus(t, notifier, [handler], { natsUrl: urlOf('notifier') })
  await commitEvent(core, opened, 'one')
  await eventually(async () => (await openCount(core)) === 0)
  t.same(seen, ['one'])
  t.same([producer.mode(), consumer.mode()], ['nats', 'nats'])
  const [row] = await core.batchSql`SELECT bus_seq::int FROM outbox`
  t.equal(row?.bus_seq, 1)

  await nats.wipe()
  await eventually(() => consumer.mode() === 'nats' && producer.mode() === 'nats')
  await commitEvent(core, opened, 'two')
  await eventually(() => seen.includes('two'))
})

t.test('a consumer without permission delays no other event of its service', async (t) => {
  const { core, notifier } = await twoServices(t)
  const { urlOf } = await guardedNats(t, consumers)
  const { handler, seen } = notices()
  const unknown = recordingHandler('notifier-unknown', [joined])
  const stated = recordingHandler('core-unknown', [joined])
  for (const one of [handler, unknown.handler]) await register(notifier, one)
  const producer = await startBus(t, core, [stated.handler], { natsUrl: urlOf('core') })
  await startBus(t, notifier, [unknown.handler, handler], { natsUrl: urlOf('notifier') })
  await commitEvent(core, opened, 'one')
  await eventually(() => seen.includes('one'))
  t.equal(producer.mode(), 'nats')
  const [row] = await core.batchSql`SELECT bus_seq::int FROM outbox`
  t.equal(row?.bus_seq, 1)
})

t.test('a kind of another service, a wider filter and a purge are not permitted', async (t) => {
  const { js, jsm } = await natsTestClient(t, await guardedNats(t, consumers), 'notifier')
  const durable = { name: 'notifier-notices-incident-v1', filter: 'events.incident.>' }
  const limits = { names: natsNames(), ackWaitMs: 1_000, replicas: null, installationId: '' }
  const checked = await ensureStreams(jsm, { ...limits, durables: [durable] })
  t.same(checked.created, [durable.name])
  await jsm.consumers.delete('EVENTS', durable.name)

  await rejectsForPermissions(
    t,
    'foreign kind',
    js.publish(`events.incident.created.${organizationId}`, '{}'),
  )
  await rejectsForPermissions(t, 'foreign probe', js.publish('probe.core', ''))
  await rejectsForPermissions(t, 'purge', jsm.streams.purge('EVENTS'))
  await rejectsForPermissions(t, 'delete', jsm.streams.delete('EVENTS'))
  await rejectsForPermissions(t, 'deletion of a message', jsm.streams.deleteMessage('EVENTS', 1))
  await rejectsForPermissions(t, 'read by sequence', jsm.streams.getMessage('EVENTS', { seq: 1 }))
  const wider = { ...durable, filter: 'events.>' }
  const ensured = await ensureStreams(jsm, { ...limits, durables: [wider] })
  t.match(ensured, { created: [], rejected: [{ durable: wider.name }] })
  await js.publish(`events.audit.recorded.${organizationId}`, '{}')
  await js.publish('probe.notifier', '')
  t.pass('its own kinds and probe pass')
})
