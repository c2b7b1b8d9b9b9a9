/** Invariants of the whole contract, independent of its resources. */
import t from 'tap'
import {
  builtInRoles,
  callingServicesOf,
  errorCodes,
  events,
  fieldsOf,
  fullPath,
  grantsCover,
  grantsMeet,
  httpStatusOf,
  isInternal,
  nounOfKind,
  type Operation,
  operations,
  permissions,
  rateBucketOf,
  requirementOfOperation,
  requirementOfRight,
  rights,
  rightsOfRole,
  secretFieldsOf,
  services,
  takesIdempotencyKey,
} from './index.ts'
import * as resources from './resources/index.ts'

const repeated = (values: readonly string[]) =>
  values.filter((value, index) => values.indexOf(value) !== index)

t.test('no two operations share an id or a method and path', async (t) => {
  t.same(repeated(operations.map(({ id }) => id)), [])
  const addresses = operations.map(
    (operation) => `${operation.method} ${fullPath(operation).replace(/\{\w+\}/g, '*')}`,
  )
  t.same(repeated(addresses), [])
})

t.test('every group of operations of the resources is listed', async (t) => {
  const listed = new Set(operations)
  const groups = Object.entries<unknown>(resources).filter(([name]) => /Operations$/.test(name))
  const missing = groups.filter(([, group]) =>
    Object.values(group as Record<string, Operation>).some((operation) => !listed.has(operation)),
  )
  t.same(
    missing.map(([name]) => name),
    [],
  )
  t.ok(groups.length > 0)
})

t.test('no two events share a kind, and each has a producer', async (t) => {
  t.same(repeated(events.map(({ kind }) => kind)), [])
  for (const { kind, producers } of events) {
    t.match(kind, /^[a-z-]+\.[a-z-]+$/, `${kind} is <noun>.<verb>`)
    t.ok(producers.length > 0, `${kind} has a producer`)
  }
})

t.test('only monitor, audit, canary and erasure have more than one producer', async (t) => {
  const shared = events
    .filter(({ producers }) => producers.length > 1)
    .map(({ kind }) => nounOfKind(kind))
  t.same([...new Set(shared)].sort(), ['audit', 'canary', 'erasure', 'monitor'])
})

t.test('a path and its params schema have the same parameters', async (t) => {
  for (const operation of operations) {
    const named = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
    t.same(Object.keys(operation.params?.properties ?? {}), named, operation.id)
  }
})

t.test('read operations require :read, write operations :write', async (t) => {
  for (const operation of operations) {
    const needed = requirementOfOperation(operation)
    if (needed === null) continue
    const reads = operation.method === 'GET' || operation.action === 'VIEW'
    t.equal(needed.permission.endsWith(reads ? ':read' : ':write'), true, operation.id)
    t.ok(permissions.includes(needed.permission), operation.id)
    t.ok(rights.includes(needed.right), operation.id)
  }
})

t.test('only the gateway calls public paths, and services call internal paths only', async (t) => {
  for (const operation of operations) {
    t.ok(isInternal(operation) || callingServicesOf(operation).join() === 'gateway', operation.id)
    for (const caller of callingServicesOf(operation)) t.ok(services.includes(caller), operation.id)
  }
})

t.test('a public operation is never in the endpoint bucket', async (t) => {
  for (const operation of operations.filter(({ permission }) => permission === 'public')) {
    t.not(rateBucketOf(operation), 'endpoint', operation.id)
  }
})

t.test('every error code has an error status', async (t) => {
  for (const code of errorCodes) t.ok(httpStatusOf(code) >= 400 && httpStatusOf(code) < 600, code)
})

t.test('a key with :write can read; a key with :read cannot write', async (t) => {
  const read = { permission: 'components:read', right: 'COMPONENTS_VIEW' } as const
  const write = { permission: 'components:write', right: 'COMPONENTS_CREATE' } as const
  t.ok(grantsMeet({ kind: 'key', permissions: ['components:write'] }, read))
  t.notOk(grantsMeet({ kind: 'key', permissions: ['components:read'] }, write))
  t.notOk(grantsMeet({ kind: 'key', permissions: ['incidents:write'] }, read))
})

