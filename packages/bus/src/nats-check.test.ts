/** The diagnosis of NATS names the fault of the server. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventually, selfSignedCertificate } from '@status-page/testing'
import t from 'tap'
import { startBus, twoServices } from './bus.fixture.ts'
import { guardedNats } from './guarded-nats.fixture.ts'
import { checkNats } from './nats-check.ts'
import { startNats } from './nats-server.fixture.ts'

const timeoutMs = 2_000

t.test('the user of a service reads the stream and publishes a probe', async (t) => {
  const { core } = await twoServices(t)
  const guarded = await guardedNats(t, [], ['north_'])
  const url = guarded.urlOf('core', 'north_')
  const options = { url, prefix: 'north_', timeoutMs }
  t.match(await checkNats(options), { ok: false, kind: 'no_stream', reason: 'north_EVENTS' })
  const bus = await startBus(t, core, [], { natsUrl: url, natsPrefix: 'north_' })
  await eventually(() => bus.status().epoch !== null)
  t.match(await checkNats(options), { ok: true, eventStream: 'north_EVENTS', lagging: [] })
  t.match(await checkNats({ url, timeoutMs: 200 }), { kind: 'no_response' }, 'another prefix')
  const wrong = url.replace(/:[^:@]*@/, ':wrong@')
  t.match(await checkNats({ ...options, url: wrong }), { kind: 'credentials' })
  guarded.nats.signal('SIGSTOP')
  const late = { ...options, timeoutMs: 200 }
  // Its threads stop one after the other.
  await eventually(async () => !(await checkNats(late)).ok)
  t.match(await checkNats(late), {
    kind: 'unreachable',
    reason: 'no response in time',
  })
  guarded.nats.signal('SIGCONT')
  await guarded.nats.kill()
  t.match(await checkNats(options), { kind: 'unreachable', reason: /ECONNREFUSED/ })
})

t.test('a server without JetStream, and one with an unknown certificate', async (t) => {
  const plain = await startNats(t, { jetStream: 'off' })
  t.match(await checkNats({ url: plain.url, timeoutMs }), { kind: 'no_jetstream' })
  const folder = await mkdtemp(join(tmpdir(), 'nats-check-'))
  t.teardown(() => rm(folder, { recursive: true }))
  const { cert, key } = selfSignedCertificate(['localhost'])
  const files = { cert_file: join(folder, 'cert.pem'), key_file: join(folder, 'key.pem') }
  await writeFile(files.cert_file, cert)
  await writeFile(files.key_file, key)
  const secure = await startNats(t, { authorization: `tls ${JSON.stringify(files)}` })
  const url = secure.url.replace('nats://127.0.0.1', 'tls://localhost')
  t.match(await checkNats({ url, timeoutMs }), { kind: 'certificate' })
  t.match(await checkNats({ url, ca: cert, timeoutMs }), { kind: 'no_stream' })
})
