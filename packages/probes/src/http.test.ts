/**
 * A check of a hostile target always ends with one result, in time; canaries accept any response.
 */
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import type { Condition } from '@status-page/contracts'
import { createDnsResolver, createOutbound, outboundPolicy } from '@status-page/outbound'
import { newId } from '@status-page/postgres'
import { httpTarget, selfSignedCertificate, tcpTarget } from '@status-page/testing'
import t, { type Test } from 'tap'
import { canaryProbe } from './http.ts'
import { localProbe, noRegistrations, testSealer } from './probes.fixture.ts'
import { createRunProbe, type RunProbe } from './run-probe.ts'

const MIB = 1024 * 1024
const looksInside: Condition = { type: 'BODY_CONTAINS', comparator: 'CONTAINS', target: 'fine' }
const isOk: Condition = { type: 'STATUS_CODE', comparator: 'EQUALS', target: '200' }

const ask = async (
  runProbe: RunProbe,
  url: string,
  conditions: Condition[] = [],
  timeoutMs = 5000,
) => {
  const result = await runProbe({
    organizationId: newId(),
    componentId: newId(),
    probe: { kind: 'http', url, method: 'GET', headers: [], body: null, conditions },
    timeoutMs,
  })
  if (result === null) throw new Error('the check has no result')
  return result
}

/** Streams up to 10 GB while the client reads; returns the number of bytes sent. */
const endless = async (t: Test) => {
  const sent = { bytes: 0 }
  const chunk = Buffer.alloc(64 * 1024, 'x')
  const pour = (socket: Socket): void => {
    while (sent.bytes < 10 * 1024 * MIB && !socket.destroyed) {
      sent.bytes += chunk.length
      if (!socket.write(chunk)) return
    }
  }
  const target = await tcpTarget(t, (socket) => {
    socket.on('drain', () => pour(socket))
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 10737418240\r\n\r\n')
    pour(socket)
  })
  return { url: `http://127.0.0.1:${target.port}/`, sent }
}

t.test('a response of 10 GB is read to the limit and fails only body conditions', async (t) => {
  const probe = localProbe(Date.now)
  const { url, sent } = await endless(t)
  t.match(await ask(probe, url), { status: 'SUCCESS', statusCode: 200, error: null })
  t.match(await ask(probe, url, [isOk]), { status: 'SUCCESS', error: null })
  t.match(await ask(probe, url, [isOk, looksInside]), { status: 'ERROR', error: 'too_large' })
  t.ok(sent.bytes < 256 * MIB, 'the rest was never sent')
})

t.test('a compression bomb is limited to the maximum size of a response', async (t) => {
  const probe = localProbe(Date.now)
  const bomb = gzipSync(Buffer.alloc(64 * MIB))
  const { url } = await httpTarget(t, { headers: { 'content-encoding': 'gzip' }, body: bomb })
  t.match(await ask(probe, url), { status: 'SUCCESS', error: null })
  t.match(await ask(probe, url, [looksInside]), { status: 'ERROR', error: 'too_large' })
})

t.test(
  'a response that exceeds the evaluation budget is an error of its check, with its status',
  async (t) => {
    const probe = localProbe(Date.now)
    const body = `[${Array.from({ length: 80_000 }, (_, at) => `{"${at.toString(36)}":1}`).join()}]`
    const { url } = await httpTarget(t, { body })
    t.match(await ask(probe, url, [{ type: 'JSON_PATH', comparator: 'EXISTS', target: '$' }]), {
      status: 'ERROR',
      statusCode: 200,
      error: 'too_complex',
      conditionResults: [],
    })
  },
)

t.test('a slow trickle of bytes times out, in the header and in the body', async (t) => {
  const probe = localProbe(Date.now)
  for (const head of ['HTTP/1.1 200 OK\r\nx-a: ', 'HTTP/1.1 200 OK\r\n\r\n']) {
    const { port } = await tcpTarget(t, (socket) => {
      socket.write(head)
      const timer = setInterval(() => socket.write('x'), 20)
      socket.on('close', () => clearInterval(timer))
    })
    const result = await ask(probe, `http://127.0.0.1:${port}/`, [], 200)
    t.match(result, { status: 'TIMEOUT', statusCode: null, error: 'timeout' })
  }
})

t.test('a response without TLS and an unknown name are errors', async (t) => {
  const { port } = await tcpTarget(t, (socket) => socket.end('no TLS'))
  const garbage = await ask(localProbe(Date.now), `https://127.0.0.1:${port}/`)
  t.match(garbage, { status: 'ERROR', error: 'tls_error', certificateExpiresAt: null })

  const silent = createSocket('udp4').bind(0, '127.0.0.1')
  await once(silent, 'listening')
  t.teardown(() => silent.close())
  const resolver = createDnsResolver({ servers: [`127.0.0.1:${silent.address().port}`] })
  const policy = outboundPolicy({ allowCidrs: ['127.0.0.0/8'], ownHosts: [], resolver })
  const outbound = createOutbound({ policy })
  const probe = createRunProbe({
    outbound,
    sealer: testSealer,
    registrations: noRegistrations,
    now: Date.now,
  })
  const unnamed = await ask(probe, 'http://a.example.com/', [], 300)
  t.match(unnamed, { status: /ERROR|TIMEOUT/, error: /dns_error|timeout/, statusCode: null })
})

t.test('a rejected certificate is reported with the reason and its fields', async (t) => {
  const authority = selfSignedCertificate(['shop.localhost'])
  const policy = outboundPolicy({ allowCidrs: ['127.0.0.0/8'], ownHosts: [] })
  const serving = async (pair: ReturnType<typeof selfSignedCertificate>) => {
    const server = createSecureServer(pair, (_request, response) => response.end('ok'))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    t.teardown(() => server.close())
    return (server.address() as AddressInfo).port
  }
  const outbound = createOutbound({ policy, extraAuthorities: [authority.cert] })
  const probe = createRunProbe({
    outbound,
    sealer: testSealer,
    registrations: noRegistrations,
    now: Date.now,
  })
  const port = await serving(authority)
  t.match(await ask(probe, `https://shop.localhost:${port}/`), { status: 'SUCCESS' })
  const table = {
    [`https://blog.localhost:${port}/`]: 'wrong_name',
    [`https://shop.localhost:${await serving(selfSignedCertificate(['shop.localhost']))}/`]:
      'untrusted',
  }
  for (const [url, certificateFault] of Object.entries(table)) {
    const result = await ask(probe, url)
    t.match(
      result,
      { status: 'ERROR', error: 'tls_error', certificateFault, statusCode: null },
      url,
    )
  }
})

t.test('a canary confirms the network unless it is unreachable', async (t) => {
  const policy = outboundPolicy({ allowCidrs: ['127.0.0.0/8'], ownHosts: [] })
  const outbound = createOutbound({ policy })
  const broken = await httpTarget(t, { status: 500 })
  const rude = await tcpTarget(t, (socket) => socket.end('no HTTP'))
  const closed = await httpTarget(t)
  await closed.close()
  const answers = (...urls: string[]) => canaryProbe(outbound, urls)()
  t.equal(await answers(closed.url), false)
  t.equal(await answers(closed.url, broken.url), true)
  t.equal(await answers(`http://127.0.0.1:${rude.port}/`), true, 'the connection was accepted')
  t.equal(await answers('http://10.0.0.1/'), true, 'a blocked canary does not prove a lost network')
})
