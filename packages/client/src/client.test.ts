/** Replies are typed, errors are thrown, and deferred requests are repeated where that is safe. */
import { httpTarget } from '@status-page/testing'
import t, { type Test } from 'tap'
import {
  type ApiClientOptions,
  ApiError,
  ConnectionError,
  createClient,
  type RetryNotice,
} from './index.ts'

const stage = async (t: Test, options: Partial<ApiClientOptions> = {}) => {
  const service = await httpTarget(t)
  const respond = (status: number, body: unknown, headers: Record<string, string> = {}) =>
    service.respond({
      status,
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })
  const api = createClient({ url: `${service.url}/`, apiKey: 'sk_live_a', ...options })
  return { service, respond, api }
}

const unavailable = { error: { code: 'SERVICE_UNAVAILABLE', message: 'Try again' } }

t.test(
  'a request has the key and a user agent, and the reply has the type of the API',
  async (t) => {
    const { service, respond, api } = await stage(t)
    respond(200, { data: [{ name: 'API' }], meta: { total: 1 } })
    const { data } = await api.GET('/api/v1/components', { params: { query: { pageSize: 1 } } })
    t.equal(data.data[0]?.name, 'API')
    t.match(service.requests[0], {
      url: '/api/v1/components?pageSize=1',
      headers: { authorization: 'Bearer sk_live_a', 'user-agent': 'status-page-client' },
    })
    // @ts-expect-error the API has no such field
    const refused = api.POST('/api/v1/components', { body: { type: 'SERVICE', nam: 'API' } })
    await refused
    // @ts-expect-error the API has no such path
    await api.GET('/api/v1/component')
  },
)

t.test('an error reply is thrown with status, code, message, details and issues', async (t) => {
  const { respond, api } = await stage(t)
  const issues = [{ field: 'name', message: 'name is required' }]
  const details = { field: 'name', issues }
  respond(400, { error: { code: 'VALIDATION_ERROR', message: 'name is required', details } })
  const error = await api
    .POST('/api/v1/components', { body: { type: 'SERVICE', name: '' } })
    .catch((error: unknown) => error)
  t.ok(error instanceof ApiError)
  t.match(error, {
    status: 400,
    code: 'VALIDATION_ERROR',
    message: 'name is required',
    details,
    issues,
  })
})

t.test('several values of a parameter are separated by commas', async (t) => {
  const { service, respond, api } = await stage(t)
  respond(200, { id: 'c1' })
  const query = { include: ['monitors', 'checks'] as ('monitors' | 'checks')[] }
  await api.GET('/api/v1/components/{id}', { params: { path: { id: 'c1' }, query } })
  t.equal(service.requests[0]?.url, '/api/v1/components/c1?include=monitors,checks')
})

t.test('a redirect is not followed', async (t) => {
  const { service, api } = await stage(t)
  service.respond({ status: 302, headers: { location: `${service.url}/elsewhere` } })
  await t.rejects(api.GET('/api/v1/auth/me'), ConnectionError)
  t.same(
    service.requests.map(({ url }) => url),
    ['/api/v1/auth/me'],
  )
})

t.test('a deferred read is sent three times at most, a write once', async (t) => {
  const { service, respond, api } = await stage(t)
  respond(503, unavailable, { 'retry-after': '0' })
  await t.rejects(api.GET('/api/v1/auth/me'), { status: 503, code: 'SERVICE_UNAVAILABLE' })
  t.equal(service.requests.length, 3)
  await t.rejects(api.POST('/api/v1/config/git-sync/sync'), { status: 503, name: 'ApiError' })
  t.equal(service.requests.length, 4)
  respond(429, unavailable, { 'retry-after': '61' })
  await t.rejects(api.GET('/api/v1/auth/me'), { status: 429, name: 'ApiError' })
  respond(503, unavailable)
  await t.rejects(api.GET('/api/v1/auth/me'), { status: 503, name: 'ApiError' })
  t.equal(service.requests.length, 6)
})

t.test('a deferred write with an Idempotency-Key is repeated with key and body', async (t) => {
  const notices: RetryNotice[] = []
  const keys = ['k1', 'k2']
  const { service, respond, api } = await stage(t, {
    createIdempotencyKey: () => keys.shift() ?? '',
    onRetry: (notice) => notices.push(notice),
  })
  respond(429, unavailable, { 'retry-after': '0' })
  const body = { type: 'SERVICE', name: 'API' } as const
  await t.rejects(api.POST('/api/v1/components', { body }), { status: 429, name: 'ApiError' })
  const sent = service.requests.map((one) => [one.headers['idempotency-key'], one.body])
  t.same(sent, Array(3).fill(['k1', JSON.stringify(body)]))
  t.same(notices, Array(2).fill({ status: 429, delayMs: 0 }))
})

t.test('an aborted request ends the wait for the next attempt', async (t) => {
  const abort = new AbortController()
  const { service, respond, api } = await stage(t, { onRetry: () => abort.abort() })
  respond(429, unavailable, { 'retry-after': '60' })
  await t.rejects(api.GET('/api/v1/auth/me', { signal: abort.signal }), { name: 'AbortError' })
  t.equal(service.requests.length, 1)
})

t.test('a missing service, another server and a wrong address are named', async (t) => {
  const { service, api } = await stage(t, { timeoutMs: 1_000 })
  service.respond({ status: 200, headers: { 'content-type': 'text/html' }, body: '<html>' })
  await t.rejects(api.GET('/api/v1/auth/me'), { message: /not a status page service/ })
  service.respond({ status: 404, body: 'nothing' })
  await t.rejects(api.GET('/api/v1/auth/me'), { message: /not a status page .*404/ })
  await service.close()
  await t.rejects(api.GET('/api/v1/auth/me'), { message: /cannot be reached: / })
  t.throws(() => createClient({ url: 'status.example.com' }), { message: /^url must be/ })
})

t.test('a service that does not respond ends the request after the timeout', async (t) => {
  const fetch: typeof globalThis.fetch = (_input, init) =>
    new Promise((_resolve, reject) => {
      init?.signal?.addEventListener('abort', () => reject(init.signal?.reason))
    })
  const { api } = await stage(t, { fetch, timeoutMs: 20 })
  await t.rejects(api.GET('/api/v1/auth/me'), { message: /no response within 0.02 s/ })
})
