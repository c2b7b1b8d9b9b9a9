/** Visitors of status pages: the caller that core receives, and the headers that do not pass. */
import { anonymousCaller, CALLER_HEADER } from '@status-page/service'
import t from 'tap'
import {
  asKey,
  asMember,
  createApiKey,
  registerMember,
  type TestGateway,
  testGateway,
  verifierOf,
} from '../../gateway.fixture.ts'
import { callApi } from '../../organization.fixture.ts'

const url = '/api/v1/public/status/acme'
const verifier = verifierOf('core')
const gateway = await testGateway(t)

type Headers = Record<string, string>

/** Requests a page; returns the caller and the headers that core received. */
const requestPage = async ({ http, inner }: TestGateway, headers: Headers, to = url) => {
  const response = await http.inject({ url: to, headers })
  const request = inner.requests.at(-1)
  const token = String(request?.headers[CALLER_HEADER])
  return { response, caller: verifier.verify(token)?.caller, headers: request?.headers ?? {} }
}

t.test('a session identifies the visitor as a member, without rights', async (t) => {
  const member = await registerMember(gateway)
  const { caller, response } = await requestPage(gateway, { cookie: member.cookie })
  t.equal(caller?.organizationId, member.identity.organization.id)
  t.same(caller?.grants, { kind: 'session', rights: [] })
  t.equal(response.headers['set-cookie'], undefined)
})

t.test('API keys, invalid sessions and missing credentials are anonymous', async (t) => {
  const member = await registerMember(gateway)
  const { key } = await createApiKey(gateway, member, ['status-pages:read'])
  const name = member.cookie.split('=', 1)[0]
  const cases: Headers[] = [
    {},
    asKey(key),
    { ...asKey(key), cookie: member.cookie },
    { cookie: `${name}=${'x'.repeat(43)}` },
    { cookie: `${name}=short` },
    { 'x-caller': 'spoofed' },
  ]
  for (const headers of cases) {
    const { caller } = await requestPage(gateway, headers)
    t.same(caller, anonymousCaller, JSON.stringify(Object.keys(headers)))
  }
  const otherPage = await requestPage(gateway, { cookie: member.cookie }, '/subscriptions/token')
  t.same(otherPage.caller, anonymousCaller, 'identified on pages only')
})

t.test('a session without a required second factor is anonymous', async (t) => {
  const member = await registerMember(gateway)
  await callApi(gateway, 'PATCH /organization', asMember(member), { require2FA: true })
  const { caller, response } = await requestPage(gateway, { cookie: member.cookie })
  t.equal(response.statusCode, 200)
  t.same(caller, anonymousCaller)
})

t.test('pages are served while sessions cannot be looked up', async (t) => {
  const gateway = await testGateway(t)
  const member = await registerMember(gateway)
  await gateway.database.close()
  const { caller, response } = await requestPage(gateway, { cookie: member.cookie })
  t.equal(response.statusCode, 200)
  t.same(caller, anonymousCaller)
})

t.test("only the page's own cookie passes, in both directions", async (t) => {
  const cookie = `a=b; page_access=123.abc_-; session=${'x'.repeat(43)}`
  t.equal((await requestPage(gateway, { cookie })).headers.cookie, 'page_access=123.abc_-')
  for (const strange of ['page_access=a b', `page_access=${'x'.repeat(200)}`, 'other=1']) {
    t.equal((await requestPage(gateway, { cookie: strange })).headers.cookie, undefined, strange)
  }
  t.equal((await requestPage(gateway, { cookie }, '/subscriptions/t')).headers.cookie, undefined)
  const set = ['page_access=1.a; Path=/x; HttpOnly', 'session=stolen', 'page_accessory=1']
  gateway.inner.respond({
    headers: { 'content-type': 'application/json', 'set-cookie': set as never },
    body: '{"success":true}',
  })
  const payload = { password: 'whatever it is' }
  const response = await gateway.http.inject({ method: 'POST', url: `${url}/access`, payload })
  t.same([response.headers['set-cookie']].flat(), [set[0]])
})

t.test(
  'core receives the address that the gateway saw, regardless of client headers',
  async (t) => {
    const spoofed = {
      'x-internal-address': '203.0.113.9',
      'x-forwarded-for': '203.0.113.9',
      'x-real-ip': '203.0.113.9',
      forwarded: 'for=203.0.113.9',
    }
    const { headers } = await requestPage(gateway, spoofed)
    t.equal(headers['x-internal-address'], '127.0.0.1')
    t.notMatch(JSON.stringify(headers), '203.0.113.9')
  },
)

t.test('restricted content is readable from no other origin', async (t) => {
  const type = { 'content-type': 'application/json' }
  const originOf = async () =>
    (await gateway.http.inject({ url })).headers['access-control-allow-origin']
  gateway.inner.respond({ headers: { ...type, 'cache-control': 'no-store' }, body: '{}' })
  t.equal(await originOf(), undefined)
  gateway.inner.respond({ headers: { ...type, 'cache-control': 'public' }, body: '{}' })
  t.equal(await originOf(), '*')
  const missing = { ...type, 'cache-control': 'no-store' }
  gateway.inner.respond({ status: 404, headers: missing, body: '{"error":{}}' })
  t.equal(await originOf(), '*', 'a refusal is readable, because it reveals nothing of the page')
})
