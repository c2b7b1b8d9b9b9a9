/** Variables: values of `${NAME}` in a configuration document; encrypted and never returned. */
import { type Static, Type } from '@sinclair/typebox'
import { listOf, listQuery, Search } from '../listing.ts'
import { operation } from '../operation.ts'
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

export const variableOperations = {
  list: operation({
    id: 'variables.list',
    service: 'config-sync',
    method: 'GET',
    path: '/config/variables',
    status: 200,
    summary: 'List variables',
    description: 'Names only. `search` applies to names.',
    permission: 'config:read',
    query: listQuery(['name', 'createdAt', 'updatedAt'], { search: Search }),
    reply: listOf(Variable),
  }),
  read: operation({
    id: 'variables.read',
    service: 'config-sync',
    method: 'GET',
    path: '/config/variables/{name}',
    status: 200,
    summary: 'Read a variable',
    permission: 'config:read',
    params: NameParams,
    reply: Variable,
  }),
  set: operation({
    id: 'variables.set',
    service: 'config-sync',
    method: 'PUT',
    path: '/config/variables/{name}',
    status: 200,
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
  }),
  remove: operation({
    id: 'variables.remove',
    service: 'config-sync',
    method: 'DELETE',
    path: '/config/variables/{name}',
    status: 200,
    summary: 'Delete a variable',
    description: 'Applied resources remain; the deletion takes effect at the next apply.',
    permission: 'config:write',
    params: NameParams,
    reply: Success,
  }),
}
