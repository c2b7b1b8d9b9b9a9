/** Log entries and counters of requests that are rejected because of their client or of load. */
import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { unavailable } from '@status-page/contracts'
import { eventually } from '@status-page/testing'
import t, { type Test } from 'tap'
import { createRoutes } from './call.ts'
import {
  keyCaller,
  signCaller,
  testApp,
  thingOperations,
  writerCaller,
  writerHeaders,
} from './contract.test-kit.ts'
import { createLogger } from './logger.ts'
import { createMetrics } from './metrics.ts'

const things = '/api/v1/things'

const appWithLog = (t: Test, options: Parameters<typeof testApp>[1] = {}) => {
  const lines: string[] = []
  const destination = { write: (line: string) => void lines.push(line) }
  const metrics = createMetrics()
  const logger = createLogger({ service: 'core', destination })
  const { app } = testApp(t, { ...options, logger, metrics })
  const entries = () => lines.map((line) => JSON.parse(line)).filter(({ requestId }) => requestId)
  return { app, metrics, entries }
}

const INFO = 30

t.test('a rejection for lack of capacity is logged at info and counted', async (t) => {
  const identify = async () => {
    const refusal = unavailable('The database is not available')
    refusal.cause = new Error('canceling statement due to lock timeout')
    throw refusal
  }
  const { app, metrics, entries } = appWithLog(t, { identify })
  t.equal((await app.inject({ url: things, headers: writerHeaders })).statusCode, 503)
  t.match(entries(), [{ level: INFO, reason: 'unavailable', cause: /lock timeout/ }])
  const count = 'http_requests_refused_total{operation="things.list",reason="unavailable"} 1'
  t.match(await metrics.registry.metrics(), count)
})

t.test('a fault is logged as an error and not counted as a rejection', async (t) => {
  const identify = async () => Promise.reject(new Error('broken'))
  const { app, metrics, entries } = appWithLog(t, { identify })
  t.equal((await app.inject({ url: things, headers: writerHeaders })).statusCode, 500)
  t.match(entries(), [{ level: 50, msg: 'request failed' }])
  t.notMatch(await metrics.registry.metrics(), /http_requests_refused_total\{/)
})

t.test('all log lines of a request have its id', async (t) => {
  const { app, entries } = appWithLog(t, {
    routes: createRoutes(
      { list: thingOperations.list },
      {
        list: async (call) => {
          call.log.info('listing')
          throw new Error('broken')
        },
      },
    ),
  })
  const caller = signCaller(keyCaller('components:read'))
  await app.inject({ url: things, headers: { 'x-caller': caller, 'x-request-id': 'r1' } })
  t.match(entries(), [
    { msg: 'listing', requestId: 'r1' },
    { msg: 'request failed', requestId: 'r1' },
  ])
})

t.test('an aborted upload is logged at info and counted', async (t) => {
  const { app, metrics, entries } = appWithLog(t)
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as { port: number }
  const types = ['application/json', 'multipart/form-data; boundary=x']
  const beginnings = ['{"name":', '--x\r\nContent-Disposition: form-data; name="file"\r\n\r\na']
  for (const [index, path] of [things, `${things}/upload`].entries()) {
    const socket = connect(port, '127.0.0.1')
    await once(socket, 'connect')
    const lines = [
      `POST ${path} HTTP/1.1`,
      'Host: a',
      `x-caller: ${signCaller(writerCaller)}`,
      `Content-Type: ${types[index]}`,
      'Content-Length: 1000',
    ]
    const received = once(app.server, 'request')
    socket.write(`${lines.join('\r\n')}\r\n\r\n${beginnings[index]}`)
    await received
    socket.resetAndDestroy()
    await eventually(() => entries().length > index)
  }
  const expected = { level: INFO, reason: 'aborted' }
  t.match(entries(), [expected, expected])
  const body = await metrics.registry.metrics()
  for (const operation of ['things.create', 'things.upload']) {
    t.match(body, `http_requests_refused_total{operation="${operation}",reason="aborted"} 1`)
  }
})

t.test('a refused request without a body does not count as aborted', async (t) => {
  const { app, metrics, entries } = appWithLog(t)
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as { port: number }
  const socket = connect(port, '127.0.0.1')
  const lines = [`GET ${things} HTTP/1.1`, 'Host: a', 'Host: b', 'Connection: close']
  socket.write(`${lines.join('\r\n')}\r\n\r\n`)
  t.match(await text(socket), /Host must be given once/)
  t.same(entries(), [])
  t.notMatch(await metrics.registry.metrics(), /http_requests_refused_total\{/)
})
