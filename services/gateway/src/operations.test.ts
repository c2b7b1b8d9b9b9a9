/** Guarantees of the edge for every operation, generated from the operations of the contract. */
import {
  fullPath,
  isInternal,
  type Operation,
  operations,
  permissions,
  requirementOfOperation,
} from '@status-page/contracts'
import t from 'tap'
import { forwardedOperations } from './app.ts'
import {
  asKey,
  asMember,
  createApiKey,
  metricsHeaders,
  registerMember,
  testGateway,
  verifierOf,
} from './gateway.fixture.ts'

const ID = '019f0000-0000-7000-8000-000000000001'
const urlOf = (operation: Operation) => fullPath(operation).replaceAll(/\{\w+\}/g, ID)
/** Pattern of the paths that reach the operation. */
const patternOf = (operation: Operation) =>
  new RegExp(
    `^${fullPath(operation)
      .replaceAll('.', '\\.')
      .replaceAll(/\{\w+\}/g, '[^/]+')}$`,
  )
const listed = operations.filter((one) => !isInternal(one))
/**
 * Operations with a signature are excluded; only the owning service knows the secret and verifies
 * it.
 */
const guarded = listed.filter(
  ({ permission }) => permission !== 'public' && permission !== 'signature',
)

t.test('every guarded operation without a credential is 401 and reaches no upstream', async (t) => {
  const gateway = await testGateway(t)
  t.ok(guarded.length > 20)
  for (const one of guarded) {
    const response = await gateway.http.inject({ method: one.method, url: urlOf(one) })
    t.equal(response.statusCode, 401, one.id)
    t.equal(response.json().error.code, 'UNAUTHORIZED')
    t.equal(response.headers['www-authenticate'], 'Bearer')
    t.ok(response.headers['x-ratelimit-limit'], 'a refusal counts')
  }
  t.same(gateway.inner.requests, [])
})

t.test('each operation requires its permission, which a 403 names', async (t) => {
  const gateway = await testGateway(t)
  const member = await registerMember(gateway)
  const needed = [
    ...new Set(guarded.flatMap((one) => requirementOfOperation(one)?.permission ?? [])),
  ]
  for (const permission of needed) {
    const write = permission.replace(':read', ':write')
    const others = permissions.filter((one) => one !== permission && one !== write)
    const without = await createApiKey(gateway, member, others)
    const exactly = await createApiKey(gateway, member, [permission])
    for (const one of guarded.filter(
      (one) => requirementOfOperation(one)?.permission === permission,
    )) {
      const callApi = (key: string) =>
        gateway.http.inject({ method: one.method, url: urlOf(one), headers: asKey(key) })
      const refused = await callApi(without.key)
      t.equal(refused.statusCode, 403, one.id)
      t.match(refused.json().error, {
        code: 'FORBIDDEN',
        message: `Missing permission: ${permission}`,
        details: { permission, rolePermission: requirementOfOperation(one)?.right },
      })
      t.notOk([401, 403].includes((await callApi(exactly.key)).statusCode), one.id)
    }
  }
})

t.test('forwarded requests carry the caller and no forged headers', async (t) => {
  const gateway = await testGateway(t)
  const member = await registerMember(gateway)
  const { id, key } = await createApiKey(gateway, member, ['components:read', 'incidents:write'])
  const response = await gateway.http.inject({
    url: `/api/v1/components/${encodeURIComponent('a/b c')}?page=2&search=x%20y`,
    headers: {
      ...asKey(key),
      'x-caller': 'forged',
      'x-internal-address': '203.0.113.9',
      'x-organization-id': ID,
      'x-request-id': 'req-1',
      'user-agent': 'agent/1',
      cookie: member.cookie,
    },
  })
  t.equal(response.statusCode, 200)
  t.match(response.json(), { answered: true })
  t.equal(response.headers['x-request-id'], 'req-1')
  const [forwardedRequest] = gateway.inner.requests
  t.equal(forwardedRequest?.url, '/api/v1/components/a%2Fb%20c?page=2&search=x%20y')
  t.same(
    Object.keys(forwardedRequest?.headers ?? {})
      .filter((name) => !['host', 'connection'].includes(name))
      .sort(),
    ['x-caller', 'x-internal-address', 'x-internal-user-agent', 'x-request-id'],
  )
  t.match(forwardedRequest?.headers, {
    'x-internal-address': '127.0.0.1',
    'x-internal-user-agent': 'agent/1',
    'x-request-id': 'req-1',
  })
  const token = String(forwardedRequest?.headers['x-caller'])
  t.same(verifierOf('core').verify(token)?.caller, {
    organizationId: member.identity.organization.id,
    actor: { type: 'api_key', userId: null, apiKeyId: id },
    grants: { kind: 'key', permissions: ['components:read', 'incidents:write'] },
  })
  t.equal(verifierOf('monitor').verify(token), null, 'for one audience only')
})

