/** One response per message, in order, also for input that is not HTTP. */
import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import t, { type Test } from 'tap'
import { createHttp } from './http.ts'
import { createLogger } from './logger.ts'

const logger = createLogger({ service: 'core', level: 'silent' })

const listen = async (t: Test) => {
  const http = createHttp({ logger, known: [] })
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  http.get('/quick', async () => 'quick')
  http.get('/slow', async () => released.then(() => 'slow'))
  t.teardown(() => http.close())
  await http.listen({ host: '127.0.0.1', port: 0 })
  const { port } = http.server.address() as AddressInfo
  const open = (): Socket => connect(port, '127.0.0.1')
  return { open, release }
}

const crlf = (...lines: string[]) => `${lines.join('\r\n')}\r\n\r\n`

const statusLines = (response: string): string[] => response.match(/HTTP\/1\.1 \d{3} [^\r]*/g) ?? []

const upload = crlf('POST /unknown HTTP/1.1', 'Host: a', 'Transfer-Encoding: chunked')
const noChunk = 'this is no size of a chunk\r\n'

t.test('a message with an early response gets no second one for its invalid end', async (t) => {
  const { open } = await listen(t)
  const socket = open()
  socket.write(upload)
  const [first] = await once(socket, 'data')
  t.same(statusLines(String(first)), ['HTTP/1.1 404 Not Found'])
  socket.write(noChunk)
  t.equal(await text(socket), '', 'the connection ends without another word')
})

t.test('an invalid message gets one response', async (t) => {
  const { open } = await listen(t)
  const socket = open()
  socket.write(`${upload}${noChunk}`)
  // Unknown path, which is rejected before the body is read.
  t.same(statusLines(await text(socket)), ['HTTP/1.1 404 Not Found'])
})

t.test('requests before an invalid message are answered before it', async (t) => {
  const { open, release } = await listen(t)
  for (const path of ['/quick', '/slow']) {
    const socket = open()
    socket.write(`${crlf(`GET ${path} HTTP/1.1`, 'Host: a')}${crlf('NONSENSE')}`)
    setImmediate(release)
    t.same(statusLines(await text(socket)), ['HTTP/1.1 200 OK', 'HTTP/1.1 400 Bad Request'], path)
  }
})

t.test('an invalid message after a valid one on the same connection gets a response', async (t) => {
  const { open } = await listen(t)
  const socket = open()
  socket.write(crlf('GET /quick HTTP/1.1', 'Host: a'))
  await once(socket, 'data')
  socket.write(crlf('NONSENSE'))
  t.same(statusLines(await text(socket)), ['HTTP/1.1 400 Bad Request'])
})

t.test('headers that are too large are 431', async (t) => {
  const { open } = await listen(t)
  const socket = open()
  socket.write(crlf('GET /quick HTTP/1.1', 'Host: a', `X-A: ${'b'.repeat(17_000)}`))
  t.same(statusLines(await text(socket)), ['HTTP/1.1 431 Request Header Fields Too Large'])
})

t.test('options of the HTTP server are added to those of every service', async (t) => {
  const http = createHttp({ logger, known: [], fastify: { http: { requireHostHeader: false } } })
  t.teardown(() => http.close())
  await http.ready()
  t.match(http.server, { headersTimeout: 15_000, requireHostHeader: false })
  t.match(http.server, { maxHeaderSize: 16_384, connectionsCheckingInterval: 5_000 })
})
