/** Random input gets documented responses only: never a 5xx, never another error format. */
import { request as httpRequest } from 'node:http'
import type { TSchema } from '@sinclair/typebox'
import {
  DEFAULT_BODY_LIMIT,
  type ErrorCode,
  errorCodes,
  fullPath,
  httpStatusOf,
  type Operation,
  organizationOperations,
  rateBucketOf,
  services,
} from '@status-page/contracts'
import t, { type Test } from 'tap'
import { type Api, type ApiResponse, pathOf } from './kit/api.ts'
import { createRandom } from './kit/random.ts'
import { apiOperations, bodyOf, requestOf, sampleOf, UNKNOWN_ID } from './kit/samples.ts'
import { register } from './kit/tenant.ts'
import { errorLogsOf, startWorld } from './kit/world.ts'

const BODIES_PER_OPERATION = 25
/** For operations of which each request hashes a password or starts a process. */
const BODIES_PER_COSTLY_OPERATION = 8
const QUERIES_PER_OPERATION = 10
const MAX_DEPTH = 4

const random = createRandom()
// Shown when the file fails.
console.error(`FUZZ_SEED=${random.seed}`)
const world = await startWorld(t)
const { api, session } = await register(world.api, 'fuzz')
/** Client for the operation; some require a session. */
const callerOf = ({ permission }: Operation) => (permission === 'session' ? session : api)
const pids = () => services.map((name) => world.stack.processes[name].pid)
const pidsBefore = pids()

const nested = (depth: number): unknown => (depth === 0 ? 1 : [nested(depth - 1)])
const oddities: readonly unknown[] = [
  null,
  true,
  false,
  0,
  -1,
  1.5,
  2 ** 53,
  1e308,
  '',
  ' ',
  '0',
  'null',
  [],
  {},
  [null],
  [[]],
  'x'.repeat(300),
  'x'.repeat(30_000),
  '💥'.repeat(300),
  '\u202e\u200b',
  'a\nb',
  '\u0007',
  'text\u0000',
  '\ud800',
  '\udfff\ud800',
  { '\u0000': 1 },
  nested(19),
  nested(40),
  '00000000-0000-0000-0000-000000000000',
  UNKNOWN_ID,
  [UNKNOWN_ID, UNKNOWN_ID],
  '2026-02-30T00:00:00Z',
  '9999-12-31T23:59:59.999Z',
  '-000001-01-01T00:00:00Z',
  'http://127.0.0.1:1',
  'http://user:pass@example.com',
  'javascript:alert(1)',
  'http://[::1',
  "'; DROP TABLE incidents; --",
  '%00',
  '../../etc/passwd',
  '{{7*7}}',
  '<script>',
  { constructor: { prototype: { admin: true } } },
  { toString: 1 },
  { length: 1e9 },
]

/** Ends the test at the first undocumented response. */
const assertDocumented = (
  t: Test,
  what: string,
  { status, headers, text }: ApiResponse,
): boolean => {
  const isJson = headers.get('content-type')?.startsWith('application/json') ?? false
  const error = status >= 400 && isJson ? JSON.parse(text).error : undefined
  const isKnown =
    errorCodes.includes(error?.code) && httpStatusOf(error.code as ErrorCode) === status
  const isError = isKnown && typeof error.message === 'string'
  // HTML pages render errors in their own words.
  const isPage = headers.get('content-type')?.startsWith('text/html') ?? false
  const isRight = status < 400 || (status < 500 && (isError || isPage))
  if (!isRight || headers.get('x-request-id') === null) {
    t.fail(`${what} → ${status} ${text.slice(0, 500)}`)
    return false
  }
  return true
}

/** Name of a variable; variables have no id. */
const UNKNOWN_NAME = 'UNKNOWN'

const paramsOf = (operation: Operation) =>
  Object.fromEntries(
    Object.keys(operation.params?.properties ?? {}).map((name) => [
      name,
      name === 'name' ? UNKNOWN_NAME : UNKNOWN_ID,
    ]),
  )

const send = (operation: Operation, request: RequestInit = {}, search = '') =>
  callerOf(operation).send(
    operation.method,
    `${pathOf(operation, { params: paramsOf(operation) } as object)}${search}`,
    request,
  )

/** Paths of all fields of a body. */
const fieldPathsIn = (schema: TSchema, depth = 0): string[][] => {
  if (depth === MAX_DEPTH) return []
  const members: TSchema[] = schema.oneOf ?? schema.anyOf ?? []
  const properties: Record<string, TSchema> = schema.properties ?? {}
  return [
    ...members.flatMap((member) => fieldPathsIn(member, depth)),
    ...Object.entries(properties).flatMap(([name, member]) => [
      [name],
      ...fieldPathsIn(member, depth + 1).map((rest) => [name, ...rest]),
    ]),
    ...(schema.items === undefined
      ? []
      : fieldPathsIn(schema.items, depth + 1).map((rest) => ['0', ...rest])),
  ]
}

