/** Deletion of an organization in every service, and the receipt that each service gives. */
import { Type } from '@sinclair/typebox'
import { event } from '../event.ts'
import { operation, services } from '../operation.ts'
import { Email, Id, OneOf, Success } from '../scalars.ts'
import { EnteredPassword } from './auth.ts'
import { Organization } from './organization.ts'

/** From now on nothing of the organization is served or written; each service deletes its rows. */
export const organizationDeleted = event({
  kind: 'organization.deleted',
  producers: ['gateway'],
  selectableBy: 'none',
  data: Type.Object({ organizationId: Id }),
})

/** The receipt of one service: it holds nothing of the organization any more. */
export const erasureCompleted = event({
  kind: 'erasure.completed',
  producers: services,
  selectableBy: 'none',
  data: Type.Object({
    organizationId: Id,
    service: OneOf(services),
    deletedRows: Type.Integer({ minimum: 0 }),
  }),
})

/** The second factor where the account has one, its password otherwise. */
export const Proof = Type.Object({
  password: Type.Optional(EnteredPassword),
  code: Type.Optional(Type.String({ maxLength: 32, writeOnly: true })),
})

export const organizationDeletionOperations = {
  remove: operation({
    id: 'organization.remove',
    service: 'gateway',
    method: 'DELETE',
    path: '/organization',
    status: 202,
    summary: 'Delete the organization, in seven days',
    description:
      'For an OWNER (else 403 `owner_required`), who proves to be there: `code` of the second ' +
      'factor, or `password` where the account has none (400 names the wrong one; 403 ' +
      '`credential_required` for an account without either). Nothing changes for seven days, in ' +
      'which `POST /organization/restore` takes the deletion back; `deletion` of ' +
      '`GET /organization` says when they end. Then credentials stop working, and every service ' +
      'deletes what it holds: resources, subscribers, deliveries, audit log, files and caches, ' +
      'and accounts that belong to no other organization. The other owners get a mail. A repeat ' +
      'changes nothing. Audited as ' +
      '`organization.delete`.',
    permission: 'session',
    bucket: 'auth',
    idempotencyKey: false,
    body: Proof,
    reply: Organization,
  }),
  restore: operation({
    id: 'organization.restore',
    service: 'gateway',
    method: 'POST',
    path: '/organization/restore',
    status: 200,
    summary: 'Take the deletion of the organization back',
    description:
      'For an OWNER (else 403 `owner_required`). 409 `invalid_state` where no deletion was asked ' +
      'for, or where it has begun. The other owners get a mail. Audited as `organization.update`.',
    permission: 'session',
    idempotencyKey: false,
    reply: Organization,
  }),
}

/** Subscribers and addresses that one call erases at most; one address has a subscriber a page. */
const MAX_ERASED = 1_000

export const subscriberErasureOperations = {
  erase: operation({
    id: 'subscribers.erase',
    service: 'core',
    method: 'POST',
    path: '/subscribers/erase',
    status: 200,
    summary: 'Remove a mail address everywhere in the organization',
    description:
      'Deletes every subscriber with the address, on every page, and what waits for it; removes ' +
      'the address from deliveries, their log, stored events and answers, and from the audit log. ' +
      'A keyed hash is left, by which an import skips the address from then on. `subscribers` ' +
      'counts what was deleted; an unknown address is 0 and no error. Copies in the transport ' +
      'of events expire within 72 hours. Event: `subscriber.erased`. Audited as ' +
      '`subscriber.delete`.',
    permission: 'subscribers:write',
    action: 'DELETE',
    idempotencyKey: false,
    body: Type.Object({ email: Email }),
    reply: Type.Object({ success: Type.Literal(true), subscribers: Type.Integer() }),
  }),
}

/** The address travels sealed: purpose `erased-address`, record = the event's aggregate. */
export const subscriberErased = event({
  kind: 'subscriber.erased',
  producers: ['core'],
  selectableBy: 'none',
  data: Type.Object({
    subscriberIds: Type.Array(Id, { maxItems: MAX_ERASED }),
    sealedAddress: Type.String(),
  }),
})

export const accountErasureOperations = {
  remove: operation({
    id: 'auth.removeAccount',
    service: 'gateway',
    method: 'DELETE',
    path: '/auth/me',
    status: 200,
    summary: 'Delete the own account',
    description:
      'Asks for the `code` of the second factor, or for the `password` where the account has none ' +
      '(400 names the wrong one). 409 `last_owner` while the caller is the only OWNER of an ' +
      'organization with other members; an organization without other members is deleted at ' +
      'once. Account, sessions, second factor and identities are gone with the answer; API keys ' +
      'that the account made are disabled. Audit entries keep its id, and lose name, mail and IP ' +
      'address within a minute. Copies in the transport of events expire within 72 hours. ' +
      'Events: `member.removed` and `account.erased` in every organization that stays.',
    permission: 'session',
    bucket: 'auth',
    idempotencyKey: false,
    body: Proof,
    reply: Success,
  }),
  export: operation({
    id: 'auth.exportAccount',
    service: 'gateway',
    method: 'GET',
    path: '/auth/me/export',
    status: 200,
    summary: 'Export what is stored about the own account',
    description:
      'Account, memberships, sessions, second factor, API keys and the audit entries of the ' +
      'account in all its organizations, as one JSON file. Passwords, secrets and hashes are ' +
      'left out.',
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
  }),
}

/** As `subscriber.erased`, of an account that was deleted. */
export const accountErased = event({
  kind: 'account.erased',
  producers: ['gateway'],
  selectableBy: 'none',
  data: Type.Object({ userId: Id, sealedAddress: Type.String() }),
})

export const organizationExportOperations = {
  export: operation({
    id: 'organization.export',
    service: 'gateway',
    method: 'GET',
    path: '/organization/export',
    status: 200,
    summary: 'Export the organization as NDJSON',
    description:
      'For an OWNER (else 403 `owner_required`). One line per resource: `kind` and `data`, from ' +
      'members and the audit log to components with their status history, uptime and response ' +
      'times, incidents with their updates and postmortem, subscribers, deliveries, variables by ' +
      'name, Git sync and versions of the configuration; `parentId` names the component or ' +
      'integration of a line below it. Last the configuration document, null where there is more ' +
      'than one can hold. Secrets are left out. The file is streamed; one that ends without the ' +
      'line of kind `configuration` or in the middle of a line was cut off.',
    permission: 'session',
    bucket: 'auth',
    reply: Type.String(),
    produces: ['application/x-ndjson'],
  }),
}
