/** Variables: values of `${NAME}` in a configuration document; encrypted and never returned. */
import { type Static, Type } from '@sinclair/typebox'
import { listOf, listQuery, Search } from '../listing.ts'
import { operationsOf } from '../operation.ts'
import { Success, Timestamp } from '../scalars.ts'

export const VARIABLE_PATTERN = '^[A-Z][A-Z0-9_]{0,63}$'

const Name = Type.String({ pattern: VARIABLE_PATTERN })
const NameParams = Type.Object({ name: Name })

export const MAX_VARIABLES = 500

export const Variable = Type.Object({
  name: Type.String(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
})
export type Variable = Static<typeof Variable>

export const variableOperations = operationsOf('config-sync', 'variables', {
  list: {
    route: 'GET /config/variables',
    summary: 'List variables',
    description: 'Names only. `search` applies to names.',
    permission: 'config:read',
    query: listQuery(['name', 'createdAt', 'updatedAt'], { search: Search }),
    reply: listOf(Variable),
  },
  read: {
    route: 'GET /config/variables/{name}',
    summary: 'Read a variable',
    permission: 'config:read',
    params: NameParams,
    reply: Variable,
  },
  set: {
    route: 'PUT /config/variables/{name}',
    summary: 'Set a variable',
    description:
      'The value is stored encrypted and never returned; it takes effect at the next apply. At ' +
      `most ${MAX_VARIABLES} per organization (400).`,
    permission: 'config:write',
    params: NameParams,
    body: Type.Object({
      value: Type.Unsafe<string>({
        ...Type.String({ minLength: 1, maxLength: 4096 }),
        secret: true,
      }),
    }),
    reply: Variable,
  },
  remove: {
    route: 'DELETE /config/variables/{name}',
    summary: 'Delete a variable',
    description: 'Applied resources remain; the deletion takes effect at the next apply.',
    permission: 'config:write',
    params: NameParams,
    reply: Success,
  },
})
