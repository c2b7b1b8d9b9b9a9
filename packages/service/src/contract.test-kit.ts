/** Small contract and an app that serves it, for the tests of this package. */
import { generateKeyPairSync } from 'node:crypto'
import { Type } from '@sinclair/typebox'
import {
  Email,
  HttpUrl,
  Id,
  IdParams,
  includeParameter,
  LongText,
  listOf,
  listQuery,
  Nullable,
  OneLine,
  OneOf,
  operation,
  Phone,
  Search,
  type ServiceName,
  TaggedUnion,
  TimeRange,
  Timestamp,
  TimeZone,
} from '@status-page/contracts'
import type { Database } from '@status-page/postgres'
import { type Caller, createRoutes, type Handlers, rawReply } from './call.ts'
import { callerSigner, callerVerifier } from './caller.ts'
import { type ServeOptions, serve } from './serve.ts'

const Condition = Type.Object({
  kind: OneOf(['STATUS', 'HEADER']),
  target: Type.String({ minLength: 1, maxLength: 8 }),
})

const common = {
  name: OneLine(10),
  note: Type.Optional(Nullable(LongText(100))),
  size: Type.Optional(Type.Integer({ minimum: 1, maximum: 5, default: 3 })),
}

export const NewThing = TaggedUnion('type', [
  Type.Object({ type: Type.Literal('PLAIN'), ...common }),
  Type.Object({
    type: Type.Literal('LINKED'),
    ...common,
    url: HttpUrl,
    at: Type.Optional(Nullable(Timestamp)),
    email: Type.Optional(Email),
    phone: Type.Optional(Phone),
    zone: Type.Optional(TimeZone),
    parentId: Type.Optional(Nullable(Id)),
    headers: Type.Optional(Type.Record(Type.String(), Type.String(), { maxProperties: 2 })),
    conditions: Type.Optional(Type.Array(Condition, { maxItems: 3 })),
  }),
])

const Echo = Type.Object({ got: Type.Unknown() })
const base = { service: 'core', reply: Echo, status: 200, summary: 'For tests' } as const

export const thingOperations = {
  list: operation({
    ...base,
    id: 'things.list',
    method: 'GET',
    path: '/things',
    permission: 'components:read',
    query: listQuery(['name', 'createdAt'], {
      parentId: Type.Optional(Id),
      isOpen: Type.Optional(Type.Boolean()),
      search: Search,
      ...TimeRange,
      include: includeParameter(['parts', 'owner']),
    }),
  }),
  create: operation({
    ...base,
    id: 'things.create',
    method: 'POST',
    path: '/things',
    status: 201,
    permission: 'components:write',
    body: NewThing,
  }),
  read: operation({
    ...base,
    id: 'things.read',
    method: 'GET',
    path: '/things/{id}',
    permission: 'components:read',
    params: IdParams,
    reply: Type.Object({
      id: Id,
      at: Nullable(Timestamp),
      count: Type.Integer(),
      inner: Type.Object({ shown: Type.String() }),
    }),
  }),
  touch: operation({
    ...base,
    id: 'things.touch',
    method: 'POST',
    path: '/things/{id}/touch',
    permission: 'components:write',
    action: 'UPDATE',
    params: IdParams,
  }),
  form: operation({
    ...base,
    id: 'things.form',
    method: 'POST',
    path: '/things/form',
    permission: 'public',
    body: Type.Object({ 'List-Unsubscribe': Type.Optional(Type.String()) }),
    bodyType: 'form',
  }),
  upload: operation({
    ...base,
    id: 'things.upload',
    method: 'POST',
    path: '/things/upload',
    permission: 'components:write',
    bodyType: 'multipart',
    bodyLimit: 2048,
  }),
  page: operation({
    ...base,
    id: 'things.page',
    method: 'GET',
    path: '/things/page',
    base: 'root',
    permission: 'public',
    reply: Type.String(),
    produces: ['text/html'],
  }),
  session: operation({
    ...base,
    id: 'things.session',
    method: 'POST',
    path: '/session',
    permission: 'session',
  }),
  foreign: operation({
    ...base,
    id: 'things.foreign',
    method: 'POST',
    path: '/internal/things',
    base: 'root',
    permission: 'caller',
    callers: ['config-sync'],
  }),
  list2: operation({
    ...base,
    id: 'things.parts',
    method: 'GET',
    path: '/parts',
    permission: 'public',
    reply: listOf(Type.Object({ id: Type.String() })),
  }),
}

