import { once } from 'node:events'
import https from 'node:https'
import net, { type AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { selfSignedCertificate } from '@status-page/testing'
import t from 'tap'
import { dnsServer } from './dns-server.fixture.ts'
import { allClosed, get, listening, MIB, outboundFor, raw, web } from './loopback.fixture.ts'
import { createDnsResolver } from './resolve.ts'

t.test('a redirect is returned and not followed', async (t) => {
  const canary = await web(t, (_request, response) => response.end())
  const { url } = await web(t, (_request, response) => {
    response.writeHead(302, { location: canary.url }).end()
  })
  for (const fresh of [true, false]) {
    const answer = await outboundFor(t).request(get(url, { fresh }))
    t.match(answer, { ok: true, status: 302, headers: { location: canary.url } })
  }
  t.equal(canary.seen.connections, 0)
})

t.test('a compressed response is limited by its decoded size', async (t) => {
  const bomb = gzipSync(Buffer.alloc(200 * MIB))
  const { url, sockets } = await web(t, (request, response) => {
    const body = request.url === '/small' ? gzipSync('hello') : bomb
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(body)
  })
  for (const fresh of [true, false]) {
    const outbound = outboundFor(t)
    const before = process.memoryUsage().rss
    const answer = await outbound.request(get(url, { fresh }))
    t.match(answer, { ok: true, truncated: true })
    t.equal(answer.ok && answer.body.length, MIB)
    t.ok(process.memoryUsage().rss - before < 64 * MIB)
    t.match(await outbound.request(get(url, { fresh, onOverflow: 'fail' })), {
      ok: false,
      error: 'too_large',
    })
    const small = await outbound.request(get(`${url}small`, { fresh }))
    t.equal(small.ok && small.body.toString(), 'hello')
    t.match(await outbound.request(get(url, { fresh, method: 'HEAD' })), {
      ok: true,
      truncated: false,
    })
    await outbound.close()
    await allClosed(sockets)
  }
})

t.test('one coding is decoded, a second stays, a corrupt one is a protocol error', async (t) => {
  const twice = gzipSync(gzipSync('x'))
  const { url } = await web(t, (request, response) => {
    const coding = request.url === '/twice' ? 'gzip, gzip' : 'gzip'
    response.writeHead(200, { 'content-encoding': coding })
    if (request.url === '/cut') response.write(twice.subarray(0, 10), () => response.destroy())
    else response.end(request.url === '/broken' ? 'no gzip at all' : twice)
  })
  for (const fresh of [true, false]) {
    const outbound = outboundFor(t)
    const stays = await outbound.request(get(`${url}twice`, { fresh }))
    t.same(stays.ok && stays.body, twice)
    const one = await outbound.request(get(url, { fresh }))
    t.same(one.ok && one.body, gzipSync('x'))
    for (const path of ['broken', 'cut']) {
      const answer = await outbound.request(get(`${url}${path}`, { fresh }))
      t.match(answer, { ok: false, error: 'protocol_error' }, path)
    }
  }
})

t.test('informational responses precede the response', async (t) => {
  const { url } = await web(t, (_request, response) => {
    response.writeEarlyHints({ link: '</style.css>; rel=preload' })
    response.writeHead(200, { 'x-final': 'yes' }).end('done')
  })
  for (const fresh of [true, false]) {
    const answer = await outboundFor(t).request(get(url, { fresh }))
    t.match(answer, { ok: true, status: 200, headers: { 'x-final': 'yes' } })
    t.equal(answer.ok && answer.body.toString(), 'done')
  }
})

t.test('an endless body is cut at its limit and the connection closes', async (t) => {
  const { url, sockets } = await web(t, (_request, response) => {
    const more = () => {
      while (response.write('x'.repeat(64 * 1024)));
    }
    response.on('drain', more)
    more()
  })
  for (const fresh of [true, false]) {
    const answer = await outboundFor(t).request(get(url, { fresh, maxBodyBytes: 1000 }))
    t.match(answer, { ok: true, truncated: true })
    t.equal(answer.ok && answer.body.length, 1000)
  }
  await allClosed(sockets)
  t.equal(sockets.size, 0)
})

t.test('slow headers and slow bodies end at the deadline', async (t) => {
  const drip = (socket: net.Socket, head: string) => {
    socket.write(head)
    const timer = setInterval(() => socket.write('x'), 20)
    socket.on('close', () => clearInterval(timer))
  }
  const body = await raw(t, (socket) => drip(socket, 'HTTP/1.1 200 OK\r\n\r\n'))
  const head = await raw(t, (socket) => drip(socket, 'HTTP/1.1 200 OK\r\nx-a: '))
  const silent = await raw(t, () => {})
  for (const { url, sockets } of [body, head, silent]) {
    for (const fresh of [true, false]) {
      const answer = await outboundFor(t).request(get(url, { fresh, timeoutMs: 150 }))
      t.match(answer, { ok: false, error: 'timeout' })
      await allClosed(sockets)
    }
  }
})

t.test('headers over 16 KiB are too large, invalid HTTP is a protocol error', async (t) => {
  const large = await raw(t, (socket) =>
    socket.write(`HTTP/1.1 200 OK\r\nx-a: ${'x'.repeat(20_000)}\r\n\r\n`),
  )
  t.match(await outboundFor(t).request(get(large.url)), { ok: false, error: 'too_large' })
  const nonsense = await raw(t, (socket) => socket.end('SSH-2.0-OpenSSH_9.2\r\n'))
  t.match(await outboundFor(t).request(get(nonsense.url)), { ok: false, error: 'protocol_error' })
  const closing = await raw(t, (socket) => socket.destroy())
  t.match(await outboundFor(t).request(get(closing.url)), { ok: false, error: 'protocol_error' })
  const cut = await raw(t, (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nx'))
  t.match(await outboundFor(t).request(get(cut.url)), { ok: false, error: 'protocol_error' })
})

t.test('a response that switches protocols is a protocol error at once', async (t) => {
  const { url, sockets } = await raw(t, (socket) => {
    socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n')
  })
  for (const fresh of [true, false]) {
    const answer = await outboundFor(t).request(get(url, { fresh }))
    t.match(answer, { ok: false, error: 'protocol_error' })
  }
  await allClosed(sockets)
})

t.test('a closed port is a connect error', async (t) => {
  const server = net.createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  for (const fresh of [true, false]) {
    const answer = await outboundFor(t).request(get(`http://127.0.0.1:${port}/`, { fresh }))
    t.match(answer, { ok: false, error: 'connect_error' })
  }
})

t.test('TLS verifies the name, the authority and the dates', async (t) => {
  const good = selfSignedCertificate(['good.example.test'])
  const expired = selfSignedCertificate(['good.example.test'], new Date(Date.now() - 1000))
  const dns = await dnsServer(t, {
    'good.example.test': { a: ['127.0.0.1'] },
    'wrong.example.test': { a: ['127.0.0.1'] },
  })
  const resolver = createDnsResolver({ servers: [dns.server] })
  const outbound = outboundFor(t, { resolver }, { extraAuthorities: [good.cert, expired.cert] })
  const secure = async (pair: { cert: string; key: string }) => {
    const server = https.createServer(pair, (_request, response) => response.end('ok'))
    return (await listening(t, server)).port
  }
  const port = await secure(good)
  const answer = await outbound.request(get(`https://good.example.test:${port}/`))
  if (!answer.ok) throw new Error(answer.error)
  t.type(answer.timings.tlsMs, 'number')
  const days = (Date.parse(answer.certificateExpiresAt ?? '') - Date.now()) / 86_400_000
  t.ok(days > 29 && days <= 30, 'the expiry of the certificate is reported')
  t.match(answer.certificateNames, { subject: 'CN=test', issuer: 'CN=test' })

  const at = (name: string, itsPort: number) => `https://${name}:${itsPort}/`
  const unknown = await secure(selfSignedCertificate(['good.example.test']))
  const { port: noTls } = await raw(t, (socket) => socket.end('no TLS'))
  const faults: [string, string | null][] = [
    [at('wrong.example.test', port), 'wrong_name'],
    [at('127.0.0.1', port), 'wrong_name'],
    [at('good.example.test', await secure(expired)), 'expired'],
    [at('good.example.test', unknown), 'untrusted'],
    [at('good.example.test', noTls), null],
  ]
  for (const [url, certificateFault] of faults) {
    for (const fresh of [true, false]) {
      const fault = await outbound.request(get(url, { fresh }))
      t.match(fault, { ok: false, error: 'tls_error', certificateFault }, url)
    }
  }
})

t.test('a TLS handshake that never ends is a timeout', async (t) => {
  const { port } = await raw(t, () => {})
  const answer = await outboundFor(t).request(
    get(`https://127.0.0.1:${port}/`, { connectTimeoutMs: 100 }),
  )
  t.match(answer, { ok: false, error: 'timeout' })
})
