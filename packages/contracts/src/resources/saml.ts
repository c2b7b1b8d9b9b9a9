/** SAML 2.0: an organization's identity provider, and the way in through it. */
import { type Static, Type } from '@sinclair/typebox'
import { operation } from '../operation.ts'
import { Email, HttpsUrl, Nullable, Success, Timestamp } from '../scalars.ts'
import { RoleReference } from './members.ts'

const MAX_METADATA_BYTES = 512 * 1024
const SAML_BODY_LIMIT = 1024 * 1024
const SlugParams = Type.Object({ orgSlug: Type.String({ minLength: 1, maxLength: 63 }) })

const AttributeMapping = Type.Object({
  email: Type.Optional(Type.String({ minLength: 1, maxLength: 256 })),
  name: Type.Optional(Type.String({ minLength: 1, maxLength: 256 })),
})

export const SamlSettings = Type.Object({
  isEnabled: Type.Boolean(),
  idpEntityId: Type.String(),
  idpSsoUrl: Type.String(),
  certificates: Type.Array(Type.Object({ fingerprintSha256: Type.String(), notAfter: Timestamp })),
  defaultRole: Type.String(),
  attributeMapping: AttributeMapping,
  spEntityId: Type.String(),
  acsUrl: Type.String(),
})
export type SamlSettings = Static<typeof SamlSettings>

export const samlOperations = {
  read: operation({
    id: 'saml.read',
    service: 'gateway',
    method: 'GET',
    path: '/organization/saml',
    status: 200,
    summary: 'Read the identity provider',
    description:
      'Certificates by fingerprint and end, with the two addresses that the provider has to ' +
      'be told: `spEntityId` and `acsUrl`. 404 where none is set.',
    permission: 'organization:read',
    reply: SamlSettings,
  }),
  replace: operation({
    id: 'saml.replace',
    service: 'gateway',
    method: 'PUT',
    path: '/organization/saml',
    status: 200,
    summary: 'Set the identity provider, by its metadata or where that is',
    description:
      'By the text of its metadata, or by the https address where that is (not both, 400); ' +
      'without either the stored metadata stays and the other fields are replaced. Metadata ' +
      'needs an entity id, a signing certificate and an https address for redirects (400 ' +
      'names what is wrong). Whoever sets another provider must hold every right that its ' +
      'people may have (403); only what an OWNER has set logs an OWNER in. 409 ' +
      '`invalid_state` unless the service itself is reached by https, 409 `in_use` for ' +
      'switching it off while `ssoEnforced` needs it. Several organizations may have the ' +
      'same provider.',
    permission: 'organization:write',
    bodyLimit: SAML_BODY_LIMIT,
    body: Type.Object({
      metadataXml: Type.Optional(Type.String({ minLength: 1, maxLength: MAX_METADATA_BYTES })),
      metadataUrl: Type.Optional(HttpsUrl),
      isEnabled: Type.Optional(Type.Boolean({ default: true })),
      defaultRole: Type.Optional(Type.String({ ...RoleReference, default: 'MEMBER' })),
      attributeMapping: Type.Optional(AttributeMapping),
    }),
    reply: SamlSettings,
  }),
  remove: operation({
    id: 'saml.remove',
    service: 'gateway',
    method: 'DELETE',
    path: '/organization/saml',
    status: 200,
    summary: 'Forget the identity provider',
    description:
      'Whom the provider had named is forgotten with it: another one by the same name ' +
      'begins anew. Members and their sessions stay. 404 where none is set, 409 `in_use` ' +
      'while `ssoEnforced` needs it.',
    permission: 'organization:write',
    reply: Success,
  }),
  detect: operation({
    id: 'saml.detect',
    service: 'gateway',
    method: 'POST',
    path: '/auth/saml/detect',
    status: 200,
    summary: 'Whether an address logs in through a provider',
    description:
      'Goes by the domain of the address, if an organization has proved it and has a ' +
      'provider that is on; whether the address has an account does not show.',
    permission: 'public',
    bucket: 'auth',
    idempotencyKey: false,
    body: Type.Object({ email: Email }),
    reply: Type.Object({ sso: Type.Boolean(), loginUrl: Nullable(Type.String()) }),
  }),
  metadata: operation({
    id: 'saml.metadata',
    service: 'gateway',
    method: 'GET',
    path: '/auth/saml/{orgSlug}/metadata',
    status: 200,
    summary: "The service provider's metadata",
    description:
      'What the provider has to know of us for this organization, as XML: our entity id, ' +
      'and the address that takes its answers. 404 for an unknown organization, 409 ' +
      '`invalid_state` unless the service is reached by https.',
    permission: 'public',
    bucket: 'auth',
    params: SlugParams,
    reply: Type.String(),
    produces: ['application/samlmetadata+xml'],
  }),
  login: operation({
    id: 'saml.login',
    service: 'gateway',
    method: 'GET',
    path: '/auth/saml/{orgSlug}/login',
    status: 302,
    summary: 'Go to the identity provider',
    description:
      'Redirects the browser to the identity provider, with a request that is answered ' +
      'within ten minutes and by this browser, which a cookie binds it to. `next` is a path ' +
      'of this site, else `/`. 404 where the organization has no provider that is on, 409 ' +
      '`invalid_state` unless the service is reached by https.',
    permission: 'public',
    bucket: 'auth',
    params: SlugParams,
    query: Type.Object({ next: Type.Optional(Type.String({ maxLength: 2048 })) }),
    reply: Type.String(),
    produces: ['text/html'],
  }),
  consume: operation({
    id: 'saml.consume',
    service: 'gateway',
    method: 'POST',
    path: '/auth/saml/{orgSlug}/acs',
    status: 303,
    summary: 'Take the answer of the identity provider; every failure is one 401',
    description:
      "For the provider's form alone. The assertion must be signed by the stored " +
      'certificate, meant for this organization, in time, in answer to a request of this ' +
      'browser, and new. A first login makes a member (`member.added`) with the default ' +
      'role, only for an address in a domain that the organization has proved. Then the ' +
      "browser is sent to `RelayState`, if that is a path of this site, with a session's " +
      'cookie. Whatever is wrong is one 401; the audit log of the organization tells what ' +
      '(`auth.sso_failed`).',
    permission: 'public',
    bucket: 'auth',
    idempotencyKey: false,
    params: SlugParams,
    bodyType: 'form',
    bodyLimit: SAML_BODY_LIMIT,
    // Without limits of their own: whatever is wrong with the message is the same 401.
    body: Type.Object({
      SAMLResponse: Type.Optional(Type.String({ default: '' })),
      RelayState: Type.Optional(Type.String()),
    }),
    reply: Type.String(),
    produces: ['text/html'],
  }),
}
