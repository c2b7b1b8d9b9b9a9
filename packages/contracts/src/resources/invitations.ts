/** Invitations: a mailed token that adds a member, valid once and for seven days. */
import { type Static, Type } from '@sinclair/typebox'
import { listOf, listQuery } from '../listing.ts'
import { operationsOf } from '../operation.ts'
import { Email, Id, IdParams, OneOf, Success, Timestamp } from '../scalars.ts'
import { RoleReference } from './members.ts'

export const Invitation = Type.Object({
  id: Id,
  email: Type.String(),
  role: Type.String(),
  status: OneOf(['pending', 'accepted', 'expired']),
  expiresAt: Timestamp,
  createdAt: Timestamp,
  updatedAt: Timestamp,
})
export type Invitation = Static<typeof Invitation>

export const invitationOperations = operationsOf('gateway', 'invitations', {
  list: {
    route: 'GET /organization/invitations',
    summary: 'List invitations',
    description:
      'Pending, accepted and expired invitations; withdrawn ones are deleted. The token is ' +
      'only in the mail.',
    permission: 'organization:read',
    query: listQuery(['createdAt'], {}),
    reply: listOf(Invitation),
  },
  create: {
    route: 'POST /organization/invitations',
    status: 201,
    summary: 'Invite a user',
    description:
      'Sends a mail with a link that is valid once, for seven days. 403 for a role with rights ' +
      'that the caller does not have, and for OWNER unless the caller is one. 400 for an ' +
      'address outside `allowedEmailDomains`. 409 `duplicate` for a member or an address with ' +
      'a pending invitation, 409 `invalid_state` for more than 1000 pending invitations.',
    permission: 'organization:write',
    body: Type.Object({
      email: Email,
      role: Type.Optional(Type.String({ ...RoleReference, default: 'MEMBER' })),
    }),
    reply: Invitation,
  },
  resend: {
    route: 'POST /organization/invitations/{id}/resend',
    summary: 'Send an invitation again',
    description:
      'Replaces a pending or expired invitation by a new one for the same address and role, ' +
      'with another id, and sends its mail; the link of the earlier mail becomes invalid. 403 ' +
      'and 400 as for a new invitation. 409 `invalid_state` for an accepted invitation, 404 ' +
      'for an unknown one.',
    permission: 'organization:write',
    params: IdParams,
    reply: Invitation,
  },
  remove: {
    route: 'DELETE /organization/invitations/{id}',
    summary: 'Withdraw an invitation',
    description:
      'The link in the mail becomes invalid. 409 `invalid_state` for an accepted invitation, ' +
      '404 for an unknown one.',
    permission: 'organization:write',
    params: IdParams,
    reply: Success,
  },
})
