/** Roles: eight built-in ones, and custom roles of an organization. */
import { type Static, Type } from '@sinclair/typebox'
import { listOf, listQuery } from '../listing.ts'
import { operationsOf } from '../operation.ts'
import { patchSchemaOf } from '../patch.ts'
import { rights } from '../permission.ts'
import { LongText, Nullable, OneLine, OneOf, Success, Timestamp } from '../scalars.ts'

/** Id of a role; the id of a built-in role is its name. */
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

export const roleOperations = operationsOf('gateway', 'roles', {
  list: {
    route: 'GET /organization/roles',
    summary: 'List roles',
    description:
      'The eight built-in roles, whose id is their name, and the custom roles of the ' +
      'organization. `memberCount` does not include invitations.',
    permission: 'organization:read',
    query: listQuery(['name', 'createdAt', 'updatedAt'], {}),
    reply: listOf(Role),
  },
  create: {
    route: 'POST /organization/roles',
    status: 201,
    summary: 'Create a custom role',
    description:
      'Every right implies VIEW of the same resource. 403 for rights that the caller does not ' +
      'have. 409 `duplicate` for the name of an existing or built-in role, 409 `invalid_state` ' +
      'for more than 100 custom roles.',
    permission: 'organization:write',
    body: Type.Object({
      name: fields.name,
      description: Type.Optional(fields.description),
      permissions: fields.permissions,
    }),
    reply: Role,
  },
  read: {
    route: 'GET /organization/roles/{id}',
    summary: 'Read a role',
    description: 'A built-in role by its name, a custom role by its id. 404 for an unknown one.',
    permission: 'organization:read',
    params: RoleParams,
    reply: Role,
  },
  update: {
    route: 'PATCH /organization/roles/{id}',
    summary: 'Update a custom role',
    description:
      "Removed rights are refused from the next request on; sessions of the role's members get " +
      'new tokens, and their API keys and invitations with rights beyond the role are disabled ' +
      'or withdrawn. 403 for added rights that the caller does not have. 409 `invalid_state` ' +
      'for a built-in role, 409 `duplicate` for the name of another role.',
    permission: 'organization:write',
    params: RoleParams,
    body: patchSchemaOf(fields, ['name', 'permissions']),
    reply: Role,
  },
  remove: {
    route: 'DELETE /organization/roles/{id}',
    summary: 'Delete a custom role',
    description:
      '409 `in_use` while a member, a pending invitation or the identity provider has the ' +
      'role, 409 `invalid_state` for a built-in role.',
    permission: 'organization:write',
    params: RoleParams,
    reply: Success,
  },
})
