/**
 * Organizations with an independent identity provider (samlp), and browsers that log in through it.
 */
import { inflateRawSync } from 'node:zlib'
import type { TextResolver } from '@status-page/outbound'
import { createOutbound, outboundPolicy } from '@status-page/outbound'
import { rsaCertificate, type TestCertificate } from '@status-page/testing'
import type { LightMyRequestResponse } from 'fastify'
import samlp from 'samlp'
import {
  asMember,
  registerMember,
  type SignedInMember,
  type TestGateway,
  testGateway,
} from '../../gateway.fixture.ts'
import { callApi } from '../../organization.fixture.ts'

type Test = Parameters<typeof testGateway>[0]

export const BASE_URL = 'https://status.test'

/** Resolver of TXT records that the test sets. */
export const scriptedTexts = () => {
  const texts: Record<string, string[]> = {}
  const resolver: TextResolver = { resolveText: async (name) => texts[name] ?? [] }
  return { texts, resolver }
}

export interface SsoGateway extends TestGateway {
  texts: Record<string, string[]>
}

export const ssoGateway = async (t: Test): Promise<SsoGateway> => {
  const { texts, resolver } = scriptedTexts()
  const policy = outboundPolicy({ allowCidrs: [], ownHosts: [] })
  const outbound = createOutbound({ policy })
  t.teardown(() => outbound.close())
  const gateway = await testGateway(t, { BASE_URL }, { externalClients: { outbound, resolver } })
  return { ...gateway, texts }
}

/** Verifies the domain for the member's organization. */
export const verifyDomain = async (
  gateway: SsoGateway,
  member: SignedInMember,
  domain: string,
): Promise<void> => {
  const headers = asMember(member)
  const claimed = await callApi(gateway, 'POST /organization/domains', headers, { domain })
  if (claimed.statusCode !== 201) throw new Error(claimed.body)
  const { txtName, txtValue } = claimed.json()
  gateway.texts[txtName] = [txtValue]
  const proved = await callApi(gateway, `POST /organization/domains/${domain}/verify`, headers)
  if (proved.statusCode !== 200) throw new Error(proved.body)
}

export interface Idp extends TestCertificate {
  entityId: string
  metadata: string
}

let providers = 0
/** Providers that follow each other have different keys. */
const KEYS = 3

/** Identity provider with the metadata that samlp generates. */
export const identityProvider = (entityId = `https://idp-${providers + 1}.test/metadata`): Idp => {
  providers++
  const certificate = rsaCertificate(`key-${providers % KEYS}`)
  let metadata = ''
  samlp.metadata({
    issuer: entityId,
    cert: certificate.cert,
    redirectEndpointPath: '/sso',
    postEndpointPath: '/sso',
  })(
    { originalUrl: '', headers: { host: new URL(entityId).host, 'x-forwarded-proto': 'https' } },
    { set: () => {}, send: (body) => (metadata = body) },
  )
  return { ...certificate, entityId, metadata }
}

export const configure = (
  gateway: SsoGateway,
  member: SignedInMember,
  idp: Idp,
  more: object = {},
): Promise<LightMyRequestResponse> =>
  callApi(gateway, 'PUT /organization/saml', asMember(member), {
    metadataXml: idp.metadata,
    ...more,
  })

/** Organization whose owner has set up a provider for a verified domain. */
export const ssoOrganization = async (t: Test, domain = 'acme.example') => {
  const gateway = await ssoGateway(t)
  const owner = await registerMember(gateway)
  const idp = identityProvider()
  await verifyDomain(gateway, owner, domain)
  const configured = await configure(gateway, owner, idp)
  if (configured.statusCode !== 200) throw new Error(configured.body)
  return { gateway, owner, idp, slug: owner.identity.organization.slug }
}

export interface StartedLogin {
  cookie: string
  location: URL
  relayState: string | null
  request: { id: string; issuer: string; assertionConsumerServiceURL: string }
}

/** Starts a login as a browser does; samlp parses the request. */
export const startLogin = async (
  { http }: Pick<SsoGateway, 'http'>,
  slug: string,
  next = '/dashboard',
): Promise<StartedLogin> => {
  const url = `/api/v1/auth/saml/${slug}/login?next=${encodeURIComponent(next)}`
  const response = await http.inject({ url })
  if (response.statusCode !== 302) throw new Error(response.body)
  const location = new URL(String(response.headers.location))
  const SAMLRequest = location.searchParams.get('SAMLRequest') ?? ''
  const request = await new Promise<StartedLogin['request']>((resolve, reject) => {
    samlp.parseRequest({ method: 'GET', query: { SAMLRequest } }, (error, value) =>
      error ? reject(error) : resolve(value),
    )
  })
  const [cookie = ''] = String(response.headers['set-cookie']).split(';', 1)
  return { cookie, location, relayState: location.searchParams.get('RelayState'), request }
}

export interface IdpUser {
  id: string
  email: string
  name?: string
}

/** Response of samlp to the request, for a user who has logged in there. */
export const responseOf = (
  idp: Idp,
  { request }: Pick<StartedLogin, 'request'>,
  { id, email, name = 'Ana' }: IdpUser,
): Promise<string> =>
  new Promise((resolve, reject) => {
    samlp.getSamlResponse(
      {
        issuer: idp.entityId,
        cert: idp.cert,
        key: idp.key,
        destination: request.assertionConsumerServiceURL,
        recipient: request.assertionConsumerServiceURL,
        audience: request.issuer,
        inResponseTo: request.id,
        signResponse: false,
        signatureAlgorithm: 'rsa-sha256',
        digestAlgorithm: 'sha256',
      },
      { id, displayName: name, name: {}, emails: [{ value: email }] },
      (error, value) => (error ? reject(error) : resolve(value)),
    )
  })

/** Posts the provider's form as a browser does: cross-site, with the SameSite=None cookie. */
export const postResponse = (
  { http }: Pick<SsoGateway, 'http'>,
  slug: string,
  xml: string,
  { cookie, relayState = '/dashboard' }: { cookie: string; relayState?: string | null },
): Promise<LightMyRequestResponse> => {
  const form = new URLSearchParams({ SAMLResponse: Buffer.from(xml).toString('base64') })
  if (relayState !== null) form.set('RelayState', relayState)
  return http.inject({
    method: 'POST',
    url: `/api/v1/auth/saml/${slug}/acs`,
    headers: {
      cookie,
      'content-type': 'application/x-www-form-urlencoded',
      origin: 'https://idp.test',
      'sec-fetch-site': 'cross-site',
    },
    payload: form.toString(),
  })
}

/** Complete login through the provider. */
export const logIn = async (
  gateway: SsoGateway,
  slug: string,
  idp: Idp,
  user: IdpUser,
): Promise<LightMyRequestResponse> => {
  const begun = await startLogin(gateway, slug)
  return postResponse(gateway, slug, await responseOf(idp, begun, user), begun)
}

export const requestXml = ({ location }: Pick<StartedLogin, 'location'>): string =>
  inflateRawSync(Buffer.from(location.searchParams.get('SAMLRequest') ?? '', 'base64')).toString()

/** Reasons of refused logins in the audit log. */
export const refusals = async (
  { database }: SsoGateway,
  { identity }: SignedInMember,
): Promise<string[]> => {
  const rows = await database.batchSql`
    SELECT payload->'changes'->'reason'->>'to' AS reason FROM outbox
    WHERE organization_id = ${identity.organization.id}
      AND payload->>'action' = 'auth.sso_failed' ORDER BY seq`
  return rows.map(({ reason }) => String(reason))
}