const placed = (body: unknown, [name, ...rest]: string[], value: unknown): unknown => {
  if (name === undefined) return value
  const inner = (body as Record<string, unknown> | undefined)?.[name]
  if (name === '0') return [placed(inner, rest, value)]
  return { ...(body as object), [name]: placed(inner, rest, value) }
}

/** Valid bodies with one unusual value each. */
const oddBodies = (operation: Operation, schema: TSchema): unknown[] => {
  const variants: TSchema[] = schema.oneOf ?? [schema]
  const bases = [bodyOf(operation), ...variants.map(sampleOf)]
  const places = [[], ...variants.flatMap((variant) => fieldPathsIn(variant))]
  const startsProcess = ['yaml', 'multipart'].includes(operation.bodyType ?? 'json')
  const isCostly = rateBucketOf(operation) === 'auth' || startsProcess
  const count = isCostly ? BODIES_PER_COSTLY_OPERATION : BODIES_PER_OPERATION
  return Array.from({ length: count }, () =>
    placed(random.pick(bases), random.pick(places), random.pick(oddities)),
  )
}

t.test('unusual values in any field of a body', async (t) => {
  let sent = 0
  for (const operation of apiOperations) {
    if (operation.body === undefined || operation.bodyType === 'form') continue
    for (const body of oddBodies(operation, operation.body)) {
      const response = await send(operation, requestOf(operation, body))
      if (!assertDocumented(t, `${operation.id} ${JSON.stringify(body).slice(0, 500)}`, response))
        break
      sent++
    }
  }
  t.ok(sent > 0, `${sent} bodies`)
  // Otherwise the session, which has no second factor, may only set one up.
  await api.call(organizationOperations.update, { body: { require2FA: false } })
})

t.test('unusual and repeated query parameters', async (t) => {
  let sent = 0
  const odd = oddities.map((value) => (typeof value === 'string' ? value : JSON.stringify(value)))
  const encoded = [...odd.map((text) => encodeURIComponent(text.toWellFormed())), '%ff', '%', '+']
  for (const operation of apiOperations) {
    const names = Object.keys(operation.query?.properties ?? {})
    if (names.length === 0) continue
    for (let index = 0; index < QUERIES_PER_OPERATION; index++) {
      const pairs = Array.from({ length: 1 + random.below(3) }, () => {
        const name = random.pick([...names, 'unknown', '__proto__'])
        return `${name}=${random.pick(encoded).slice(0, 2000)}`
      })
      const search = `?${pairs.join('&')}`
      if (!assertDocumented(t, `${operation.id} ${search}`, await send(operation, {}, search)))
        break
      sent++
    }
  }
  const list = apiOperations.find(({ id }) => id === 'components.list') as Operation
  t.equal((await send(list, {}, '?page=1&page=1')).status, 400, 'a repeated parameter is 400')
  t.equal(
    (await send(list, {}, '?unknown=1&unknown=2')).status,
    200,
    'an unknown parameter is ignored',
  )
  t.ok(sent > 0, `${sent} queries`)
})

/**
 * Statuses that precede the check of the id. Single sign-on requires https, which this stack lacks,
 * and rejects every request without details; addresses are confirmed in a session; former paths of
 * feeds redirect without a lookup, so that they reveal no page.
 */
const refusedBefore: Record<string, number[]> = {
  'account-pages.confirmEmail': [303],
  'account-pages.submitConfirmEmail': [303],
  'pages.statuspageAtom': [301],
  'pages.statuspageRss': [301],
  'saml.metadata': [409],
  'saml.login': [409],
  'saml.consume': [401],
}

t.test('unusual ids in any path', async (t) => {
  const ids = ['%00', '%ff', '%', '%2e%2e', '..%2f..', 'x'.repeat(2000), '%F0%9F%92%A5', "'--", '*']
  for (const operation of apiOperations.filter(({ params }) => params !== undefined)) {
    for (const id of random.some(ids, 3)) {
      const path = fullPath(operation).replaceAll(/\{\w+\}/g, id)
      const response = await raw(operation.method, path, callerOf(operation))
      assertDocumented(t, `${operation.method} ${path}`, response)
      const unsigned = operation.permission === 'signature' ? [401] : []
      const expected = [400, 404, ...unsigned, ...(refusedBefore[operation.id] ?? [])]
      t.ok(expected.includes(response.status), `${operation.id} ${id} → ${response.status}`)
    }
  }
})

