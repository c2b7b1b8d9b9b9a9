/**
 * Login from the organization's login page to its provider and back, with an independent provider
 * (samlp).
 */
import { shiftedClock } from '@status-page/testing'
import t from 'tap'
import {
  asMember,
  cookieOf,
  gatewayOver,
  metricsHeaders,
  password,
  registerMember,
} from '../../gateway.fixture.ts'
import { message } from '../../identity/saml/message.fixture.ts'
import { addMember, callApi, verifyEmail } from '../../organization.fixture.ts'
import {
  BASE_URL,
  configure,
  identityProvider,
  logIn,
  postResponse,
  refusals,
  requestXml,
  responseOf,
  ssoOrganization,
  startLogin,
  verifyDomain,
} from './single-sign-on.fixture.ts'

const ana = { id: 'ana-at-idp', email: 'Ana@acme.example', name: 'Ana A.' }
const membersOf = async (
  gateway: Parameters<typeof callApi>[0],
  owner: Parameters<typeof asMember>[0],
) => (await callApi(gateway, 'GET /organization/members', asMember(owner))).json().data

t.test('a first login creates a member, the next one finds it', async (t) => {
  const { gateway, owner, idp, slug } = await ssoOrganization(t)
  const begun = await startLogin(gateway, slug, '/dashboard?tab=1')
  t.match(begun.cookie, /^__Host-saml=[\w-]{43}$/)
  t.match(begun.location.href, /^https:\/\/idp-\d+\.test\/sso\?SAMLRequest=/)
  t.equal(begun.relayState, '/dashboard?tab=1')
  t.match(begun.request, {
    issuer: `${BASE_URL}/api/v1/auth/saml/${slug}/metadata`,
    assertionConsumerServiceURL: `${BASE_URL}/api/v1/auth/saml/${slug}/acs`,
  })
  t.match(requestXml(begun), /ProtocolBinding="urn:oasis:names:tc:SAML:2\.0:bindings:HTTP-POST"/)

  const first = await postResponse(gateway, slug, await responseOf(idp, begun, ana), begun)
  t.equal(first.statusCode, 303, first.body)
  t.equal(first.headers.location, `${BASE_URL}/dashboard?tab=1`)
  t.match(first.headers['set-cookie'], /^__Host-session=[\w-]{43}; .*Secure; SameSite=Lax$/)
  const me = await callApi(gateway, 'GET /auth/me', { cookie: cookieOf(first) })
  t.match(me.json(), {
    user: { email: 'ana@acme.example', name: 'Ana A.' },
    organization: { slug, role: 'MEMBER' },
  })

  const again = await logIn(gateway, slug, idp, { ...ana, email: 'renamed@acme.example' })
  t.equal(again.statusCode, 303, again.body)
  t.equal((await membersOf(gateway, owner)).length, 2, 'the name decides, not the mail')
  const rows = await gateway.database.batchSql`
    SELECT kind, payload->>'action' AS action FROM outbox
    WHERE kind = 'member.added' OR payload->>'action' IN ('member.create', 'auth.sso_login')
    ORDER BY seq`
  t.same(
    rows.slice(1).map(({ kind, action }) => action ?? kind),
    ['member.added', 'member.create', 'auth.sso_login', 'auth.sso_login'],
  )
})

t.test('an account without a password logs in through the provider only', async (t) => {
  const { gateway, idp, slug } = await ssoOrganization(t)
  t.equal((await logIn(gateway, slug, idp, ana)).statusCode, 303)
  const payload = { email: ana.email, password }
  t.equal((await callApi(gateway, 'POST /auth/login', {}, payload)).statusCode, 401)
})

t.test('a response is accepted once, even when it is posted twice concurrently', async (t) => {
  const { gateway, owner, idp, slug } = await ssoOrganization(t)
  const begun = await startLogin(gateway, slug)
  const xml = await responseOf(idp, begun, ana)
  const parallel = await Promise.all([
    postResponse(gateway, slug, xml, begun),
    postResponse(gateway, slug, xml, begun),
  ])
  t.same(parallel.map(({ statusCode }) => statusCode).sort(), [303, 401])
  t.equal((await postResponse(gateway, slug, xml, begun)).statusCode, 401, 'and never again')
  const fresh = await startLogin(gateway, slug)
  t.equal(
    (await postResponse(gateway, slug, xml, fresh)).statusCode,
    401,
    'nor for another request',
  )
  t.same(new Set(await refusals(gateway, owner)), new Set(['unknown_request', 'no_request']))
})

