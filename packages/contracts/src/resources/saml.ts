/** SAML 2.0: the identity provider of an organization, and login through it. */
import { type Static, Type } from '@sinclair/typebox'
import { operationsOf } from '../operation.ts'
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

export const samlOperations = operationsOf('gateway', 'saml', {
  read: {
    route: 'GET /organization/saml',
    summary: 'Read the identity provider',
    description:
      'Settings, with the fingerprint and expiry of each certificate. `spEntityId` and ' +
      '`acsUrl` are the values to configure at the provider. 404 when no provider is set.',
    permission: 'organization:read',
    reply: SamlSettings,
  },
  replace: {
    route: 'PUT /organization/saml',
    summary: 'Set the identity provider',
    description:
      "`metadataXml` is the provider's metadata, `metadataUrl` its https address (400 with " +
      'both); without either, the stored metadata remains and the other fields are replaced. ' +
      'The metadata must have an entity id, a signing certificate and an https address for ' +
      'redirects (400 names the missing part). 403 for a new provider unless the caller has ' +
      'every right that its users can get; an OWNER can log in only through a provider that an ' +
      'OWNER has set. 409 `invalid_state` unless the service has an https address, 409 ' +
      '`in_use` for disabling the provider while `ssoEnforced` is true. Several organizations ' +
      'can have the same provider.',
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
  },
  remove: {
    route: 'DELETE /organization/saml',
    summary: 'Delete the identity provider',
    description:
      "Also deletes the provider's links to users, so that a later provider with the same name " +
      'starts without them. Members and their sessions remain. 404 when no provider is set, ' +
      '409 `in_use` while `ssoEnforced` is true.',
    permission: 'organization:write',
    reply: Success,
  },
  detect: {
    route: 'POST /auth/saml/detect',
    summary: 'Check whether an address logs in through an identity provider',
    description:
      'Depends on the domain of the address only: `sso` is true when an organization has ' +
      'verified the domain and has an enabled provider. The reply does not reveal whether the ' +
      'account exists.',
    permission: 'public',
    bucket: 'auth',
    idempotencyKey: false,
    body: Type.Object({ email: Email }),
    reply: Type.Object({ sso: Type.Boolean(), loginUrl: Nullable(Type.String()) }),
  },
  metadata: {
    route: 'GET /auth/saml/{orgSlug}/metadata',
    summary: "Read the service provider's metadata",
    description:
      'XML for the identity provider, with the entity id of this service and the address that ' +
      'receives SAML responses. 404 for an unknown organization, 409 `invalid_state` unless ' +
      'the service has an https address.',
    permission: 'public',
    bucket: 'auth',
    params: SlugParams,
    reply: Type.String(),
    produces: ['application/samlmetadata+xml'],
  },
  login: {
    route: 'GET /auth/saml/{orgSlug}/login',
    status: 302,
    summary: 'Log in through the identity provider',
    description:
      'Redirects the browser to the identity provider with a request that is valid for ten ' +
      'minutes and bound to the browser by a cookie. `next` is a path of this site; default: ' +
      '`/`. 404 when the organization has no enabled provider, 409 `invalid_state` unless the ' +
      'service has an https address.',
    permission: 'public',
    bucket: 'auth',
    params: SlugParams,
    query: Type.Object({ next: Type.Optional(Type.String({ maxLength: 2048 })) }),
    reply: Type.String(),
    produces: ['text/html'],
  },
  consume: {
    route: 'POST /auth/saml/{orgSlug}/acs',
    status: 303,
    summary: 'Receive a SAML response',
    description:
      'For the form of the identity provider. The assertion must be signed with a stored ' +
      'certificate, addressed to this organization, currently valid, unused, and in response ' +
      'to a request of this browser. A first login adds a member with the default role, only ' +
      'for an address in a verified domain of the organization (emits `member.added`). Sets ' +
      'the session cookie and redirects to `RelayState` if it is a path of this site. Every ' +
      'failure is the same 401; the audit log of the organization has the reason ' +
      '(`auth.sso_failed`).',
    permission: 'public',
    bucket: 'auth',
    idempotencyKey: false,
    params: SlugParams,
    bodyType: 'form',
    bodyLimit: SAML_BODY_LIMIT,
    // The fields have no length limits: every invalid message gets the same 401.
    body: Type.Object({
      SAMLResponse: Type.Optional(Type.String({ default: '' })),
      RelayState: Type.Optional(Type.String()),
    }),
    reply: Type.String(),
    produces: ['text/html'],
  },
})
