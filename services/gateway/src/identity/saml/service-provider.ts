/** This service as a SAML service provider: metadata, requests and URLs. */
import { IdentityProvider, ServiceProvider } from 'samlify'

const POST = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST'
const REDIRECT = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect'
const UNSPECIFIED = 'urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified'

export interface ServiceProviderUrls {
  spEntityId: string
  acsUrl: string
  loginUrl: string
}

/** URLs of an organization, built from the configured base URL and never from the Host header. */
export const serviceProviderUrls = (baseUrl: string, slug: string): ServiceProviderUrls => {
  const at = `${baseUrl.replace(/\/$/, '')}/api/v1/auth/saml/${slug}`
  return { spEntityId: `${at}/metadata`, acsUrl: `${at}/acs`, loginUrl: `${at}/login` }
}

export const serviceProviderMetadata = (addresses: ServiceProviderUrls): string =>
  serviceProvider(addresses).getMetadata()

/** Returns the redirect URL of a login and the request id that the response has to contain. */
export const createAuthnRequest = (
  addresses: ServiceProviderUrls,
  provider: { idpEntityId: string; idpSsoUrl: string; certificates: readonly string[] },
  relayState: string,
): { id: string; url: string } => {
  const location = { Binding: REDIRECT, Location: provider.idpSsoUrl }
  const idp = IdentityProvider({
    entityID: provider.idpEntityId,
    signingCert: [...provider.certificates],
    singleSignOnService: [location],
    // Unused; without a location the library writes to the console.
    singleLogoutService: [location],
  })
  const { id, context } = serviceProvider(addresses).createLoginRequest(idp, 'redirect', {
    relayState,
  })
  return { id, url: context }
}

const serviceProvider = ({ spEntityId, acsUrl }: ServiceProviderUrls) =>
  ServiceProvider({
    entityID: spEntityId,
    wantAssertionsSigned: true,
    nameIDFormat: [UNSPECIFIED],
    // Lets the provider create accounts; its own policy decides.
    allowCreate: true,
    assertionConsumerService: [{ Binding: POST, Location: acsUrl, isDefault: true }],
  })
