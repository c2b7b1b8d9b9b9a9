/** Members: the users of an organization, with their roles. */
import { type Static, Type } from '@sinclair/typebox'
import { event } from '../event.ts'
import { listOf, listQuery, Search } from '../listing.ts'
import { operationsOf } from '../operation.ts'
import { Id, Nullable, Timestamp } from '../scalars.ts'

const MemberParams = Type.Object({ userId: Id })

/** Name of a built-in role, or id of a custom role. */
export const RoleReference = Type.String({ minLength: 1, maxLength: 64 })

export const Member = Type.Object({
  userId: Id,
  email: Type.String(),
  name: Type.String(),
  role: Type.String({ description: 'Name of a built-in role, or id of a custom role' }),
  roleName: Type.String(),
  twoFactorEnabled: Type.Boolean(),
  lastLoginAt: Nullable(Timestamp),
  createdAt: Timestamp,
  updatedAt: Timestamp,
})
export type Member = Static<typeof Member>

/**
 * Member who takes over the API keys of the changed member; otherwise the keys are limited to that
 * member's rights.
 */
const transferKeysTo = Type.Optional(Id)

export const memberOperations = operationsOf('gateway', 'members', {
  list: {
    route: 'GET /organization/members',
    summary: 'List members',
    description:
      'All members with role, second factor and last login. `search` applies to names and ' +
      'e-mail addresses.',
    permission: 'organization:read',
    query: listQuery(['name', 'email', 'role', 'createdAt'], {
      search: Search,
      role: Type.Optional(RoleReference),
    }),
    reply: listOf(Member),
  },
  update: {
    route: 'PATCH /organization/members/{userId}',
    summary: 'Update a member',
    description:
      "Changes the member's role. The member's sessions get new tokens; pending invitations by " +
      'the member with rights beyond the new role are withdrawn, and such API keys are ' +
      'disabled, unless `transferKeysTo` names a member with these rights. 403 for a role with ' +
      'rights that the caller does not have; 403 `owner_required` for granting or revoking ' +
      'OWNER unless the caller is one. 409 `last_owner` for the last OWNER. Emits ' +
      '`member.updated`.',
    permission: 'organization:write',
    params: MemberParams,
    body: Type.Object({ role: Type.Optional(RoleReference), transferKeysTo }),
    reply: Member,
  },
  remove: {
    route: 'DELETE /organization/members/{userId}',
    summary: 'Remove a member',
    description:
      "The member's sessions in the organization end, and API keys that the member created are " +
      'disabled, unless `transferKeysTo` names a member with their rights; the reply counts ' +
      'them. The account remains. 403 `owner_required` for an OWNER unless the caller is one. ' +
      '409 `last_owner` for the last OWNER. Emits `member.removed`.',
    permission: 'organization:write',
    params: MemberParams,
    query: Type.Object({ transferKeysTo }),
    reply: Type.Object({ success: Type.Literal(true), disabledApiKeys: Type.Integer() }),
  },
})

const eventData = Type.Object({
  member: Type.Object({
    userId: Id,
    email: Type.String(),
    name: Type.String(),
    role: Type.String(),
  }),
})

export const memberAdded = event('member.added', ['gateway'], eventData)
export const memberUpdated = event('member.updated', ['gateway'], eventData)
export const memberRemoved = event('member.removed', ['gateway'], eventData)
