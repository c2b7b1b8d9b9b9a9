import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { events, type ServiceName, schemaOf, services } from '@status-page/contracts'
import { eventually, testDatabase } from '@status-page/testing'
import { connect, type NatsConnection, NatsError } from 'nats'
import postgres from 'postgres'
import t from 'tap'
import {
  fast,
  moved,
  openCount,
  opened,
  organizationId,
  register,
  startBus,
  state,
  type Teardown,
  twoServices,
  watched,
} from './bus.fixture.ts'
import { startNats } from './nats-server.fixture.ts'
import { inboxPrefixOf, natsPermissions, type RegisteredConsumer } from './permissions.ts'
import { ensureStreams } from './streams.ts'

const committed = fileURLToPath(new URL('../../../infra/nats/permissions.conf', import.meta.url))

const registeredConsumers = async (adminUrl: string): Promise<RegisteredConsumer[]> => {
  const sql = postgres(adminUrl, { max: 1 })
  try {
    const all = await Promise.all(
      services.map(async (service) => {
        const rows = await sql<{ consumer: string; kinds: string[] }[]>`
          SELECT consumer, kinds FROM ${sql(schemaOf(service))}.consumers ORDER BY consumer`
        return rows.map((row) => ({ service, ...row }))
      }),
    )
    return all.flat()
  } finally {
    await sql.end()
  }
}

// After a new event or consumer: run this file with `--write`.
t.test('the committed permissions are those of events and consumers', async (t) => {
  const { adminUrl } = await testDatabase(t, { services })
  const generated = natsPermissions({ events, consumers: await registeredConsumers(adminUrl) })
  if (process.argv.includes('--write')) await writeFile(committed, generated)
  t.equal(await readFile(committed, 'utf8'), generated)
})

const notices = () => watched('notifier-notices', [opened, moved])
const consumers: RegisteredConsumer[] = [
  {
    service: 'notifier',
    consumer: 'notifier-notices',
    kinds: [opened.kind, moved.kind],
  },
]

const guardedNats = async (t: Teardown) => {
  const variables = services.map((service) => [
    `NATS_PASSWORD_${service.toUpperCase().replaceAll('-', '_')}`,
    `password-of-${service}`,
  ])
  const nats = await startNats(t, {
    authorization: natsPermissions({ events, consumers }),
    environment: Object.fromEntries(variables),
  })
  const urlOf = (service: ServiceName) =>
    nats.url.replace('nats://', `nats://${service}:password-of-${service}@`)
  return { nats, urlOf }
}

t.test('the bus needs no more than its permissions', async (t) => {
  const { core, notifier } = await twoServices(t)
  const { nats, urlOf } = await guardedNats(t)
  const { reaction, seen } = notices()
  await register(notifier, reaction)
  const producer = await startBus(t, core, [], { natsUrl: urlOf('core') })
  const consumer = await startBus(t, notifier, [reaction], { natsUrl: urlOf('notifier') })
  await state(core, opened, 'one')
  await eventually(async () => (await openCount(core)) === 0)
  t.same(seen, ['one'])
  t.same([producer.mode(), consumer.mode()], ['nats', 'nats'])
  const [row] = await core.hot`SELECT bus_seq::int FROM outbox`
  t.equal(row?.bus_seq, 1)

  await nats.wipe()
  await eventually(() => consumer.mode() === 'nats' && producer.mode() === 'nats')
  await state(core, opened, 'two')
  await eventually(() => seen.includes('two'))
})

t.test('a foreign kind, a wider filter and a purge are refused', async (t) => {
  const { urlOf } = await guardedNats(t)
  const notifier = await client(t, 'notifier', urlOf('notifier'))
  const jsm = await notifier.jetstreamManager({ checkAPI: false, timeout: 2_000 })
  const durable = { name: 'notifier-notices-incident-v1', filter: 'events.incident.>' }
  const checked = await ensureStreams(jsm, { durables: [durable], ackWaitMs: 1_000, replicas: 1 })
  t.same(checked.created, [durable.name])
  await jsm.consumers.delete('EVENTS', durable.name)

  await refused(t, 'foreign kind', publish(notifier, `events.incident.created.${organizationId}`))
  await refused(t, 'foreign probe', publish(notifier, 'probe.core'))
  await refused(t, 'purge', jsm.streams.purge('EVENTS'))
  await refused(t, 'delete', jsm.streams.delete('EVENTS'))
  await refused(t, 'read by sequence', jsm.streams.getMessage('EVENTS', { seq: 1 }))
  const wider = { ...durable, filter: 'events.>' }
  const ensuring = ensureStreams(jsm, { durables: [wider], ackWaitMs: 1_000, replicas: 1 })
  await refused(t, 'wider filter', ensuring)
  await publish(notifier, `events.audit.recorded.${organizationId}`)
  await publish(notifier, 'probe.notifier')
  t.pass('its own kinds and probe pass')
})

const client = async (t: Teardown, service: ServiceName, text: string): Promise<NatsConnection> => {
  const url = new URL(text)
  const connection = await connect({
    servers: url.host,
    user: url.username,
    pass: url.password,
    inboxPrefix: inboxPrefixOf(service),
    reconnectTimeWait: fast.reconnectMs ?? 0,
  })
  t.teardown(() => connection.close())
  return connection
}

const publish = (connection: NatsConnection, subject: string) =>
  connection.jetstream({ timeout: 2_000 }).publish(subject, '{}')

const refused = (t: Tap, what: string, attempt: Promise<unknown>) =>
  t.rejects(
    attempt.catch((error: unknown) => {
      const isRefusal = error instanceof NatsError && error.isPermissionError()
      throw new Error(isRefusal ? 'refused' : `failed otherwise: ${error}`)
    }),
    new Error('refused'),
    what,
  )

type Tap = Pick<typeof t, 'rejects'>
