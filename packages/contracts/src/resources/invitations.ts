/** Invitations: a mailed token that makes a member, once, within seven days. */
import { type Static, Type } from '@sinclair/typebox'
import { listOf, listQuery } from '../listing.ts'
import { operation } from '../operation.ts'
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

export const invitationOperations = {
  list: operation({
    id: 'invitations.list',
    service: 'gateway',
    method: 'GET',
    path: '/organization/invitations',
    status: 200,
    summary: 'List invitations',
    description:
      'Pending, accepted and expired ones; a withdrawn one is gone. The token is in the ' +
      'mail and nowhere else.',
    permission: 'organization:read',
    query: listQuery(['createdAt'], {}),
    reply: listOf(Invitation),
  }),
  create: operation({
    id: 'invitations.create',
    service: 'gateway',
    method: 'POST',
    path: '/organization/invitations',
    status: 201,
    summary: 'Invite somebody by mail',
    description:
      "The mail's link works once, for seven days. 403 for a role with more than the caller " +
      'holds, and for OWNER unless the caller is one. 400 for an address outside ' +
      '`allowedEmailDomains`. 409 `duplicate` for a member or an address with an open ' +
      'invitation, 409 `invalid_state` beyond a thousand open ones.',
    permission: 'organization:write',
    body: Type.Object({
      email: Email,
      role: Type.Optional(Type.String({ ...RoleReference, default: 'MEMBER' })),
    }),
    reply: Invitation,
  }),
  remove: operation({
    id: 'invitations.remove',
    service: 'gateway',
    method: 'DELETE',
    path: '/organization/invitations/{id}',
    status: 200,
    summary: 'Withdraw an invitation',
    description:
      'The link in the mail is worth nothing from then on. 409 `invalid_state` for one that ' +
      'was accepted. 404 for an unknown one.',
    permission: 'organization:write',
    params: IdParams,
    reply: Success,
  }),
}
