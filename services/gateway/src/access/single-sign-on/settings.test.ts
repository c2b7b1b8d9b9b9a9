/** Settings of the identity provider: metadata by upload or by URL, and required rights. */
import { once } from 'node:events'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { createOutbound, outboundPolicy } from '@status-page/outbound'
import { read } from '@status-page/postgres'
import { rsaCertificate } from '@status-page/testing'
import t from 'tap'
import {
  asKey,
  asMember,
  createApiKey,
  registerMember,
  runJob,
  testGateway,
} from '../../gateway.fixture.ts'
import { addMember, audited, callApi, makeRole } from '../../organization.fixture.ts'
import { samlAssertions, samlRequests } from '../../tables.ts'
import {
  BASE_URL,
  configure,
  identityProvider,
  logIn,
  scriptedTexts,
  ssoGateway,
  ssoOrganization,
  startLogin,
  verifyDomain,
} from './single-sign-on.fixture.ts'

t.test('a provider is set by its metadata, read, changed and removed', async (t) => {
  const gateway = await ssoGateway(t)
  const owner = await registerMember(gateway)
  const headers = asMember(owner)
  const { slug } = owner.identity.organization
  t.equal((await callApi(gateway, 'GET /organization/saml', headers)).statusCode, 404)
  const idp = identityProvider()
  const attributeMapping = { email: 'mail', name: 'displayName' }
  const set = await configure(gateway, owner, idp, { attributeMapping })
  t.equal(set.statusCode, 200, set.body)
  t.match(set.json(), {
    isEnabled: true,
    idpEntityId: idp.entityId,
    idpSsoUrl: /^https:\/\/idp-\d+\.test\/sso$/,
    certificates: [{ fingerprintSha256: /^[0-9a-f]{64}$/, notAfter: /^\d{4}-.*Z$/ }],
    defaultRole: 'MEMBER',
    attributeMapping,
    spEntityId: `${BASE_URL}/api/v1/auth/saml/${slug}/metadata`,
    acsUrl: `${BASE_URL}/api/v1/auth/saml/${slug}/acs`,
  })
  t.same((await callApi(gateway, 'GET /organization/saml', headers)).json(), set.json())
  const off = await callApi(gateway, 'PUT /organization/saml', headers, { isEnabled: false })
  t.equal(off.statusCode, 200, 'a switch alone keeps the metadata')
  t.match(off.json(), { isEnabled: false, idpEntityId: idp.entityId, attributeMapping: {} })
  t.equal((await callApi(gateway, 'DELETE /organization/saml', headers)).statusCode, 200)
  t.equal((await callApi(gateway, 'DELETE /organization/saml', headers)).statusCode, 404)
  const actions = (await audited(gateway, owner)).map(({ action }) => action)
  t.same(actions.slice(-3), ['saml.create', 'saml.update', 'saml.delete'])
})

t.test(
  'the metadata of the service provider contains the URLs that a provider needs',
  async (t) => {
    const gateway = await ssoGateway(t)
    const { slug } = (await registerMember(gateway)).identity.organization
    const response = await gateway.http.inject({ url: `/api/v1/auth/saml/${slug}/metadata` })
    t.equal(response.statusCode, 200)
    t.equal(response.headers['content-type'], 'application/samlmetadata+xml')
    t.match(response.body, `entityID="${BASE_URL}/api/v1/auth/saml/${slug}/metadata"`)
    t.match(response.body, `Location="${BASE_URL}/api/v1/auth/saml/${slug}/acs"`)
    t.match(response.body, 'WantAssertionsSigned="true"')
    t.equal((await gateway.http.inject({ url: '/api/v1/auth/saml/none/metadata' })).statusCode, 404)
  },
)

