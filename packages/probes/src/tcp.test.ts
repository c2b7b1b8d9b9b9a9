/** TCP and TLS checks of servers that misbehave end with one result, in time. */
import { createServer as createTlsServer } from 'node:tls'
import type { Condition, PolledKind, ProbeSettings } from '@status-page/contracts'
import { createDnsResolver, createOutbound, outboundPolicy } from '@status-page/outbound'
import { newId } from '@status-page/postgres'
import { httpTarget, selfSignedCertificate, tcpTarget } from '@status-page/testing'
import t, { type Test } from 'tap'
import { localProbe, noRegistrations, testSealer } from './probes.fixture.ts'
import { createRunProbe, type RunProbe } from './run-probe.ts'

const runChecked = async (
  runProbe: RunProbe,
  probe: ProbeSettings<PolledKind>,
  timeoutMs = 5000,
) => {
  const ids = { organizationId: newId(), componentId: newId() }
  const result = await runProbe({ ...ids, probe, timeoutMs })
  if (result === null) throw new Error('the check has no result')
  return result
}

interface TcpOptions {
  port: number
  send?: string | null
  conditions?: Condition[]
  timeoutMs?: number
}

const checkTcp = ({ port, send = null, conditions = [], timeoutMs = 5000 }: TcpOptions) =>
  runChecked(
    localProbe(Date.now),
    { kind: 'tcp', url: `tcp://127.0.0.1:${port}`, send, conditions },
    timeoutMs,
  )

const banner = (comparator: Condition['comparator'], target: string): Condition[] => [
  { type: 'BANNER', comparator, target },
]

t.test('a TCP check succeeds when the server accepts the connection', async (t) => {
  const { port } = await tcpTarget(t)
  t.match(await checkTcp({ port }), {
    status: 'SUCCESS',
    statusCode: null,
    error: null,
    certificateExpiresAt: null,
    timings: { connect: Number, tls: null, firstByte: null },
  })
  const slow: Condition = { type: 'RESPONSE_TIME', comparator: 'GREATER_THAN', target: '60000' }
  t.match(await checkTcp({ port, conditions: [slow] }), { status: 'DEGRADED' })
})

t.test('a refused connection is an error', async (t) => {
  const { port, close } = await httpTarget(t)
  await close()
  t.match(await checkTcp({ port }), { status: 'ERROR', error: 'connect_error' })
})

t.test('a banner is compared without its line end', async (t) => {
  const { port } = await tcpTarget(t, (socket) => socket.write('SSH-2.0-Server_1\r\n'))
  t.match(await checkTcp({ port, conditions: banner('EQUALS', 'SSH-2.0-Server_1') }), {
    status: 'SUCCESS',
    conditionResults: [{ actual: 'SSH-2.0-Server_1', passed: true }],
    timings: { firstByte: Number },
  })
  t.match(await checkTcp({ port, conditions: banner('CONTAINS', 'SSH-1') }), { status: 'FAILURE' })
})

t.test('the text to send arrives, and its reply is the banner', async (t) => {
  const received: string[] = []
  const { port } = await tcpTarget(t, (socket) => {
    socket.on('data', (chunk) => {
      received.push(String(chunk))
      socket.write('+PO')
      setImmediate(() => socket.write('NG\r\n'))
    })
  })
  const conditions = banner('EQUALS', '+PONG')
  t.match(await checkTcp({ port, send: 'PING\r\n', conditions }), { status: 'SUCCESS' })
  t.same(received, ['PING\r\n'])
})

t.test('a text without a condition on its reply arrives too', async (t) => {
  const { promise, resolve } = Promise.withResolvers<string>()
  const { port } = await tcpTarget(t, (socket) => socket.on('data', (data) => resolve(`${data}`)))
  t.match(await checkTcp({ port, send: 'QUIT\r\n' }), { status: 'SUCCESS' })
  t.equal(await promise, 'QUIT\r\n')
})

t.test('a server that never sends, resets or half-closes fails the banner alone', async (t) => {
  const conditions = banner('CONTAINS', 'ready')
  const silent = await tcpTarget(t)
  t.match(await checkTcp({ port: silent.port }), { status: 'SUCCESS' })
  const late = await checkTcp({ port: silent.port, conditions, timeoutMs: 200 })
  t.match(late, { status: 'TIMEOUT', error: 'timeout' })
  const resetting = await tcpTarget(t, (socket) => socket.resetAndDestroy())
  t.match(await checkTcp({ port: resetting.port, conditions }), {
    status: /ERROR|FAILURE/,
    error: /protocol_error|connect_error/,
  })
  const halfOpen = await tcpTarget(t, (socket) => socket.end())
  t.match(await checkTcp({ port: halfOpen.port, conditions }), {
    status: 'FAILURE',
    error: null,
    conditionResults: [{ actual: '', passed: false }],
  })
})

