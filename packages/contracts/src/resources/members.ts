/** Members: people of an organization, with their role and where account mail reaches them. */
import { type Static, Type } from '@sinclair/typebox'
import { event } from '../event.ts'
import { listOf, listQuery, Search } from '../listing.ts'
import { operation } from '../operation.ts'
import { Id, Nullable, Timestamp } from '../scalars.ts'

const MemberParams = Type.Object({ userId: Id })

/** A built-in name, or the id of a custom role. */
export const RoleReference = Type.String({ minLength: 1, maxLength: 64 })

export const Member = Type.Object({
  userId: Id,
  email: Type.String(),
  name: Type.String(),
  role: Type.String({ description: 'A built-in name, or the id of a custom role' }),
  roleName: Type.String(),
  twoFactorEnabled: Type.Boolean(),
  lastLoginAt: Nullable(Timestamp),
  createdAt: Timestamp,
  updatedAt: Timestamp,
})
export type Member = Static<typeof Member>

/** Keys that the member made follow the member's rights, unless somebody else takes them over. */
const transferKeysTo = Type.Optional(Id)

export const memberOperations = {
  list: operation({
    id: 'members.list',
    service: 'gateway',
    method: 'GET',
    path: '/organization/members',
    status: 200,
    summary: 'List members',
    description:
      'Everybody of the organization, with role, second factor and last login. `search` ' +
      'looks in names and addresses.',
    permission: 'organization:read',
    query: listQuery(['name', 'email', 'role', 'createdAt'], {
      search: Search,
      role: Type.Optional(RoleReference),
    }),
    reply: listOf(Member),
  }),
  update: operation({
    id: 'members.update',
    service: 'gateway',
    method: 'PATCH',
    path: '/organization/members/{userId}',
    status: 200,
    summary: "Change a member's role",
    description:
      "The member's sessions get new tokens; keys that go beyond the new role are disabled, " +
      'unless `transferKeysTo` names somebody who holds as much, and open invitations that ' +
      'do are withdrawn. Nobody gives more than they hold (403), and only an OWNER gives or ' +
      'takes OWNER (403 `owner_required`). 409 `last_owner` for the last one. Emits ' +
      '`member.updated`.',
    permission: 'organization:write',
    params: MemberParams,
    body: Type.Object({ role: Type.Optional(RoleReference), transferKeysTo }),
    reply: Member,
  }),
  remove: operation({
    id: 'members.remove',
    service: 'gateway',
    method: 'DELETE',
    path: '/organization/members/{userId}',
    status: 200,
    summary: 'Remove a member; the sessions end',
    description:
      'Their sessions end; keys that they made are disabled, unless `transferKeysTo` names ' +
      'somebody who holds as much: the answer counts them. The account stays, as it may ' +
      'belong elsewhere. 403 `owner_required` for an OWNER unless the caller is one. 409 ' +
      '`last_owner` for the last one. Emits `member.removed`.',
    permission: 'organization:write',
    params: MemberParams,
    query: Type.Object({ transferKeysTo }),
    reply: Type.Object({ success: Type.Literal(true), disabledApiKeys: Type.Integer() }),
  }),
}

const eventData = Type.Object({
  member: Type.Object({
    userId: Id,
    email: Type.String(),
    name: Type.String(),
    role: Type.String(),
  }),
})

export const memberAdded = event({
  kind: 'member.added',
  producers: ['gateway'],
  selectableBy: 'none',
  data: eventData,
})
export const memberUpdated = event({
  kind: 'member.updated',
  producers: ['gateway'],
  selectableBy: 'none',
  data: eventData,
})
export const memberRemoved = event({
  kind: 'member.removed',
  producers: ['gateway'],
  selectableBy: 'none',
  data: eventData,
})