const json = { 'content-type': 'application/json' }
const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`
const malformed: [string, number, RequestInit][] = [
  ['broken JSON', 400, { headers: json, body: '{"title":' }],
  ['JSON that is no object', 400, { headers: json, body: '"text"' }],
  ['a key __proto__', 400, { headers: json, body: '{"title":"x","__proto__":{"a":1}}' }],
  ['constructor.prototype', 400, { headers: json, body: '{"constructor":{"prototype":{}}}' }],
  ['nesting', 400, { headers: json, body: `{"title":${deep}}` }],
  ['no UTF-8', 400, { headers: json, body: Buffer.from('{"title":"\xff"}', 'latin1') }],
  ['U+0000', 400, { headers: json, body: '{"title":"a\\u0000b"}' }],
  ['a lone surrogate', 400, { headers: json, body: '{"title":"\\ud800"}' }],
  ['a type of no operation', 415, { headers: { 'content-type': 'text/plain' }, body: 'x' }],
  ['a type that is none', 415, { headers: { 'content-type': ';;;' }, body: '{}' }],
  [
    'another charset',
    415,
    { headers: { 'content-type': `${json['content-type']}; charset=utf-16` }, body: '{}' },
  ],
  ['a Content-Encoding', 415, { headers: { ...json, 'content-encoding': 'gzip' }, body: '{}' }],
]

t.test('unreadable bodies are 400, 413 or 415 for every operation', async (t) => {
  for (const operation of apiOperations) {
    if (operation.body === undefined || (operation.bodyType ?? 'json') !== 'json') continue
    for (const [name, status, request] of malformed) {
      const response = await send(operation, request)
      assertDocumented(t, `${operation.id}: ${name}`, response)
      t.equal(response.status, status, `${operation.id}: ${name}`)
    }
    const tooLarge = 'x'.repeat((operation.bodyLimit ?? DEFAULT_BODY_LIMIT) + 1)
    const response = await send(operation, { headers: json, body: `{"title":"${tooLarge}"}` })
    t.equal(response.status, 413, `${operation.id}: too large`)
  }
})

/**
 * Returns whether a path matches the operation. `/components/bulk` has an operation of its own and
 * matches `/components/{id}` for other methods.
 */
const matchesPath = (operation: Operation, path: string): boolean =>
  new RegExp(`^${fullPath(operation).replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path)

t.test('unknown paths are 404, other methods of known paths are 405', async (t) => {
  const unknown = [
    '/',
    '/api',
    '/api/v1',
    '/api/v2/components',
    '/api/v1/nothing',
    '//',
    '/api/v1//',
  ]
  for (const path of [...unknown, '/%', '/internal/targets/recent', '/api/v1/__proto__']) {
    const response = await raw('GET', path)
    assertDocumented(t, path, response)
    t.equal(response.status, 404, path)
  }
  const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']
  for (const path of new Set(apiOperations.map(fullPath))) {
    const known = apiOperations
      .filter((candidate) => fullPath(candidate) === path)
      .map(({ method }) => method)
    const real = path.replaceAll(/\{\w+\}/g, UNKNOWN_ID)
    const served = apiOperations
      .filter((candidate) => matchesPath(candidate, real))
      .map((candidate) => candidate.method as string)
    for (const method of methods.filter((candidate) => !served.includes(candidate))) {
      const response = await raw(method, real)
      assertDocumented(t, `${method} ${path}`, response)
      t.equal(response.status, 405, `${method} ${path}`)
      for (const candidate of known)
        t.match(response.headers.get('allow'), candidate, `${path} allows ${candidate}`)
    }
  }
})

t.test('no service has exited or logged an error', async (t) => {
  t.same(pids(), pidsBefore)
  t.same(errorLogsOf(world), [])
})

/** Sends the path as is; `fetch` would normalize it. */
function raw(method: string, path: string, by: Api = api): Promise<ApiResponse> {
  const { hostname, port } = new URL(world.stack.baseUrl)
  const { promise, resolve, reject } = Promise.withResolvers<ApiResponse>()
  const clientRequest = httpRequest(
    { hostname, port, method, path, headers: by.headers },
    async (response) => {
      const chunks: Buffer[] = await response.toArray()
      const headers = new Headers()
      for (const [name, value] of Object.entries(response.headers)) headers.set(name, String(value))
      resolve({ status: response.statusCode ?? 0, headers, text: Buffer.concat(chunks).toString() })
    },
  )
  clientRequest.on('error', reject).end()
  return promise
}
