/** Roles: eight that everybody has, and an organization's own. */
import { type Static, Type } from '@sinclair/typebox'
import { listOf, listQuery } from '../listing.ts'
import { operation } from '../operation.ts'
import { patchOf } from '../patch.ts'
import { rights } from '../permission.ts'
import { LongText, Nullable, OneLine, OneOf, Success, Timestamp } from '../scalars.ts'

/** Built-in roles have their name for an id. */
const RoleParams = Type.Object({ id: Type.String({ minLength: 1, maxLength: 64 }) })

const fields = {
  name: OneLine(50),
  description: Nullable(LongText(500)),
  permissions: Type.Array(OneOf(rights), {
    minItems: 1,
    maxItems: rights.length,
    uniqueItems: true,
  }),
}

export const Role = Type.Object({
  id: Type.String(),
  name: Type.String(),
  description: Nullable(Type.String()),
  permissions: Type.Array(OneOf(rights)),
  isBuiltIn: Type.Boolean(),
  memberCount: Type.Integer(),
  createdAt: Nullable(Timestamp),
  updatedAt: Nullable(Timestamp),
})
export type Role = Static<typeof Role>

export const roleOperations = {
  list: operation({
    id: 'roles.list',
    service: 'gateway',
    method: 'GET',
    path: '/organization/roles',
    status: 200,
    summary: 'List roles, the built-in ones too',
    description:
      "The eight built-in roles, whose id is their name, and the organization's own. " +
      '`memberCount` counts members, not invitations.',
    permission: 'organization:read',
    query: listQuery(['name', 'createdAt', 'updatedAt'], {}),
    reply: listOf(Role),
  }),
  create: operation({
    id: 'roles.create',
    service: 'gateway',
    method: 'POST',
    path: '/organization/roles',
    status: 201,
    summary: 'Make a role; it can hold no more than its maker',
    description:
      'Every right implies VIEW of the same resource. 403 for rights that the maker does ' +
      'not hold. 409 `duplicate` for a name that is taken, built-in ones included, 409 ' +
      '`invalid_state` beyond a hundred roles.',
    permission: 'organization:write',
    body: Type.Object({
      name: fields.name,
      description: Type.Optional(fields.description),
      permissions: fields.permissions,
    }),
    reply: Role,
  }),
  read: operation({
    id: 'roles.read',
    service: 'gateway',
    method: 'GET',
    path: '/organization/roles/{id}',
    status: 200,
    summary: 'Read a role',
    description:
      "A built-in role by its name, one of the organization's own by its id. 404 for " + 'neither.',
    permission: 'organization:read',
    params: RoleParams,
    reply: Role,
  }),
  update: operation({
    id: 'roles.update',
    service: 'gateway',
    method: 'PATCH',
    path: '/organization/roles/{id}',
    status: 200,
    summary: 'Change a custom role',
    description:
      'What the role loses its holders lose with their next request, their sessions get new ' +
      'tokens, and keys and invitations that go beyond are withdrawn. 403 for added rights ' +
      'that the caller does not hold. 409 `invalid_state` for a built-in role, `duplicate` ' +
      'for a name that is taken.',
    permission: 'organization:write',
    params: RoleParams,
    body: patchOf(fields, ['name', 'permissions']),
    reply: Role,
  }),
  remove: operation({
    id: 'roles.remove',
    service: 'gateway',
    method: 'DELETE',
    path: '/organization/roles/{id}',
    status: 200,
    summary: 'Delete a custom role that nobody has',
    description:
      '409 `in_use` while a member, an open invitation or the identity provider has it, 409 ' +
      '`invalid_state` for a built-in role.',
    permission: 'organization:write',
    params: RoleParams,
    reply: Success,
  }),
}
