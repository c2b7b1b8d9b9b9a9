/** A repeated key returns the first response; another body or a running request is a conflict. */
import { Type } from '@sinclair/typebox'
import { OneTimeSecret, operation } from '@status-page/contracts'
import { testDatabase } from '@status-page/testing'
import t from 'tap'
import { type Call, createRoutes } from './call.ts'
import { keyCaller, signCaller, THING_ID, testApp, thingOperations } from './contract.test-kit.ts'

interface Test {
  teardown(work: () => unknown): unknown
}

const url = '/api/v1/things'

const counting = async (
  t: Test,
  work: (count: number, call: Call) => Promise<void> = async () => {},
) => {
  const clone = await testDatabase(t, { services: ['core'], folders: {} })
  const database = await clone.database('core')
  let count = 0
  const handler = async (call: Call) => {
    count++
    call.setHeader('x-count', String(count))
    await work(count, call)
    return { got: count }
  }
  const { create, touch } = thingOperations
  const routes = createRoutes(
    { create, touch },
    { create: handler as never, touch: handler as never },
  )
  const { app } = testApp(t as never, { database, routes })
  const post = (key: string, body: object, permissions = ['components:write']) =>
    app.inject({
      method: 'POST',
      url,
      headers: { 'x-caller': signCaller(keyCaller(...permissions)), 'idempotency-key': key },
      payload: body,
    })
  return { app, post, counted: () => count }
}

const body = { type: 'PLAIN', name: 'a' }

t.test('the same key and body return the stored response', async (t) => {
  const { post, counted } = await counting(t)
  const first = await post('k1', body)
  const second = await post('k1', body)
  t.equal(first.statusCode, 201)
  t.equal(first.headers['idempotent-replayed'], undefined)
  t.equal(second.statusCode, 201)
  t.equal(second.headers['idempotent-replayed'], 'true')
  t.equal(second.headers['x-count'], '1')
  t.equal(second.headers['content-type'], first.headers['content-type'])
  t.equal(second.body, first.body)
  t.equal(counted(), 1)
})

t.test('another body is 409, another path another request', async (t) => {
  const { app, post, counted } = await counting(t)
  await post('k2', body)
  const reused = await post('k2', { ...body, name: 'b' })
  t.equal(reused.statusCode, 409)
  t.equal(reused.json().error.details.reason, 'idempotency_key_reused')
  const headers = {
    'x-caller': signCaller(keyCaller('components:write')),
    'idempotency-key': 'k2',
  }
  const touch = { method: 'POST', url: `${url}/${THING_ID}/touch`, headers } as const
  t.equal((await app.inject(touch)).statusCode, 200)
  t.equal(counted(), 2)
})

t.test('a rejection is stored; 403 and faults are not', async (t) => {
  const { post, counted } = await counting(t, async (count) => {
    if (count === 1) throw new Error('a fault')
  })
  t.equal((await post('k3', { type: 'PLAIN' })).statusCode, 400)
  const repeated = await post('k3', { type: 'PLAIN' })
  t.equal(repeated.statusCode, 400)
  t.equal(repeated.headers['idempotent-replayed'], 'true')
  t.equal(repeated.json().error.details.field, 'name')
  t.equal((await post('k4', body, [])).statusCode, 403)
  t.equal((await post('k4', body)).statusCode, 500)
  t.equal((await post('k4', body)).statusCode, 201)
  t.equal(counted(), 2)
})

t.test('while the first runs, a repeat is 409 with Retry-After', async (t) => {
  const started = Promise.withResolvers<void>()
  const finish = Promise.withResolvers<void>()
  const { post } = await counting(t, async () => {
    started.resolve()
    await finish.promise
  })
  const first = post('k5', body)
  await started.promise
  const second = await post('k5', body)
  finish.resolve()
  t.equal(second.statusCode, 409)
  t.equal(second.json().error.details.reason, 'already_running')
  t.equal(second.headers['retry-after'], '1')
  t.equal((await first).statusCode, 201)
})

t.test('a malformed key is 400', async (t) => {
  const { post } = await counting(t)
  for (const key of ['', 'a b', 'x'.repeat(129)]) {
    const response = await post(key, body)
    t.equal(response.statusCode, 400, key)
    t.equal(response.json().error.details.field, 'Idempotency-Key')
  }
})

t.test('a request that fails after its change is not run again', async (t) => {
  const { post, counted } = await counting(t, async (_count, call) => {
    await call.change(async () => ({ result: null }))
    throw new Error('after the commit')
  })
  t.equal((await post('k6', body)).statusCode, 500)
  t.equal((await post('k6', body)).statusCode, 409)
  t.equal(counted(), 1)
})

t.test('a response with a secret is not stored', async (t) => {
  const clone = await testDatabase(t, { services: ['core'], folders: {} })
  const database = await clone.database('core')
  const secret = 'shown-once-5f2c'
  const create = operation({
    ...thingOperations.create,
    reply: Type.Object({ nested: Type.Array(Type.Object({ token: OneTimeSecret('Shown once') })) }),
  })
  const routes = createRoutes({ create }, { create: async () => ({ nested: [{ token: secret }] }) })
  const { app } = testApp(t as never, { database, routes })
  const headers = { 'x-caller': signCaller(keyCaller('components:write')), 'idempotency-key': 'k9' }
  const response = await app.inject({ method: 'POST', url, headers, payload: body })
  t.equal(response.statusCode, 201)
  t.match(response.body, secret)
  const again = await app.inject({ method: 'POST', url, headers, payload: body })
  t.equal(again.headers['idempotent-replayed'], undefined)
  const rows = await database.batchSql`SELECT i::text FROM idempotency i`
  t.notMatch(JSON.stringify(rows), secret)
})