t.test('bodies are forwarded byte for byte up to the size limit of the operation', async (t) => {
  const gateway = await testGateway(t)
  const member = await registerMember(gateway)
  const post = (url: string, payload: string) =>
    gateway.http.inject({
      method: 'POST',
      url,
      headers: { ...asMember(member), 'content-type': 'application/json' },
      payload,
    })
  const odd = '{ "a" : 1e0,\n"__proto__":{} }'
  t.equal((await post('/api/v1/components', odd)).statusCode, 200)
  t.equal(gateway.inner.requests.at(-1)?.body, odd)
  const large = `"${'x'.repeat(256 * 1024)}"`
  const refused = await post('/api/v1/components', large)
  t.equal(refused.statusCode, 413)
  t.equal(refused.json().error.code, 'PAYLOAD_TOO_LARGE')
  t.equal((await post('/api/v1/incidents', large)).statusCode, 200)
})

t.test('public operations are forwarded with an anonymous caller', async (t) => {
  const gateway = await testGateway(t)
  for (const one of forwardedOperations.filter(({ permission }) => permission === 'public')) {
    const response = await gateway.http.inject({ method: one.method, url: urlOf(one) })
    t.equal(response.statusCode, 200, one.id)
    const forwardedRequest = gateway.inner.requests.at(-1)
    t.equal(forwardedRequest?.method, one.method)
    const token = String(forwardedRequest?.headers['x-caller'])
    t.equal(verifierOf('core').verify(token)?.caller.organizationId, null)
  }
})

t.test('unknown paths are 404, other methods 405, internal operations unknown', async (t) => {
  const gateway = await testGateway(t)
  const callApi = (method: string, url: string) =>
    gateway.http.inject({ method: method as 'GET', url })
  for (const url of [
    '/api/v1',
    '/api/v1/nothing',
    '/api/v2/components',
    '/api/v1//components',
    '/%ff',
    '/api/v1/components/%ff',
  ]) {
    const response = await callApi('GET', url)
    t.equal(response.statusCode, 404, url)
    t.equal(response.json().error.code, 'NOT_FOUND')
    t.equal(response.headers['x-ratelimit-limit'], '100000', 'charges global')
  }
  for (const one of operations.filter(isInternal)) {
    t.equal((await callApi(one.method, urlOf(one))).statusCode, 404, one.id)
  }
  const paths = [...new Set(listed.map(urlOf))]
  for (const url of paths) {
    const known = listed.filter((one) => urlOf(one) === url).map(({ method }) => method)
    // `/components/bulk` also matches `/components/{id}`, with an id that does not exist.
    const alike = listed.filter((one) => patternOf(one).test(url)).map(({ method }) => method)
    for (const method of ['PUT', 'PATCH', 'DELETE', 'POST'] as const) {
      if (alike.includes(method)) continue
      const response = await callApi(method, url)
      t.equal(response.statusCode, 405, `${method} ${url}`)
      for (const one of known) t.match(response.headers.allow, one)
    }
  }
  t.same(gateway.inner.requests, [])
})

t.test('HEAD works like GET', async (t) => {
  const gateway = await testGateway(t)
  const response = await gateway.http.inject({ method: 'HEAD', url: '/api/v1/public/status/acme' })
  t.equal(response.statusCode, 200)
  t.equal(response.body, '')
  t.equal(gateway.inner.requests.at(-1)?.method, 'GET')
})

t.test('only public data may be read from other origins', async (t) => {
  const gateway = await testGateway(t)
  for (const one of listed) {
    const { headers } = await gateway.http.inject({ method: one.method, url: urlOf(one) })
    const isOpen = one.method === 'GET' && fullPath(one).startsWith('/api/v1/public/')
    t.equal(headers['access-control-allow-origin'], isOpen ? '*' : undefined, one.id)
    t.equal(headers['access-control-allow-credentials'], undefined)
  }
})

t.test('every kind of response has the security headers', async (t) => {
  const gateway = await testGateway(t)
  const member = await registerMember(gateway)
  const responses = [
    await gateway.http.inject({ url: '/api/v1/api-keys', headers: asMember(member) }),
    await gateway.http.inject({ url: '/api/v1/api-keys' }),
    await gateway.http.inject({ url: '/api/v1/nothing' }),
    await gateway.http.inject({
      method: 'POST',
      url: '/api/v1/api-keys',
      headers: { ...asMember(member), 'content-type': 'text/plain' },
      payload: 'x',
    }),
    await gateway.http.inject({ url: '/api/v1/components', headers: asMember(member) }),
  ]
  t.same(
    responses.map(({ statusCode }) => statusCode),
    [200, 401, 404, 415, 200],
  )
  for (const { headers, statusCode } of responses) {
    t.match(
      headers,
      {
        'x-ratelimit-limit': /^\d+$/,
        'x-ratelimit-remaining': /^\d+$/,
        'x-ratelimit-reset': /^\d{10}$/,
        'x-request-id': /^[0-9a-f-]{36}$/,
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cache-control': 'no-store',
        'content-security-policy': "default-src 'none'; sandbox",
      },
      String(statusCode),
    )
  }
  for (const url of ['/health', '/readyz', '/metrics']) {
    const { statusCode, headers } = await gateway.http.inject({ url, headers: metricsHeaders })
    t.equal(statusCode, 200, url)
    t.equal(headers['x-ratelimit-limit'], undefined)
    t.ok(headers['x-request-id'])
  }
})
