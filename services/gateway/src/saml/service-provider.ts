/** Us, as identity providers see us: metadata, requests, and the addresses both speak of. */
import { IdentityProvider, ServiceProvider } from 'samlify'

const POST = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST'
const REDIRECT = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect'
const UNSPECIFIED = 'urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified'

export interface Addresses {
  spEntityId: string
  acsUrl: string
  loginUrl: string
}

/** Of the installation's own address; a request's Host has no say. */
export const addressesOf = (baseUrl: string, slug: string): Addresses => {
  const at = `${baseUrl.replace(/\/$/, '')}/api/v1/auth/saml/${slug}`
  return { spEntityId: `${at}/metadata`, acsUrl: `${at}/acs`, loginUrl: `${at}/login` }
}

export const metadataOf = (addresses: Addresses): string => serviceProvider(addresses).getMetadata()

/** Where the browser goes, and the id that the answer has to name. */
export const loginRequest = (
  addresses: Addresses,
  provider: { idpEntityId: string; idpSsoUrl: string; certificates: readonly string[] },
  relayState: string,
): { id: string; url: string } => {
  const location = { Binding: REDIRECT, Location: provider.idpSsoUrl }
  const idp = IdentityProvider({
    entityID: provider.idpEntityId,
    signingCert: [...provider.certificates],
    singleSignOnService: [location],
    // Never used; without one the library writes to the console.
    singleLogoutService: [location],
  })
  const { id, context } = serviceProvider(addresses).createLoginRequest(idp, 'redirect', {
    relayState,
  })
  return { id, url: context }
}

const serviceProvider = ({ spEntityId, acsUrl }: Addresses) =>
  ServiceProvider({
    entityID: spEntityId,
    wantAssertionsSigned: true,
    nameIDFormat: [UNSPECIFIED],
    // The provider makes the account; whether it may is not for the request to say.
    allowCreate: true,
    assertionConsumerService: [{ Binding: POST, Location: acsUrl, isDefault: true }],
  })
