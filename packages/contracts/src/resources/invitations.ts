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
    permission: 'organization:write',
    params: IdParams,
    reply: Success,
  }),
}