t.test('unusable metadata is 400 with a message that repeats none of its content', async (t) => {
  const gateway = await ssoGateway(t)
  const owner = await registerMember(gateway)
  const idp = identityProvider()
  const put = (payload: object) =>
    callApi(gateway, 'PUT /organization/saml', asMember(owner), payload)
  const cases: [object, string, RegExp][] = [
    [{}, 'metadataXml', /is required/],
    [
      { metadataXml: idp.metadata, metadataUrl: 'https://idp.test/' },
      'metadataXml',
      /mutually exclusive/,
    ],
    [{ metadataXml: '<canary/>' }, 'metadataXml', /EntityDescriptor/],
    [{ metadataXml: `<!DOCTYPE canary>${idp.metadata}` }, 'metadataXml', /document type/],
    [{ metadataUrl: 'http://idp.test/' }, 'metadataUrl', /https/],
    [{ metadataUrl: 'https://127.0.0.1/canary' }, 'metadataUrl', /not allowed/],
    [{ metadataUrl: 'https://169.254.169.254/canary' }, 'metadataUrl', /not allowed/],
    [{ metadataXml: idp.metadata, defaultRole: 'canary' }, 'defaultRole', /built-in/],
  ]
  for (const [payload, field, message] of cases) {
    const response = await put(payload)
    t.equal(response.statusCode, 400, response.body)
    t.match(response.json().error, { details: { field }, message })
    t.notMatch(response.body, /canary/)
  }
  t.equal((await callApi(gateway, 'GET /organization/saml', asMember(owner))).statusCode, 404)
})

t.test('single sign-on over http is refused with its reason', async (t) => {
  const gateway = await testGateway(t)
  const owner = await registerMember(gateway)
  const { slug } = owner.identity.organization
  const payload = { metadataXml: identityProvider().metadata }
  const responses = [
    await callApi(gateway, 'PUT /organization/saml', asMember(owner), payload),
    await callApi(gateway, `GET /auth/saml/${slug}/login`, {}),
    await callApi(gateway, `GET /auth/saml/${slug}/metadata`, {}),
  ]
  for (const response of responses) {
    t.equal(response.statusCode, 409)
    t.match(response.json().error, {
      message: /https BASE_URL/,
      details: { reason: 'invalid_state' },
    })
  }
})

t.test(
  'setting a provider requires all rights, and its default role no further ones',
  async (t) => {
    const { gateway, owner, slug } = await ssoOrganization(t, 'example.com')
    const admin = await addMember(gateway, owner, 'ADMIN')
    const narrow = await makeRole(gateway, owner, ['ORGANIZATION_VIEW', 'ORGANIZATION_UPDATE'])
    const clerk = await addMember(gateway, owner, narrow)
    const idp = identityProvider()
    const byClerk = await configure(gateway, clerk, idp, { defaultRole: narrow })
    t.equal(byClerk.statusCode, 403, byClerk.body)
    const { key } = await createApiKey(gateway, owner, ['organization:write'])
    const payload = { metadataXml: idp.metadata }
    t.equal((await callApi(gateway, 'PUT /organization/saml', asKey(key), payload)).statusCode, 403)
    t.equal((await configure(gateway, admin, idp, { defaultRole: 'OWNER' })).statusCode, 403)

    t.equal((await configure(gateway, admin, idp)).statusCode, 200)
    const { email } = owner.identity.user
    const asOwner = await logIn(gateway, slug, idp, { id: 'owner', email })
    t.equal(asOwner.statusCode, 401, 'the provider of an ADMIN cannot authenticate an OWNER')
    t.equal((await configure(gateway, owner, idp)).statusCode, 200)
    const confirmed = await logIn(gateway, slug, idp, { id: 'owner', email })
    t.equal(confirmed.statusCode, 303, confirmed.body)
  },
)

t.test('the login URL is protected like certificates and entity id', async (t) => {
  const { gateway, owner, idp, slug } = await ssoOrganization(t, 'example.com')
  const admin = await addMember(gateway, owner, 'ADMIN')
  const narrow = await makeRole(gateway, owner, ['ORGANIZATION_VIEW', 'ORGANIZATION_UPDATE'])
  const clerk = await addMember(gateway, owner, narrow)
  const moved = {
    ...idp,
    metadata: idp.metadata.replaceAll(/Location="https:[^"]*"/g, 'Location="https://evil.test/"'),
  }
  const refused = await configure(gateway, clerk, moved, { defaultRole: narrow })
  t.equal(refused.statusCode, 403, refused.body)
  const stored = (await callApi(gateway, 'GET /organization/saml', asMember(owner))).json()
  t.match(stored.idpSsoUrl, /^https:\/\/idp-\d+\.test\/sso$/)
  const payload = { isEnabled: true, defaultRole: narrow }
  const kept = await callApi(gateway, 'PUT /organization/saml', asMember(clerk), payload)
  t.equal(kept.statusCode, 200, 'changes that keep the URL stay allowed')

  t.equal((await configure(gateway, admin, moved)).statusCode, 200)
  const { email } = owner.identity.user
  const asOwner = await logIn(gateway, slug, idp, { id: 'owner', email })
  t.equal(asOwner.statusCode, 401, 'an OWNER cannot log in through a URL that an ADMIN has set')
})