t.test('a used assertion is stored by its own ID', async (t) => {
  const { gateway, owner, idp, slug } = await ssoOrganization(t)
  const values = {
    issuer: idp.entityId,
    recipient: `${BASE_URL}/api/v1/auth/saml/${slug}/acs`,
    audience: `${BASE_URL}/api/v1/auth/saml/${slug}/metadata`,
    destination: '',
    mails: ['ana@acme.example'],
  }
  for (const [index, statusCode] of [303, 401].entries()) {
    const begun = await startLogin(gateway, slug)
    const inResponseTo = begun.request.id
    const xml = message({ ...values, inResponseTo, nameId: `ana-${index}` }, { by: idp })
    t.equal((await postResponse(gateway, slug, xml, begun)).statusCode, statusCode)
  }
  t.same(await refusals(gateway, owner), ['replayed'])
})

t.test('only the browser that started a login gets the session, within ten minutes', async (t) => {
  const { gateway, owner, idp, slug } = await ssoOrganization(t)
  const [mine, other] = [await startLogin(gateway, slug), await startLogin(gateway, slug)]
  const xml = await responseOf(idp, mine, ana)
  const refused = async (cookie: string) =>
    t.equal((await postResponse(gateway, slug, xml, { cookie })).statusCode, 401)
  await refused(other.cookie)
  await refused('')
  await refused('__Host-saml=short')
  await refused(`__Host-saml=${'x'.repeat(43)}`)
  const clock = shiftedClock()
  const later = await gateway.databases.connect('gateway', { clock })
  clock.advance(10 * 60_000)
  const app = gatewayOver(t, later, { BASE_URL, RATE_LIMIT_MULTIPLIER: '1000' })
  t.equal((await postResponse(app, slug, xml, mine)).statusCode, 401)
  t.same(await refusals(gateway, owner), [
    'unknown_request',
    'no_request',
    'no_request',
    'no_request',
    'no_request',
  ])
  t.equal(
    (await postResponse(gateway, slug, xml, mine)).statusCode,
    303,
    'the response itself was valid',
  )
})

t.test('every failure is the same 401 and changes nothing', async (t) => {
  const { gateway, owner, idp, slug } = await ssoOrganization(t)
  const before = await membersOf(gateway, owner)
  const begun = await startLogin(gateway, slug)
  const xml = await responseOf(idp, begun, ana)
  const bodies = new Set<string>()
  const attempts: [string, string][] = [
    ['empty', ''],
    ['no XML', 'hello'],
    ['changed', xml.replace('>ana-at-idp<', '>eve<')],
    ['by another provider', await responseOf(identityProvider(idp.entityId), begun, ana)],
    ['of another issuer', await responseOf({ ...idp, entityId: 'https://evil.test' }, begun, ana)],
    ['unproved domain', await responseOf(idp, begun, { id: 'x', email: 'x@elsewhere.example' })],
    ['too large', `${xml}${' '.repeat(256 * 1024)}`],
  ]
  for (const [name, text] of attempts) {
    const begunAgain = name === 'unproved domain' ? begun : await startLogin(gateway, slug)
    const response = await postResponse(gateway, slug, text, begunAgain)
    t.equal(response.statusCode, 401, name)
    t.notOk(response.headers['set-cookie'], 'no session')
    bodies.add(response.body)
  }
  const { body: metrics } = await gateway.http.inject({ url: '/metrics', headers: metricsHeaders })
  const refused = 'http_requests_refused_total{operation="saml.consume",reason="sso_login"}'
  t.ok(metrics.includes(refused), 'they are counted')
  const unknown = await postResponse(gateway, 'no-such-organization', xml, begun)
  bodies.add(unknown.body)
  t.equal(bodies.size, 1)
  t.match(JSON.parse([...bodies][0] ?? ''), { error: { code: 'UNAUTHORIZED' } })
  t.same(await membersOf(gateway, owner), before)
  const url = `/api/v1/auth/saml/${slug}/acs`
  const get = await gateway.http.inject({ url: `${url}?SAMLResponse=x` })
  t.equal(get.statusCode, 405, 'the binding of the response is POST')
})

