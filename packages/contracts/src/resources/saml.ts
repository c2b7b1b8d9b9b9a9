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
