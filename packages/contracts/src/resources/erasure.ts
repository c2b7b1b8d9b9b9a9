/**
 * Erasure of organizations, accounts and addresses in every service, and the receipt of each
 * service.
 */
import { Type } from '@sinclair/typebox'
import { event } from '../event.ts'
import { operationsOf, services } from '../operation.ts'
import { Email, Id, OneOf, Success } from '../scalars.ts'
import { EnteredPassword } from './auth.ts'
import { Organization } from './organization.ts'

/**
 * Emitted when an organization is deleted: its data is no longer served or written, and each
 * service deletes its rows.
 */
export const organizationDeleted = event(
  'organization.deleted',
  ['gateway'],
  Type.Object({ organizationId: Id }),
)

/** Receipt of one service: its rows of the organization are deleted. */
export const erasureCompleted = event(
  'erasure.completed',
  services,
  Type.Object({
    organizationId: Id,
    service: OneOf(services),
    deletedRows: Type.Integer({ minimum: 0 }),
  }),
)

/** Proof of identity: a code when the account has a second factor, its password otherwise. */
export const IdentityProof = Type.Object({
  password: Type.Optional(EnteredPassword),
  code: Type.Optional(Type.String({ maxLength: 32, writeOnly: true })),
})

export const organizationDeletionOperations = operationsOf('gateway', 'organization', {
  remove: {
    route: 'DELETE /organization',
    status: 202,
    summary: 'Delete the organization',
    description:
      'Requires the role OWNER (403 `owner_required`) and the `code` of the second factor, or ' +
      'the `password` of an account without one (400 names the wrong field; 403 ' +
      '`credential_required` for an account without either). The deletion starts after seven ' +
      'days; until then nothing changes, `deletion` of `GET /organization` has its time, and ' +
      '`POST /organization/restore` withdraws it. Then all credentials become invalid, and ' +
      'every service deletes its data: resources, subscribers, deliveries, audit log, files ' +
      'and caches, and accounts without another organization. The other owners receive a mail. ' +
      'A repeated request changes nothing. Audited as `organization.delete`.',
    permission: 'session',
    bucket: 'auth',
    idempotencyKey: false,
    body: IdentityProof,
    reply: Organization,
  },
  restore: {
    route: 'POST /organization/restore',
    summary: 'Withdraw the deletion of the organization',
    description:
      'Requires the role OWNER (403 `owner_required`). 409 `invalid_state` when no deletion is ' +
      'pending or it has started. The other owners receive a mail. Audited as ' +
      '`organization.update`.',
    permission: 'session',
    idempotencyKey: false,
    reply: Organization,
  },
})

/**
 * Maximum number of subscribers that one call erases; an address has at most one subscriber per
 * page.
 */
const MAX_ERASED = 1_000

export const subscriberErasureOperations = operationsOf('core', 'subscribers', {
  erase: {
    route: 'POST /subscribers/erase',
    summary: 'Erase an e-mail address',
    description:
      'Deletes every subscriber with the address, on all pages, and their pending deliveries; ' +
      'removes the address from the delivery log, stored events, stored replies and the audit ' +
      'log. A keyed hash remains, so that imports skip the address. `subscribers` is the ' +
      'number of deleted subscribers, 0 for an unknown address. Copies in the event transport ' +
      'expire within 72 hours. Emits `subscriber.erased`. Audited as `subscriber.delete`.',
    permission: 'subscribers:write',
    action: 'DELETE',
    idempotencyKey: false,
    body: Type.Object({ email: Email }),
    reply: Type.Object({ success: Type.Literal(true), subscribers: Type.Integer() }),
  },
})

/** The address is encrypted: purpose `erased-address`, record = the event's aggregate. */
export const subscriberErased = event(
  'subscriber.erased',
  ['core'],
  Type.Object({
    subscriberIds: Type.Array(Id, { maxItems: MAX_ERASED }),
    sealedAddress: Type.String(),
  }),
)

export const accountErasureOperations = operationsOf('gateway', 'auth', {
  removeAccount: {
    route: 'DELETE /auth/me',
    summary: "Delete the user's account",
    description:
      'Requires the `code` of the second factor, or the `password` of an account without one ' +
      '(400 names the wrong field). 409 `last_owner` while the user is the only OWNER of an ' +
      'organization with other members; an organization without other members is deleted at ' +
      'once. The account, its sessions, second factor and identities are deleted when the ' +
      'request returns; API keys that the account created are disabled. Audit entries retain ' +
      "the account's id and lose name, e-mail address and IP address within a minute. Copies " +
      'in the event transport expire within 72 hours. Emits `member.removed` and ' +
      '`account.erased` in each remaining organization.',
    permission: 'session',
    bucket: 'auth',
    idempotencyKey: false,
    body: IdentityProof,
    reply: Success,
  },
  exportAccount: {
    route: 'GET /auth/me/export',
    summary: "Export the data of the user's account",
    description:
      'One JSON file with the account, its memberships, sessions, second factor and API keys, ' +
      'and its audit entries in all its organizations. Passwords, secrets and hashes are ' +
      'omitted.',
    permission: 'session',
    bucket: 'auth',
    reply: Type.Object({
      account: Type.Record(Type.String(), Type.Unknown()),
      memberships: Type.Array(Type.Record(Type.String(), Type.Unknown())),
      sessions: Type.Array(Type.Record(Type.String(), Type.Unknown())),
      twoFactor: Type.Unknown(),
      apiKeys: Type.Array(Type.Record(Type.String(), Type.Unknown())),
      auditEntries: Type.Array(Type.Record(Type.String(), Type.Unknown())),
    }),
  },
})

/** Emitted when an account is deleted; the counterpart of `subscriber.erased`. */
export const accountErased = event(
  'account.erased',
  ['gateway'],
  Type.Object({ userId: Id, sealedAddress: Type.String() }),
)

export const organizationExportOperations = operationsOf('gateway', 'organization', {
  export: {
    route: 'GET /organization/export',
    summary: 'Export the organization as NDJSON',
    description:
      'Requires the role OWNER (403 `owner_required`). One line per resource with `kind` and ' +
      '`data`: members, audit log, components with their status history, uptime and response ' +
      'times, incidents with their updates and postmortem, subscribers, deliveries, names of ' +
      'variables, Git sync and versions of the configuration. `parentId` is the component or ' +
      'integration of a dependent line. The last line is the configuration document, or null ' +
      'when the configuration exceeds the limits of a document. Secrets are omitted. The file ' +
      'is streamed; it is complete only if it ends with the line of kind `configuration`.',
    permission: 'session',
    bucket: 'auth',
    reply: Type.String(),
    produces: ['application/x-ndjson'],
  },
})