t.test('a banner of 1 GB is read to the limit, and the connection is closed', async (t) => {
  const GIB = 1024 ** 3
  const chunk = Buffer.alloc(64 * 1024, 'x')
  let sent = 0
  const { port, sockets } = await tcpTarget(t, (socket) => {
    const pour = () => {
      while (sent < GIB && !socket.destroyed) {
        sent += chunk.length
        if (!socket.write(chunk)) return
      }
    }
    socket.on('drain', pour)
    pour()
  })
  const result = await checkTcp({ port, conditions: banner('CONTAINS', 'xxx') })
  t.match(result, { status: 'SUCCESS', conditionResults: [{ actual: 'x'.repeat(200) }] })
  await Promise.all([...sockets].map((socket) => new Promise((done) => socket.once('close', done))))
  t.ok(sent < GIB / 4, 'the rest was never sent')
})

t.test('a trickle of bytes ends at the deadline', async (t) => {
  const { port } = await tcpTarget(t, (socket) => {
    const timer = setInterval(() => socket.write('x'), 20)
    socket.on('close', () => clearInterval(timer))
  })
  const result = await checkTcp({ port, conditions: banner('CONTAINS', 'y'), timeoutMs: 300 })
  t.match(result, { status: 'TIMEOUT', error: 'timeout' })
})

t.test('a name that resolves to a private address after the validation is blocked', async (t) => {
  const { port, sockets } = await tcpTarget(t)
  const resolve = async () => ['127.0.0.1']
  const policy = outboundPolicy({
    allowCidrs: [],
    ownHosts: [],
    resolver: { ...createDnsResolver(), resolve },
  })
  const outbound = createOutbound({ policy })
  const runProbe = createRunProbe({
    outbound,
    sealer: testSealer,
    registrations: noRegistrations,
    now: Date.now,
  })
  for (const kind of ['tcp', 'tls'] as const) {
    const url = `${kind}://rebinding.example.com:${port}`
    const probe = { kind, url, send: null, conditions: [] } as ProbeSettings<PolledKind>
    t.match(await runChecked(runProbe, probe), { status: 'ERROR', error: 'blocked' }, kind)
  }
  t.equal(sockets.size, 0)
})

t.test('a TLS check reports the certificate, also of a server without HTTP', async (t) => {
  const YEAR_MS = 365 * 86_400_000
  const valid = selfSignedCertificate(['shop.localhost'], new Date(Date.now() + YEAR_MS))
  const expired = selfSignedCertificate(['shop.localhost'], new Date(Date.now() - 86_400_000))
  const policy = outboundPolicy({ allowCidrs: ['127.0.0.0/8'], ownHosts: [] })
  const outbound = createOutbound({ policy, extraAuthorities: [valid.cert, expired.cert] })
  const runProbe = createRunProbe({
    outbound,
    sealer: testSealer,
    registrations: noRegistrations,
    now: Date.now,
  })
  const check = (port: number, host: string, days: string) =>
    runChecked(runProbe, {
      kind: 'tls',
      url: `tls://${host}:${port}`,
      conditions: [{ type: 'CERTIFICATE_DAYS', comparator: 'GREATER_THAN', target: days }],
    })
  const port = await tlsTarget(t, valid)
  t.match(await check(port, 'shop.localhost', '300'), {
    status: 'SUCCESS',
    certificateExpiresAt: String,
    conditionResults: [{ actual: /^36[45]$/, passed: true }],
    timings: { tls: Number },
  })
  t.match(await check(port, 'shop.localhost', '400'), { status: 'FAILURE', error: null })
  t.match(await check(port, 'blog.localhost', '1'), {
    error: 'tls_error',
    certificateFault: 'wrong_name',
  })
  t.match(await check(await tlsTarget(t, expired), 'shop.localhost', '1'), {
    status: 'ERROR',
    error: 'tls_error',
    certificateFault: 'expired',
  })
})

const tlsTarget = async (t: Test, pair: { cert: string; key: string }): Promise<number> => {
  const server = createTlsServer({ ...pair, ALPNProtocols: ['imap'] }, (socket) => {
    socket.on('error', () => {})
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  t.teardown(() => server.close())
  return (server.address() as { port: number }).port
}