t.test('each right of a role implies VIEW of its resource and no other action', async (t) => {
  const grants = { kind: 'session', rights: ['COMPONENTS_CREATE'] } as const
  t.ok(grantsMeet(grants, { permission: 'components:read', right: 'COMPONENTS_VIEW' }))
  t.notOk(grantsMeet(grants, { permission: 'components:write', right: 'COMPONENTS_DELETE' }))
})

t.test('the requirement of a right has that right and a known permission', async (t) => {
  for (const right of rights) {
    const needed = requirementOfRight(right)
    t.equal(needed.right, right)
    t.ok(permissions.includes(needed.permission), needed.permission)
    t.ok(grantsMeet({ kind: 'session', rights: [right] }, needed))
    t.ok(grantsMeet({ kind: 'key', permissions: [needed.permission] }, needed))
  }
})

t.test('built-in roles have the rights of the specified matrix', async (t) => {
  const count = (role: (typeof builtInRoles)[number]) => rightsOfRole(role).length
  t.same(builtInRoles.map(count), [45, 45, 27, 10, 18, 13, 14, 10])
  t.notOk(rightsOfRole('MEMBER').includes('AUDIT_VIEW'))
  t.ok(rightsOfRole('SUBSCRIBER_MANAGER').includes('SUBSCRIBERS_DELETE'))
  t.notOk(rightsOfRole('STATUS_EDITOR').includes('INCIDENTS_DELETE'))
})

t.test('an operation without a permission is checked by its own rule', async (t) => {
  const operation = operations.find(({ permission }) => permission === 'public') as Operation
  t.equal(requirementOfOperation(operation), null)
  t.ok(grantsCover({ kind: 'anonymous' }, operation))
})

/** Names of fields that contain a credential, except for `noSecrets`. */
const SECRET_NAME = /secret|token|password|passphrase|credential|backupCodes|otpauth|qrCode|key$/i

/** Fields with such a name that never contain a credential in a reply. */
const noSecrets: readonly RegExp[] = [
  // Values of these fields are the redaction marker, a flag or a name.
  /^(?:data\[\]\.)?config\./,
  /(?:^|\.)has[A-Z]\w+$/,
  /(?:^|\.)dedupKey$/,
  // The value of a TXT record is public in DNS.
  /(?:^|\.)customDomainToken$/,
]

const fieldPaths = (schema: Operation['reply'], path = ''): [string, boolean][] =>
  fieldsOf(schema, path).flatMap((field) => [
    [field.path, field.schema.secret === true] as [string, boolean],
    ...fieldPaths(field.schema, field.path),
  ])

t.test('every reply field that is named like a secret is marked as a secret', async (t) => {
  const unmarked = operations
    .filter((operation) => !isInternal(operation) && operation.method !== 'GET')
    .flatMap((operation) =>
      fieldPaths(operation.reply)
        .filter(([path]) => SECRET_NAME.test(path.split('.').at(-1) ?? ''))
        .filter(([path, isSecret]) => !isSecret && !noSecrets.some((name) => name.test(path)))
        .filter(
          ([path]) => !secretFieldsOf(operation.reply).some((secret) => secret.startsWith(path)),
        )
        .map(([path]) => `${operation.id} ${path}`),
    )
  t.same(unmarked, [])
})

t.test('no reply with a secret is stored for an Idempotency-Key', async (t) => {
  const shown = operations.filter(({ reply }) => secretFieldsOf(reply).length > 0)
  t.same(shown.filter(takesIdempotencyKey), [])
  const ids = new Set(shown.map(({ id }) => id))
  for (const id of [
    'git-sync.create',
    'git-sync.rotateSecret',
    'alert-intakes.rotateToken',
    'api-keys.create',
    'two-factor.setUp',
    'two-factor.verify',
    'two-factor.renewBackupCodes',
    'subscriptions.confirm',
  ]) {
    t.ok(ids.has(id), id)
  }
})
