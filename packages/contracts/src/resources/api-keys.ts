/** API keys: secrets with their own permissions; returned once, stored as a hash. */
import { type Static, Type } from '@sinclair/typebox'
import { listOf, listQuery } from '../listing.ts'
import { operationsOf } from '../operation.ts'
import { permissions } from '../permission.ts'
import {
  Id,
  IdParams,
  Nullable,
  OneLine,
  OneOf,
  OneTimeSecret,
  Success,
  Timestamp,
} from '../scalars.ts'

export const NewApiKey = Type.Object({
  name: OneLine(100),
  permissions: Type.Array(OneOf(permissions), {
    minItems: 1,
    maxItems: permissions.length,
    uniqueItems: true,
  }),
  expiresAt: Type.Optional(Nullable(Timestamp)),
})
export type NewApiKey = Static<typeof NewApiKey>

export const ApiKey = Type.Object({
  id: Id,
  name: Type.String(),
  key: OneTimeSecret('The whole key in the response that creates it, masked everywhere else'),
  permissions: Type.Array(OneOf(permissions)),
  expiresAt: Nullable(Timestamp),
  lastUsedAt: Nullable(Timestamp),
  createdBy: Nullable(Id),
  disabledAt: Nullable(Timestamp),
  createdAt: Timestamp,
  updatedAt: Timestamp,
})
export type ApiKey = Static<typeof ApiKey>

export const apiKeyOperations = operationsOf('gateway', 'api-keys', {
  list: {
    route: 'GET /api-keys',
    summary: 'List API keys',
    description:
      'Keys are masked except for the last four characters. `disabledAt` is set when the user ' +
      'who created the key has lost the rights that it needs.',
    permission: 'organization:read',
    query: listQuery(['createdAt', 'name', 'lastUsedAt', 'expiresAt'], {}),
    reply: listOf(ApiKey),
  },
  create: {
    route: 'POST /api-keys',
    status: 201,
    summary: 'Create an API key',
    description:
      'Only this response contains the whole key; the service stores a hash. 403 for a ' +
      'permission that the caller does not have. `expiresAt` must be in the future.',
    permission: 'organization:write',
    idempotencyKey: false,
    body: NewApiKey,
    reply: ApiKey,
  },
  remove: {
    route: 'DELETE /api-keys/{id}',
    summary: 'Revoke an API key',
    description: 'The next request with the key is 401, on every replica. 404 for an unknown key.',
    permission: 'organization:write',
    params: IdParams,
    reply: Success,
  },
})
