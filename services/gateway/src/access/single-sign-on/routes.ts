/**
 * Single sign-on over HTTP: settings, detection, metadata of this service provider, and login
 * through the provider.
 */
import { X509Certificate } from 'node:crypto'
import { notFound, type SamlSettings, samlOperations } from '@status-page/contracts'
import { asLookup, read } from '@status-page/postgres'
import { hashToken, randomToken } from '@status-page/secrets'
import { type Call, createRoutes, type RawReply, type Route, rawReply } from '@status-page/service'
import { pathAfterLogin } from '../../identity/saml/rules.ts'
import {
  createAuthnRequest,
  serviceProviderMetadata,
  serviceProviderUrls,
} from '../../identity/saml/service-provider.ts'
import * as store from '../../identity/saml/store.ts'
import { readOrganization } from '../organization/store.ts'
import { browserCookie, REQUEST_LIFETIME_MS } from './browser-cookie.ts'
import { consumeSamlResponse, type LoginOptions } from './login.ts'
import {
  providerNotFound,
  removeProvider,
  replaceProvider,
  requireHttps,
  type SettingsOptions,
} from './settings.ts'

export type SamlOptions = LoginOptions & SettingsOptions

export const samlRoutes = (options: SamlOptions): Route[] =>
  createRoutes(samlOperations, {
    read: (call) =>
      call.read(async (scope) => {
        const row = await store.providerOfOrganization(scope)
        if (row === null) throw providerNotFound()
        return settingsOf(row, (await readOrganization(scope)).slug, options.baseUrl)
      }),

    async replace(call) {
      const row = await replaceProvider(call, options)
      const { slug } = await call.read(readOrganization)
      return settingsOf(row, slug, options.baseUrl)
    },

    remove: (call) => removeProvider(call),

    async detect(call) {
      const domain = call.body.email.slice(call.body.email.lastIndexOf('@') + 1)
      const slug = await asLookup(options.database, (systemScope) =>
        store.slugByDomain(systemScope, domain),
      )
      if (slug === null) return { sso: false, loginUrl: null }
      return { sso: true, loginUrl: serviceProviderUrls(options.baseUrl, slug).loginUrl }
    },

    async metadata(call) {
      requireHttps(options.baseUrl)
      const { slug } = await organizationOr404(call, options)
      const body = serviceProviderMetadata(serviceProviderUrls(options.baseUrl, slug))
      return rawReply({ contentType: 'application/samlmetadata+xml', body })
    },

    login: (call) => redirectToProvider(call, options),

    async consume(call) {
      const token = await consumeSamlResponse(call, options)
      call.addCookie(options.cookie.set(token))
      const location = new URL(pathAfterLogin(call.body.RelayState), options.baseUrl).href
      return rawReply({ ...page, headers: { location } })
    },
  })

/** Empty page of redirects. */
const page = { contentType: 'text/html; charset=utf-8', body: '' }

const redirectToProvider = async (
  call: Call<typeof samlOperations.login>,
  { database, baseUrl }: SamlOptions,
): Promise<RawReply> => {
  requireHttps(baseUrl)
  const { id: organizationId, slug } = await organizationOr404(call, { database })
  const token = randomToken()
  const next = pathAfterLogin(call.query.next)
  const url = await read(database, organizationId, async (scope) => {
    const provider = await store.providerOfOrganization(scope)
    if (!provider?.isEnabled) throw providerNotFound()
    const { id, url } = createAuthnRequest(serviceProviderUrls(baseUrl, slug), provider, next)
    const expiresAt = new Date(scope.now.getTime() + REQUEST_LIFETIME_MS)
    await store.insertRequest(scope, { id, browserHash: hashToken(token), expiresAt })
    return url
  })
  call.addCookie(browserCookie(token))
  return rawReply({ ...page, headers: { location: url } })
}

const organizationOr404 = async (
  { params }: { params: { orgSlug: string } },
  { database }: Pick<SamlOptions, 'database'>,
): Promise<store.OrganizationName> => {
  const organization = await asLookup(database, (systemScope) =>
    store.organizationBySlug(systemScope, params.orgSlug),
  )
  if (organization === null) throw notFound()
  return organization
}

const settingsOf = (row: store.ProviderRow, slug: string, baseUrl: string): SamlSettings => {
  const { isEnabled, idpEntityId, idpSsoUrl, certificates, defaultRole, attributeMapping } = row
  const { spEntityId, acsUrl } = serviceProviderUrls(baseUrl, slug)
  return {
    isEnabled,
    idpEntityId,
    idpSsoUrl,
    certificates: certificates.map(certificateOf),
    defaultRole,
    attributeMapping,
    spEntityId,
    acsUrl,
  }
}

/** Certificate in the form that providers display: lower-case hex without colons. */
const certificateOf = (base64: string): SamlSettings['certificates'][number] => {
  const { fingerprint256, validToDate } = new X509Certificate(Buffer.from(base64, 'base64'))
  return {
    fingerprintSha256: fingerprint256.replaceAll(':', '').toLowerCase(),
    notAfter: validToDate.toISOString(),
  }
}
