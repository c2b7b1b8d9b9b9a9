/** Replies have the JSON text of their values, by serialisers without validators where possible. */
import { type TSchema, Type } from '@sinclair/typebox'
import Fastify from 'fastify'
import t from 'tap'
import type { Serialise } from './long-lists.ts'
import { serialiserOf } from './serialisers.ts'

const Nullable = (schema: TSchema) => Type.Union([schema, Type.Null()])
const State = Type.Union([Type.Literal('open'), Type.Literal('closed'), Type.Literal(1)])
const Entry = Type.Object({ id: Type.String(), state: State })
const schema = Type.Object({
  at: Nullable(Type.String({ format: 'date-time' })),
  text: Nullable(Type.String()),
  count: Nullable(Type.Integer()),
  state: State,
  lastState: Nullable(State),
  entry: Nullable(Entry),
  entries: Type.Array(Nullable(Entry)),
})

const values = [
  {
    at: '2026-01-01T00:00:00.000Z',
    text: '"',
    count: 0,
    state: 'open',
    lastState: 1,
    entry: { id: '1', state: 'closed' },
    entries: [{ id: '2', state: 1 }, null],
  },
  {
    at: null,
    text: null,
    count: null,
    state: 'closed',
    lastState: null,
    entry: null,
    entries: [],
  },
]

const serialise = async (of: TSchema, value: unknown) => {
  const fastify = Fastify()
  fastify.get('/', (_request, reply) => {
    const write = serialiserOf(of, (flat) => reply.compileSerializationSchema(flat, '200'))
    return reply.serializer((text) => text).send(write(value as Record<string, unknown>))
  })
  return (await fastify.inject('/')).json()
}

t.test('nullable fields and unions of constants have their values', async (t) => {
  for (const value of values) t.same(await serialise(schema, value), value)
})

t.test('a union of objects has the fields of the branch that matches', async (t) => {
  const union = Type.Object({
    target: Type.Union([
      Type.Object({ kind: Type.Literal('a'), url: Type.String() }),
      Type.Object({ kind: Type.Literal('b'), host: Nullable(Type.String()) }),
    ]),
  })
  for (const target of [
    { kind: 'a', url: 'u' },
    { kind: 'b', host: 'h' },
  ]) {
    t.same(await serialise(union, { target }), { target })
  }
})

t.test('a nullable union of objects has its values', async (t) => {
  const url = Type.Object({ url: Type.String(), state: Nullable(State) })
  const host = Type.Object({ host: Type.String(), port: Nullable(Type.Integer()) })
  const target = Type.Object({ target: Nullable(Type.Union([url, host])) })
  const targets = [{ url: 'u', state: null }, { url: 'u', state: 1 }, { host: 'h', port: 1 }, null]
  for (const value of targets) t.same(await serialise(target, { target: value }), { target: value })
})

t.test('no nullable field and no union of constants is validated', async (t) => {
  let compiled = ''
  serialiserOf(Type.Array(schema), (flat) => {
    compiled = JSON.stringify(flat)
    return JSON.stringify
  })
  t.notMatch(compiled, 'anyOf')
  t.match(compiled, '"nullable":true')
})

t.test('operations with the same schema share a serialiser', async (t) => {
  const shared = Type.Object({ id: Type.String() })
  const first: Serialise = () => 'first'
  const all = [first, () => 'second'].map((write) => serialiserOf(shared, () => write))
  t.same(all, [first, first])
})
