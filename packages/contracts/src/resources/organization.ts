/** Organizations: the tenants, with their policies and limits. */
import { type Static, Type } from '@sinclair/typebox'
import { event } from '../event.ts'
import { operationsOf } from '../operation.ts'
import { patchSchemaOf } from '../patch.ts'
import { Id, Nullable, OneLine, Timestamp } from '../scalars.ts'

const PerMinute = Type.Integer({ minimum: 1, maximum: 1000 })

const NotificationLimits = Type.Object({
  perChannel: PerMinute,
  perSubscriber: PerMinute,
  webhookPerSubscriber: PerMinute,
  webhookPerOrganization: PerMinute,
})
export type NotificationLimits = Static<typeof NotificationLimits>

export const defaultNotificationLimits: NotificationLimits = Object.freeze({
  perChannel: 10,
  perSubscriber: 5,
  webhookPerSubscriber: 10,
  webhookPerOrganization: 100,
})

/** Domain name; subdomains do not match. */
const Domain = Type.String({ format: 'domain', maxLength: 253 })

const settings = {
  name: OneLine(100),
  require2FA: Type.Boolean(),
  ssoEnforced: Type.Boolean(),
  allowedEmailDomains: Type.Array(Domain, { maxItems: 100, uniqueItems: true }),
  notificationLimits: Type.Partial(NotificationLimits),
}

/** Pending deletion, which can still be withdrawn. */
const Deletion = Type.Object({
  requestedAt: Timestamp,
  requestedBy: Nullable(Id),
  deletesAt: Timestamp,
})

export const Organization = Type.Object({
  id: Id,
  name: Type.String(),
  slug: Type.String(),
  require2FA: Type.Boolean(),
  ssoEnforced: Type.Boolean(),
  allowedEmailDomains: Type.Array(Type.String()),
  notificationLimits: NotificationLimits,
  deletion: Nullable(Deletion),
  createdAt: Timestamp,
  updatedAt: Timestamp,
})
export type Organization = Static<typeof Organization>

export const organizationOperations = operationsOf('gateway', 'organization', {
  read: {
    route: 'GET /organization',
    summary: 'Read the organization',
    description:
      "Name, policies and notification limits of the caller's organization. `deletion` has the " +
      'time of a pending deletion.',
    permission: 'organization:read',
    reply: Organization,
  },
  update: {
    route: 'PATCH /organization',
    summary: 'Update the organization',
    description:
      'With `require2FA`, sessions without a second factor can only use `/auth/*`; API keys ' +
      'are not affected. `ssoEnforced` requires an enabled identity provider (400); passwords ' +
      'and the sessions that they opened then become invalid, except for an OWNER with a ' +
      'second factor. Ensure that the provider works, or that such an OWNER exists. ' +
      '`allowedEmailDomains` applies to new members only. The slug never changes. Emits ' +
      '`organization.updated`.',
    permission: 'organization:write',
    body: patchSchemaOf(settings, [
      'name',
      'require2FA',
      'ssoEnforced',
      'allowedEmailDomains',
      'notificationLimits',
    ]),
    reply: Organization,
  },
})

const eventData = Type.Object({
  organization: Type.Object({
    id: Id,
    name: Type.String(),
    slug: Type.String(),
    notificationLimits: Type.Optional(NotificationLimits),
  }),
})

export const organizationCreated = event('organization.created', ['gateway'], eventData)
export const organizationUpdated = event('organization.updated', ['gateway'], eventData)