t.test(
  "a response for A is refused at B, and B's provider cannot authenticate A's users",
  async (t) => {
    const { gateway, owner: ownerA, idp: idpA, slug: slugA } = await ssoOrganization(t)
    const ownerB = await registerMember(gateway, 'Eve')
    const slugB = ownerB.identity.organization.slug
    const idpB = identityProvider()
    t.equal((await configure(gateway, ownerB, idpA)).statusCode, 200)

    const begunA = await startLogin(gateway, slugA)
    const responseForA = await responseOf(idpA, begunA, ana)
    const strange = await postResponse(gateway, slugB, responseForA, begunA)
    t.equal(strange.statusCode, 401, 'not even where B has the same provider')
    t.equal((await configure(gateway, ownerB, idpB)).statusCode, 200)

    const { email } = ownerA.identity.user
    await verifyEmail(gateway, ownerA)
    const begunB = await startLogin(gateway, slugB)
    const impostor = { id: 'eve', email }
    const takeover = await postResponse(
      gateway,
      slugB,
      await responseOf(idpB, begunB, impostor),
      begunB,
    )
    t.equal(takeover.statusCode, 401, 'the domain is not verified')
    await verifyDomain(gateway, ownerB, 'example.com')
    const again = await logIn(gateway, slugB, idpB, impostor)
    t.equal(again.statusCode, 401, "nor is an account that is another organization's")
    t.same((await refusals(gateway, ownerB)).slice(-2), ['domain_not_proved', 'foreign_account'])
    t.equal((await membersOf(gateway, ownerB)).length, 1)
    t.equal((await callApi(gateway, 'GET /auth/me', { cookie: ownerA.cookie })).statusCode, 200)
  },
)

t.test(
  'a member is linked by an address of a verified domain, in that organization only',
  async (t) => {
    const { gateway, owner, idp, slug } = await ssoOrganization(t, 'example.com')
    const colleague = await addMember(gateway, owner, 'VIEWER')
    const { email } = colleague.identity.user
    const response = await logIn(gateway, slug, idp, { id: 'colleague', email })
    t.equal(response.statusCode, 303, response.body)
    const headers = { cookie: cookieOf(response), 'sec-fetch-site': 'same-origin' }
    t.match((await callApi(gateway, 'GET /auth/me', headers)).json(), {
      user: { email },
      organization: { role: 'VIEWER' },
    })
    t.equal((await membersOf(gateway, owner)).length, 2)
  },
)

t.test(
  'policies for new members apply to first logins, and a disabled provider is refused',
  async (t) => {
    const { gateway, owner, idp, slug } = await ssoOrganization(t)
    const headers = asMember(owner)
    const allow = (allowedEmailDomains: string[]) =>
      callApi(gateway, 'PATCH /organization', headers, { allowedEmailDomains })
    t.equal((await allow(['other.example'])).statusCode, 200)
    t.equal((await logIn(gateway, slug, idp, ana)).statusCode, 401)
    t.same(await refusals(gateway, owner), ['domain_not_allowed'])
    t.equal((await allow([])).statusCode, 200)
    const begun = await startLogin(gateway, slug)
    const xml = await responseOf(idp, begun, ana)
    await configure(gateway, owner, idp, { isEnabled: false })
    t.equal((await postResponse(gateway, slug, xml, begun)).statusCode, 401)
    t.equal((await gateway.http.inject({ url: `/api/v1/auth/saml/${slug}/login` })).statusCode, 404)
  },
)

t.test('RelayState leads to a path of this host or to the root path', async (t) => {
  const { gateway, idp, slug } = await ssoOrganization(t)
  for (const relayState of ['//evil.test', 'https://evil.test/', '/\\evil.test', null]) {
    const begun = await startLogin(gateway, slug, relayState ?? undefined)
    const xml = await responseOf(idp, begun, ana)
    const response = await postResponse(gateway, slug, xml, { ...begun, relayState })
    t.equal(response.headers.location, `${BASE_URL}/`, String(relayState))
  }
})
