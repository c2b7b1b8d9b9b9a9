import { eventually } from '@status-page/testing'
import t from 'tap'
import {
  asKey,
  asMember,
  createApiKey,
  gatewayOver,
  registerMember,
  runJob,
  type SignedInMember,
  type TestGateway,
  testGateway,
} from '../../gateway.fixture.ts'

const create = (gateway: TestGateway, headers: Record<string, string>, payload: object) =>
  gateway.http.inject({ method: 'POST', url: '/api/v1/api-keys', headers, payload })

const revoke = (gateway: Pick<TestGateway, 'http'>, member: SignedInMember, id: string) =>
  gateway.http.inject({
    method: 'DELETE',
    url: `/api/v1/api-keys/${id}`,
    headers: asMember(member),
  })

const statusAs = async (gateway: Pick<TestGateway, 'http'>, key: string) =>
  (await gateway.http.inject({ url: '/api/v1/auth/me', headers: asKey(key) })).statusCode

t.test('a key is returned in full once, masked in lists, and stored as a hash', async (t) => {
  const gateway = await testGateway(t)
  const member = await registerMember(gateway)
  const created = await create(gateway, asMember(member), {
    name: 'CI',
    permissions: ['components:read', 'incidents:write'],
    expiresAt: '2999-01-01T00:00:00+01:00',
    id: '00000000-0000-7000-8000-000000000000',
    organizationId: '00000000-0000-7000-8000-000000000000',
  })
  t.equal(created.statusCode, 201, created.body)
  const { key, ...rest } = created.json()
  t.match(key, /^sk_live_[\w-]{43}$/)
  t.not(rest.id, '00000000-0000-7000-8000-000000000000')
  t.match(rest, {
    name: 'CI',
    permissions: ['components:read', 'incidents:write'],
    expiresAt: '2998-12-31T23:00:00.000Z',
    lastUsedAt: null,
    createdBy: member.identity.user.id,
    disabledAt: null,
  })
  const list = await gateway.http.inject({ url: '/api/v1/api-keys', headers: asMember(member) })
  t.same(list.json(), {
    data: [{ ...rest, key: `sk_live_****${key.slice(-4)}` }],
    meta: { total: 1, page: 1, pageSize: 20 },
  })
  const rows = await gateway.database.batchSql`
    SELECT payload::text AS text FROM outbox ORDER BY seq`
  t.notOk(rows.some(({ text }) => String(text).includes(key)))
  t.match(rows.at(-1)?.text ?? '', /api_key.create/)
})

t.test('a caller cannot grant permissions that they do not hold', async (t) => {
  const gateway = await testGateway(t)
  const member = await registerMember(gateway)
  const { key } = await createApiKey(gateway, member, ['organization:write', 'components:read'])
  const callApi = async (permissions: string[]) => {
    const response = await create(gateway, asKey(key), { name: 'n', permissions })
    return response.json().error?.details?.permission ?? response.statusCode
  }
  t.equal(await callApi(['components:read', 'organization:read']), 201)
  t.equal(await callApi(['components:write']), 'components:write')
  t.equal(await callApi(['components:read', 'audit:read']), 'audit:read')
  const list = await gateway.http.inject({ url: '/api/v1/api-keys', headers: asMember(member) })
  t.same(
    list.json().data.map((one: { createdBy: string }) => one.createdBy),
    Array(2).fill(member.identity.user.id),
    'a key created with a key belongs to the creator of that key',
  )
})