t.test('detection considers verified domains and enabled providers only', async (t) => {
  const { gateway, owner, idp, slug } = await ssoOrganization(t)
  const detect = async (email: string) =>
    (await callApi(gateway, 'POST /auth/saml/detect', {}, { email })).json()
  const nothing = { sso: false, loginUrl: null }
  const loginUrl = `${BASE_URL}/api/v1/auth/saml/${slug}/login`
  t.same(await detect('nobody@ACME.example'), { sso: true, loginUrl })
  t.same(await detect('nobody@sub.acme.example'), nothing)
  const other = await registerMember(gateway)
  await callApi(gateway, 'POST /organization/domains', asMember(other), {
    domain: 'claimed.example',
  })
  await configure(gateway, other, identityProvider())
  t.same(await detect('x@claimed.example'), nothing, 'a claim verifies nothing')
  await configure(gateway, owner, idp, { isEnabled: false })
  t.same(await detect('nobody@acme.example'), nothing)
})

t.test('unanswered requests and expired assertions are deleted', async (t) => {
  const { gateway, owner, idp, slug } = await ssoOrganization(t)
  await startLogin(gateway, slug)
  t.equal((await logIn(gateway, slug, idp, { id: 'a', email: 'a@acme.example' })).statusCode, 303)
  const { id } = owner.identity.organization
  const left = () =>
    read(gateway.database, id, async ({ tx }) => [
      await tx.$count(samlRequests),
      await tx.$count(samlAssertions),
    ])
  await runJob(gateway, 'retention-saml')
  t.same(await left(), [1, 1], 'unexpired ones stay')
  await read(gateway.database, id, async ({ tx }) => {
    const expiresAt = new Date(0)
    await tx.update(samlRequests).set({ expiresAt })
    await tx.update(samlAssertions).set({ expiresAt })
  })
  await runJob(gateway, 'retention-saml')
  t.same(await left(), [0, 0])
})

t.test('metadata is fetched through the outbound client, without redirects', async (t) => {
  const idp = identityProvider()
  const { cert, key } = rsaCertificate('idp.test')
  const server = createServer({ cert, key }, (request, response) => {
    const isMoved = request.url === '/moved'
    response.writeHead(isMoved ? 302 : 200, isMoved ? { location: '/' } : {})
    response.end(request.url === '/large' ? 'x'.repeat(512 * 1024 + 1) : idp.metadata)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  const outbound = createOutbound({
    policy: outboundPolicy({
      allowCidrs: ['127.0.0.0/8'],
      ownHosts: [],
      resolver: { resolve: async () => ['127.0.0.1'] },
    }),
    extraAuthorities: [cert],
  })
  t.teardown(() => outbound.close())
  const { resolver } = scriptedTexts()
  const gateway = await testGateway(t, { BASE_URL }, { externalClients: { outbound, resolver } })
  const owner = await registerMember(gateway)
  const { port } = server.address() as AddressInfo
  const put = (path: string) => {
    const payload = { metadataUrl: `https://idp.test:${port}${path}` }
    return callApi(gateway, 'PUT /organization/saml', asMember(owner), payload)
  }
  t.match((await put('/moved')).json().error, { message: /status 200/ })
  t.match((await put('/large')).json().error, { message: /512 KiB/ })
  const set = await put('/')
  t.equal(set.statusCode, 200, set.body)
  t.equal(set.json().idpEntityId, idp.entityId)
})

t.test(
  'an organization that registers a provider first neither blocks nor impersonates others',
  async (t) => {
    const gateway = await ssoGateway(t)
    const [stranger, owner] = [await registerMember(gateway), await registerMember(gateway)]
    const idp = identityProvider()
    t.equal((await configure(gateway, stranger, idp)).statusCode, 200)
    await verifyDomain(gateway, owner, 'acme.example')
    t.equal((await configure(gateway, owner, idp)).statusCode, 200)
    const ana = { id: 'ana', email: 'ana@acme.example' }
    const own = await logIn(gateway, owner.identity.organization.slug, idp, ana)
    t.equal(own.statusCode, 303, own.body)
    const strange = await logIn(gateway, stranger.identity.organization.slug, idp, ana)
    t.equal(strange.statusCode, 401, 'users belong to the organization that verified their domain')
  },
)
