/**
 * Calls of another service: its errors pass on, everything else without a valid response is 502,
 * 503 or 504.
 */
import { createServer, type Server } from 'node:net'
import { AppError, REDACTED } from '@status-page/contracts'
import t from 'tap'
import { callerSigner } from './caller.ts'
import { createClient } from './client.ts'
import {
  gatewayKeys,
  keyCaller,
  ORGANIZATION_ID,
  THING_ID,
  testApp,
  thingOperations,
  writerCaller,
  writerHeaders,
} from './contract.test-kit.ts'

interface Test {
  teardown(work: () => unknown): unknown
}

const signer = callerSigner({ issuer: 'gateway', privateKey: gatewayKeys.privateKey })

const clientTo = (t: Test, origin: string, timeoutMs = 5_000) => {
  const client = createClient({ origin, service: 'core', signer, timeoutMs })
  t.teardown(() => client.close())
  return client
}

const realService = async (t: Test) => {
  const { app, seen } = testApp(t as never)
  const origin = await app.listen({ host: '127.0.0.1', port: 0 })
  return { client: clientTo(t, origin), seen }
}

/** Server that sends these bytes to each connection, then calls `onSent`; null sends nothing. */
const saying = async (t: Test, bytes: string | null, onSent = () => {}): Promise<string> => {
  const server: Server = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () => {
      if (bytes !== null) socket.end(bytes)
      onSent()
    })
    t.teardown(() => socket.destroy())
  })
  const { promise, resolve } = Promise.withResolvers<void>()
  server.listen(0, '127.0.0.1', resolve)
  await promise
  t.teardown(() => server.close())
  const { port } = server.address() as { port: number }
  return `http://127.0.0.1:${port}`
}

const answering = (status: string, body: string, headers = '') =>
  `HTTP/1.1 ${status}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n${headers}\r\n${body}`

const failure = async (work: Promise<unknown>): Promise<AppError> => {
  const error = await work.then(
    () => null,
    (reason: unknown) => reason,
  )
  if (error instanceof AppError) return error
  throw error ?? new Error('it was answered')
}

t.test('an operation is called with its params, query and body as the caller', async (t) => {
  const { client, seen } = await realService(t)
  const { read, list, create } = thingOperations
  const thing = await client.call(read, { params: { id: THING_ID }, caller: writerCaller })
  t.equal(thing.id, THING_ID)
  const query = { search: 'a&b=c+d', include: ['parts' as const, 'owner' as const], isOpen: false }
  await client.call(list, { query, caller: writerCaller })
  t.match(seen.calls[0]?.query, query)
  const body = { type: 'PLAIN' as const, name: 'a' }
  await client.call(create, { body, caller: writerCaller })
  t.match(seen.calls[1]?.body, body)
})

t.test('an error passes on with its code, details and headers', async (t) => {
  const { client } = await realService(t)
  const body = { type: 'PLAIN', name: REDACTED.repeat(9) } as const
  const refused = await failure(client.call(thingOperations.create, { body, caller: writerCaller }))
  t.match(refused, { code: 'VALIDATION_ERROR', details: { field: 'name' } })
  const caller = keyCaller()
  const forbidden = await failure(client.call(thingOperations.list, { caller }))
  t.match(forbidden, { code: 'FORBIDDEN', details: { permission: 'components:read' } })
  const busy = '{"error":{"code":"SERVICE_UNAVAILABLE","message":"full"}}'
  const origin = await saying(t, answering('503 Busy', busy, 'retry-after: 7\r\n'))
  const full = await failure(clientTo(t, origin).call(thingOperations.list, { caller }))
  t.match(full, { code: 'SERVICE_UNAVAILABLE', headers: { 'retry-after': '7' } })
})

t.test('an invalid response is 502 and discloses nothing of it', async (t) => {
  const { client } = await realService(t)
  const params = { id: ORGANIZATION_ID }
  const fault = await failure(client.call(thingOperations.read, { params, caller: writerCaller }))
  t.match(fault, { code: 'UPSTREAM_ERROR', message: 'core returned an invalid response' })
  const unauthorized = '{"error":{"code":"UNAUTHORIZED","message":"x"}}'
  const junk = [
    'junk\r\n\r\n',
    answering('200 OK', '<html>'),
    answering('200 OK', ''),
    'HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n{',
    answering('404 Not Found', 'nothing here'),
    answering('302 Found', '{}', 'location: http://169.254.169.254/\r\n'),
    answering('401 Unauthorized', unauthorized),
    answering('400 Bad', '{"error":{"code":"OTHER","message":"x"}}'),
  ]
  for (const bytes of junk) {
    const asked = clientTo(t, await saying(t, bytes)).call(thingOperations.list, {
      caller: writerCaller,
    })
    t.equal((await failure(asked)).code, 'UPSTREAM_ERROR', bytes.slice(0, 40))
  }
})

t.test('a service that is down is 503 with Retry-After', async (t) => {
  const closed = await saying(t, '')
  const refused = 'http://127.0.0.1:1'
  for (const origin of [closed, refused]) {
    const error = await failure(
      clientTo(t, origin).call(thingOperations.list, { caller: writerCaller }),
    )
    t.match(error, { code: 'SERVICE_UNAVAILABLE', headers: { 'retry-after': /^[1-9]/ } }, origin)
  }
})

/** Blocks this thread, as a suspension of the process does. */
const stall = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 600)

t.test('a response that arrived during a stall is in time', async (t) => {
  const { app } = testApp(t as never)
  const { payload } = await app.inject({
    method: 'GET',
    url: `/api/v1/things/${THING_ID}`,
    headers: writerHeaders,
  })
  const json = 'content-type: application/json\r\n'
  const client = clientTo(t, await saying(t, answering('200 OK', payload, json), stall), 500)
  const thing = await client.call(thingOperations.read, {
    params: { id: THING_ID },
    caller: writerCaller,
  })
  t.equal(thing.id, THING_ID)
})

t.test('a service that does not respond in time is 504', async (t) => {
  const silent = await saying(t, null)
  const error = await failure(
    clientTo(t, silent, 50).call(thingOperations.list, { caller: writerCaller }),
  )
  t.equal(error.code, 'UPSTREAM_TIMEOUT')
})
