/** The bus on a cluster of NATS servers, and on servers that it cannot use. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventually, selfSignedCertificate } from '@status-page/testing'
import { connect, RetentionPolicy, StorageType } from 'nats'
import t from 'tap'
import {
  type BusTestScope,
  commitEvent,
  opened,
  recordingHandler,
  register,
  startBus,
  twoServices,
} from './bus.fixture.ts'
import { type ServerName, startNatsCluster } from './nats-cluster.fixture.ts'
import { startNats } from './nats-server.fixture.ts'
import { natsServersOf } from './nats-servers.ts'

const handlerOf = async (t: BusTestScope) => {
  const services = await twoServices(t)
  const notices = recordingHandler('notifier-notices', [opened])
  await register(services.notifier, notices.handler)
  return { ...services, notices }
}

t.test('streams get the replicas of the setting, and survive the loss of a server', async (t) => {
  const { core, notifier, notices } = await handlerOf(t)
  const cluster = await startNatsCluster(t)
  const { jsm } = cluster
  await jsm.streams.add({ name: 'EVENTS', subjects: ['events.>'], storage: StorageType.File })
  const options = { natsUrl: cluster.url, replicas: 3 }
  const producer = await startBus(t, core, [], options)
  await startBus(t, notifier, [notices.handler], options)
  const replicasOf = async (name: string) => {
    const { config, cluster } = await jsm.streams.info(name)
    const current = cluster?.replicas?.filter((replica) => replica.current).length
    return { wanted: config.num_replicas, current }
  }
  for (const name of ['EVENTS', 'PROBE']) {
    await eventually(async () => (await replicasOf(name)).current === 2, { timeoutMs: 20_000 })
    t.equal((await replicasOf(name)).wanted, 3)
  }
  const { config } = await jsm.streams.info('EVENTS')
  t.equal(config.max_msg_size, 256 * 1024, 'other settings are changed, too')
  await commitEvent(core, opened, 'one')
  // The change of the replicas may lose a pull, which two missing heartbeats repeat.
  await eventually(() => notices.seen.includes('one'), { timeoutMs: 45_000 })

  const leader = (await jsm.streams.info('EVENTS')).cluster?.leader as ServerName
  await cluster.kill(leader)
  await commitEvent(core, opened, 'two')
  await eventually(() => notices.seen.includes('two'), { timeoutMs: 20_000 })
  await eventually(() => producer.mode() === 'nats', { timeoutMs: 20_000 })
  await eventually(async () => (await jsm.streams.info('EVENTS')).cluster?.leader !== leader)
  t.same(notices.seen, ['one', 'two'])
})

t.test('events are bypassed while their stream has no server, although probes pass', async (t) => {
  const { core, notifier, notices } = await handlerOf(t)
  const cluster = await startNatsCluster(t)
  const limits = { retention: RetentionPolicy.Limits, storage: StorageType.File }
  const place = (name: string, subject: string, server: ServerName) =>
    cluster.jsm.streams.add({
      ...{ ...limits, name, subjects: [subject], num_replicas: 1 },
      placement: { cluster: 'test', tags: [server] },
    })
  await place('EVENTS', 'events.>', 'n1')
  await place('PROBE', 'probe.>', 'n2')
  const producer = await startBus(t, core, [], { natsUrl: cluster.url })
  const consumer = await startBus(t, notifier, [notices.handler], { natsUrl: cluster.url })
  await eventually(() => producer.status().epoch !== null && consumer.status().epoch !== null)
  await cluster.kill('n1')
  await eventually(() => producer.mode() === 'bypass' && consumer.mode() === 'bypass', {
    timeoutMs: 30_000,
  })
  await commitEvent(core, opened, 'one')
  await eventually(() => notices.seen.includes('one'))
})

t.test('a server without JetStream is reported once, in a sentence', async (t) => {
  const { core } = await twoServices(t)
  const nats = await startNats(t, { jetStream: 'off' })
  const problems: string[] = []
  const onUnusable = (problem: string) => problems.push(problem)
  await startBus(t, core, [], { natsUrl: nats.url, onUnusable })
  await eventually(() => problems.length > 0)
  t.match(problems, [/^The NATS server has no JetStream: .*\.$/])
})

t.test('the certificate of a server is verified by NATS_CA', async (t) => {
  const { core } = await twoServices(t)
  const folder = await mkdtemp(join(tmpdir(), 'nats-tls-'))
  t.teardown(() => rm(folder, { recursive: true }))
  const { cert, key } = selfSignedCertificate(['localhost'])
  const files = { cert_file: join(folder, 'cert.pem'), key_file: join(folder, 'key.pem') }
  await writeFile(files.cert_file, cert)
  await writeFile(files.key_file, key)
  const nats = await startNats(t, { authorization: `tls ${JSON.stringify(files)}` })
  const problems: string[] = []
  const onUnusable = (problem: string) => problems.push(problem)
  const natsUrl = nats.url.replace('nats://127.0.0.1', 'tls://localhost')
  const right = await startBus(t, core, [], { natsUrl, natsCa: cert, onUnusable })
  await eventually(() => right.status().epoch !== null)
  t.same(problems, [])
  await startBus(t, core, [], { natsUrl, onUnusable })
  await eventually(() => problems.length > 0)
  t.match(problems[0], /^The certificate of NATS cannot be verified \(.*\): check NATS_CA\.$/)
})

t.test('unchanged streams are not changed again', async (t) => {
  const { core } = await twoServices(t)
  const nats = await startNats(t)
  const client = await connect({ servers: nats.url })
  t.teardown(() => client.close())
  const updates: string[] = []
  client.subscribe('$JS.EVENT.ADVISORY.STREAM.UPDATED.>', {
    callback: (_error, { subject }) => updates.push(subject),
  })
  const first = await startBus(t, core, [], { natsUrl: nats.url })
  await eventually(() => first.status().epoch !== null)
  const second = await startBus(t, core, [], { natsUrl: nats.url })
  await eventually(() => second.status().epoch !== null)
  await client.flush()
  t.same(updates, [])
})

t.test('servers are separated by commas; a wrong address is refused without its secret', (t) => {
  t.same(natsServersOf('nats://u:p@a:1, b:2,tls://c'), ['nats://u:p@a:1', 'nats://b:2', 'tls://c'])
  for (const wrong of ['http://u:s3cret@a', 'nats://', 'a,,b', '', 'a,'.repeat(20)]) {
    try {
      natsServersOf(wrong)
      t.fail(wrong)
    } catch (error) {
      t.notMatch((error as Error).message, 's3cret', wrong)
    }
  }
  t.end()
})
