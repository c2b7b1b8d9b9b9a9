/** Every operation of the contract requires its own permission and no other. */
import {
  fullPath,
  type Operation,
  operations,
  type Permission,
  permissions,
  requirementOfOperation,
} from '@status-page/contracts'
import t from 'tap'
import { type Api, pathOf } from './kit/api.ts'
import { apiOperations, bodyOf, requestOf, UNKNOWN_ID } from './kit/samples.ts'
import { clientWithKey, register } from './kit/tenant.ts'
import { startWorld } from './kit/world.ts'

const world = await startWorld(t)
const { session, api } = await register(world.api, 'permissions')
const needsNoCredential = ({ permission }: Operation) =>
  permission === 'public' || permission === 'signature'

const sendSample = (by: Api, operation: Operation) => {
  const names = Object.keys(operation.params?.properties ?? {})
  const params = Object.fromEntries(names.map((name) => [name, UNKNOWN_ID]))
  const path = pathOf(operation, { params } as object)
  return by.send(operation.method, path, requestOf(operation, bodyOf(operation)))
}

const keys = new Map<string, Promise<Api>>()
const keyHolding = (held: readonly Permission[]): Promise<Api> => {
  const known = keys.get(held.join()) ?? clientWithKey(world.api, session, held)
  keys.set(held.join(), known)
  return known
}

t.test('without a valid credential every operation that is not public is 401', async (t) => {
  const strangers: Record<string, Record<string, string>> = {
    'no credential': {},
    'an unknown key': { authorization: `Bearer sk_live_${'A'.repeat(43)}` },
    'a malformed key': { authorization: 'Bearer nonsense' },
    'an unknown session': { cookie: `session=${'A'.repeat(43)}` },
  }
  for (const operation of apiOperations.filter((candidate) => !needsNoCredential(candidate))) {
    for (const [name, headers] of Object.entries(strangers)) {
      const {
        status,
        text,
        headers: responseHeaders,
      } = await sendSample(world.api.with(headers), operation)
      t.equal(status, 401, `${operation.id} with ${name}`)
      t.equal(JSON.parse(text).error?.code, 'UNAUTHORIZED', operation.id)
      t.equal(responseHeaders.get('www-authenticate'), 'Bearer', operation.id)
    }
  }
})

t.test('every other permission is 403, and the error names the missing one', async (t) => {
  for (const operation of apiOperations) {
    const needed = requirementOfOperation(operation)
    if (needed === null) continue
    const write = needed.permission.replace(/:read$/, ':write')
    const others = permissions.filter(
      (candidate) => candidate !== needed.permission && candidate !== write,
    )
    const { status, text } = await sendSample(await keyHolding(others), operation)
    t.equal(status, 403, operation.id)
    t.same(JSON.parse(text), {
      error: {
        code: 'FORBIDDEN',
        message: `Missing permission: ${needed.permission}`,
        details: { permission: needed.permission, rolePermission: needed.right },
      },
    })
  }
})

/** Operations with an additional 403 for a key that grants permissions that it does not have. */
const grantsRights = new Set(['api-keys.create', 'invitations.create', 'roles.create'])
/**
 * Operations with an additional 403, which names the missing permissions: a sync changes what its
 * repository changes, and sample data are resources of several kinds.
 */
const delegatesRights = new Set([
  'git-sync.create',
  'git-sync.update',
  'sample-data.load',
  'sample-data.remove',
])

t.test('the permission of an operation is sufficient', async (t) => {
  for (const operation of apiOperations) {
    const needed = requirementOfOperation(operation)
    if (needed === null) continue
    const { status, text } = await sendSample(await keyHolding([needed.permission]), operation)
    const reason = text.startsWith('{') ? (JSON.parse(text).error?.message ?? '') : ''
    if (!grantsRights.has(operation.id) && !delegatesRights.has(operation.id)) {
      t.not(status, 403, `${operation.id}: ${reason}`)
    }
    t.not(status, 401, operation.id)
    t.ok(status < 500, `${operation.id}: ${status}`)
  }
})

t.test('write includes read', async (t) => {
  for (const operation of apiOperations) {
    const needed = requirementOfOperation(operation)
    if (needed === null || !needed.permission.endsWith(':read')) continue
    const write = needed.permission.replace(/:read$/, ':write') as Permission
    if (!permissions.includes(write)) continue
    t.not((await sendSample(await keyHolding([write]), operation)).status, 403, operation.id)
  }
})

t.test('operations that require a login session reject a key with all permissions', async (t) => {
  for (const operation of apiOperations.filter(({ permission }) => permission === 'session')) {
    const { status, text } = await sendSample(api, operation)
    t.equal(status, 403, operation.id)
    t.equal(JSON.parse(text).error?.details?.reason, 'session_required', operation.id)
  }
  for (const operation of apiOperations.filter(({ permission }) => permission === 'caller')) {
    t.equal(
      (await sendSample(api, operation)).status,
      operation.status,
      `${operation.id} with a key`,
    )
    t.equal(
      (await sendSample(session, operation)).status,
      operation.status,
      `${operation.id} by cookie`,
    )
  }
})

t.test('the gateway does not route internal operations', async (t) => {
  const internal = operations.filter((candidate) => !apiOperations.includes(candidate))
  for (const operation of internal) {
    for (const by of [world.api, api, session]) {
      t.equal((await sendSample(by, operation)).status, 404, operation.id)
    }
  }
})

t.test('a service rejects requests without a caller token', async (t) => {
  for (const operation of operations.filter(({ service }) => service !== 'gateway')) {
    const { origin } = world.stack.processes[operation.service]
    const path = fullPath(operation).replaceAll(/\{\w+\}/g, UNKNOWN_ID)
    const response = await fetch(`${origin}${path}`, { method: operation.method })
    await response.text()
    t.equal(response.status, 401, operation.id)
  }
})