t.test('names, permissions and expiry times are validated', async (t) => {
  const gateway = await testGateway(t)
  const member = await registerMember(gateway)
  const cases: [object, string][] = [
    [{ name: '', permissions: ['audit:read'] }, 'name'],
    [{ name: 'n'.repeat(101), permissions: ['audit:read'] }, 'name'],
    [{ name: 'n', permissions: [] }, 'permissions'],
    [{ name: 'n', permissions: ['*'] }, 'permissions[0]'],
    [{ name: 'n', permissions: ['audit:read', 'audit:read'] }, 'permissions'],
    [{ name: 'n', permissions: ['audit:read'], expiresAt: '2020-01-01T00:00:00Z' }, 'expiresAt'],
    [{ name: 'n', permissions: ['audit:read'], expiresAt: '2999-02-30T00:00:00Z' }, 'expiresAt'],
  ]
  for (const [payload, field] of cases) {
    const response = await create(gateway, asMember(member), payload)
    t.equal(response.statusCode, 400, response.body)
    t.equal(response.json().error.details.field, field)
  }
})

t.test('a key is refused after its expiry', async (t) => {
  const gateway = await testGateway(t)
  const member = await registerMember(gateway)
  const { id, key } = await createApiKey(gateway, member, ['audit:read'])
  t.equal(await statusAs(gateway, key), 200)
  await gateway.database.db.transaction(async (tx) => {
    await tx.execute(`SELECT set_config('app.org', '${member.identity.organization.id}', true)`)
    await tx.execute(`UPDATE api_keys SET expires_at = now() - interval '1 s' WHERE id = '${id}'`)
  })
  t.equal(await statusAs(gateway, key), 401)
})

t.test('a key revoked on one replica is refused on another without notifications', async (t) => {
  const gateway = await testGateway(t)
  const other = gatewayOver(t, await gateway.databases.connect('gateway'))
  const member = await registerMember(gateway)
  const { id, key } = await createApiKey(gateway, member, ['audit:read'])
  await Promise.all([runJob(gateway, 'presence'), runJob(other, 'presence')])
  t.equal(await statusAs(other, key), 200, 'now cached there')
  const revoked = await revoke(gateway, member, id)
  t.same(revoked.json(), { success: true })
  t.equal(await statusAs(other, key), 401)
  t.equal(await statusAs(gateway, key), 401)
  t.equal((await revoke(gateway, member, id)).statusCode, 404)
})

t.test('a revocation arrives by NOTIFY before the cache entry expires', async (t) => {
  const gateway = await testGateway(t)
  const other = gatewayOver(t, await gateway.databases.connect('gateway'))
  for (const work of other.background ?? []) await work.start()
  t.teardown(() => Promise.all((other.background ?? []).map((work) => work.stop())))
  const member = await registerMember(gateway)
  const { id, key } = await createApiKey(gateway, member, ['audit:read'])
  await runJob(other, 'presence')
  t.equal(await statusAs(other, key), 200)
  await revoke(gateway, member, id)
  await eventually(async () => (await statusAs(other, key)) === 401)
})

t.test('a key of another organization gets the response of an unknown key', async (t) => {
  const gateway = await testGateway(t)
  const [ana, bob] = [await registerMember(gateway), await registerMember(gateway)]
  const { id, key } = await createApiKey(gateway, ana, ['audit:read'])
  const foreign = await revoke(gateway, bob, id)
  const unknown = await revoke(gateway, bob, '019f0000-0000-7000-8000-000000000000')
  const malformed = await revoke(gateway, bob, 'nonsense')
  t.equal(foreign.statusCode, 404)
  t.same(foreign.json(), unknown.json())
  t.equal(malformed.statusCode, 404)
  t.equal(await statusAs(gateway, key), 200)
})

t.test('lastUsedAt changes at most once a minute', async (t) => {
  const gateway = await testGateway(t)
  const member = await registerMember(gateway)
  const { key } = await createApiKey(gateway, member, ['organization:read'])
  const lastUsedAt = async () => {
    const list = await gateway.http.inject({ url: '/api/v1/api-keys', headers: asKey(key) })
    await runJob(gateway, 'use-marks')
    return list.json().data[0].lastUsedAt
  }
  t.equal(await lastUsedAt(), null)
  const first = await lastUsedAt()
  t.ok(first)
  t.equal(await lastUsedAt(), first)
})