export const THING_ID = '01890000-0000-7000-8000-000000000001'
export const ORGANIZATION_ID = '01890000-0000-7000-8000-0000000000aa'

/** Arguments of the handler calls, newest last. */
export interface HandledCalls {
  calls: { id: string; body: unknown; query: unknown; ifMatch: number | null }[]
}

export const recordingHandlers = (seen: HandledCalls): Handlers<typeof thingOperations> => {
  const echo = async (call: {
    operation: { id: string }
    body: unknown
    query: unknown
    ifMatch: number | null
  }) => {
    const { operation, body, query, ifMatch } = call
    seen.calls.push({ id: operation.id, body, query, ifMatch })
    return { got: { body: body ?? null, query: query ?? null, ifMatch } }
  }
  return {
    list: echo,
    create: echo,
    touch: echo,
    session: echo,
    foreign: echo,
    form: echo,
    async read(call) {
      if (call.params.id !== THING_ID) throw new Error('postgres://user:secret@host is broken')
      const at = new Date(0) as unknown as string
      const inner = { shown: 'yes', hidden: 'no' }
      return { id: THING_ID, at, count: 1, inner, secret: 'hidden' }
    },
    async upload(call) {
      const got: unknown[] = []
      for await (const part of call.parts()) {
        if (part.kind === 'field') got.push([part.name, part.value])
        else if (part.name === 'file') got.push((await Array.fromAsync(part.content)).join(''))
      }
      return { got }
    },
    page: async (call) => {
      call.setHeader('Cache-Control', 'public, max-age=5')
      call.addCookie('one=1; Path=/')
      call.addCookie('two=2; Path=/')
      return rawReply({ contentType: 'text/html; charset=utf-8', body: Buffer.from('<p>hi</p>') })
    },
    list2: async () => ({ data: [{ id: '1' }], meta: { total: 1, page: 1, pageSize: 20 } }),
  }
}

export const gatewayKeys = generateKeyPairSync('ed25519')
export const syncKeys = generateKeyPairSync('ed25519')
export const publicKeys = { gateway: gatewayKeys.publicKey, 'config-sync': syncKeys.publicKey }

/** Database that fails on any use; most tests of the HTTP layer need none. */
const noDatabase = new Proxy({} as Database, {
  get: (_target, name) => {
    throw new Error(`the database was asked for ${String(name)}`)
  },
})

export const keyCaller = (...permissions: string[]): Caller => ({
  organizationId: ORGANIZATION_ID,
  actor: { type: 'api_key', userId: null, apiKeyId: THING_ID },
  grants: { kind: 'key', permissions },
})

export const signCaller = (caller: Caller, issuer: ServiceName = 'gateway'): string =>
  callerSigner({
    issuer,
    privateKey: issuer === 'gateway' ? gatewayKeys.privateKey : syncKeys.privateKey,
  }).sign(caller, 'core')

interface Test {
  teardown(work: () => Promise<unknown>): unknown
}

export const testApp = (t: Test, options: Partial<ServeOptions> = {}) => {
  const seen: HandledCalls = { calls: [] }
  const app = serve({
    service: 'core',
    routes: createRoutes(thingOperations, recordingHandlers(seen)),
    database: noDatabase,
    verifier: callerVerifier({ audience: 'core', publicKeys }),
    ...options,
  })
  t.teardown(() => app.close())
  return { app, seen }
}

export const writerCaller = keyCaller('components:write')
/** Signed for each use: a token is valid for a minute, and files of one process share this module. */
export const writerHeaders = {
  get 'x-caller'() {
    return signCaller(writerCaller)
  },
}
