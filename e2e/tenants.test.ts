/**
 * Isolation of two organizations for every operation of the contract: resources of the other
 * organization do not exist.
 */
import type { TSchema } from '@sinclair/typebox'
import { fullPath, type Operation, requirementOfOperation } from '@status-page/contracts'
import t from 'tap'
import { type Api, type ApiResponse, pathOf } from './kit/api.ts'
import { waitUntilIdle } from './kit/delivery-ledger.ts'
import { listResources, ownParams, populate } from './kit/population.ts'
import { apiOperations, bodyOf, requestOf, UNKNOWN_ID } from './kit/samples.ts'
import { register } from './kit/tenant.ts'
import { startWorld } from './kit/world.ts'

const world = await startWorld(t)
const ours = await register(world.api, 'ours')
const theirs = await register(world.api, 'theirs')
await Promise.all([populate(ours.api), populate(theirs.api)])
await waitUntilIdle(world)

const guarded = apiOperations.filter((operation) => requirementOfOperation(operation) !== null)
/** Variables are identified by a name; each organization has its own variable of that name. */
const isVariableOperation = ({ path }: Operation) => path.startsWith('/config/variables/')
const withIds = guarded.filter(
  (candidate) => candidate.params !== undefined && !isVariableOperation(candidate),
)
const idsIn = (text: string) => text.match(/[0-9a-f]{8}-[0-9a-f-]{27}/g) ?? []

const sendSample = (api: Api, operation: Operation, params: Record<string, string>) =>
  api.send(
    operation.method,
    pathOf(operation, { params } as object),
    requestOf(operation, bodyOf(operation)),
  )

/** The response without the parts that differ between any two requests. */
const comparable = ({ status, headers, text }: ApiResponse) => ({
  status,
  text,
  headers: [...headers].filter(
    ([name]) => !['x-request-id', 'date'].includes(name) && !name.startsWith('x-ratelimit-'),
  ),
})

t.test('a foreign id in a path gets the same 404 as an unknown and a malformed id', async (t) => {
  const before = await listResources(theirs.api)
  for (const operation of withIds) {
    const foreign = await ownParams(theirs.api, operation)
    const names = Object.keys(foreign)
    const named = (id: string) => Object.fromEntries(names.map((name) => [name, id]))
    const response = comparable(await sendSample(ours.api, operation, foreign))
    t.equal(response.status, 404, operation.id)
    t.same(
      response,
      comparable(await sendSample(ours.api, operation, named(UNKNOWN_ID))),
      operation.id,
    )
    t.same(
      response,
      comparable(await sendSample(ours.api, operation, named('no-id'))),
      operation.id,
    )
  }
  t.same(
    await listResources(theirs.api),
    before,
    'no resource of the other organization has changed',
  )
})

t.test('no list contains an id of the other organization', async (t) => {
  const [own, foreign] = [await listResources(ours.api), await listResources(theirs.api)]
  t.notSame(idsIn(Object.values(own).join()), [])
  const theirIds = new Set(idsIn(Object.values(foreign).join()))
  const leaked = (text: string) => idsIn(text).filter((id) => theirIds.has(id))
  for (const [id, text] of Object.entries(own)) t.same(leaked(text), [], id)
})

t.test('a foreign id as a filter matches nothing', async (t) => {
  const [foreign = UNKNOWN_ID] = idsIn((await listResources(theirs.api))['components.list'] ?? '')
  for (const operation of guarded.filter(({ params }) => params === undefined)) {
    for (const name of idFields(operation.query)) {
      const response = await ours.api.send('GET', `${fullPath(operation)}?${name}=${foreign}`)
      t.equal(response.status, 200, `${operation.id} ${name}`)
      t.same(JSON.parse(response.text).data, [], `${operation.id} ${name}`)
    }
  }
})

t.test('a foreign id in a body gets the same 400 as an unknown id, or is ignored', async (t) => {
  const before = await listResources(theirs.api)
  const [foreign = UNKNOWN_ID] = idsIn(before['components.list'] ?? '')
  for (const operation of guarded.filter(({ body }) => body !== undefined)) {
    const params = operation.params === undefined ? {} : await ownParams(ours.api, operation)
    const path = pathOf(operation, { params } as object)
    const give = async (field: string, schema: TSchema, id: string) => {
      const body = { ...(bodyOf(operation) as object), [field]: holding(schema, id) }
      const response = await ours.api.send(operation.method, path, requestOf(operation, body))
      const text = response.text.replaceAll(id, 'the id')
      return {
        status: response.status,
        text,
        isIgnored: response.status < 300 && text === response.text,
      }
    }
    for (const [field, schema] of idProperties(operation.body)) {
      const response = await give(field, schema, foreign)
      // The field belongs to another component type.
      if (response.isIgnored) continue
      t.equal(response.status, 400, `${operation.id} ${field}`)
      t.match(
        JSON.parse(response.text).error?.details?.field,
        field,
        `${operation.id} names the field`,
      )
      t.same(response, await give(field, schema, UNKNOWN_ID), `${operation.id}: like an unknown id`)
    }
  }
  t.same(
    await listResources(theirs.api),
    before,
    'no resource of the other organization has changed',
  )
})

/** Properties that contain an id, directly, in a list or as keys of a map. */
function idProperties(schema: TSchema | undefined): [string, TSchema][] {
  const [first] = (schema?.oneOf as TSchema[] | undefined) ?? []
  const properties: Record<string, TSchema> = (first ?? schema)?.properties ?? {}
  return Object.entries(properties).filter(([, field]) => holding(field, UNKNOWN_ID) !== undefined)
}

function idFields(schema: TSchema | undefined): string[] {
  return idProperties(schema).map(([name]) => name)
}

function holding(schema: TSchema, id: string): unknown {
  if (schema.format === 'uuid') return id
  if (schema.type === 'array') {
    const item = holding(schema.items, id)
    return item === undefined ? undefined : [item]
  }
  const [member] = ((schema.anyOf ?? []) as TSchema[]).filter(({ type }) => type !== 'null')
  if (member !== undefined) return holding(member, id)
  const [keys, values] = Object.entries<TSchema>(schema.patternProperties ?? {})[0] ?? []
  const isMapOfIds = keys !== undefined && keys !== '^(.*)$' && new RegExp(keys).test(id)
  return isMapOfIds ? { [id]: values?.enum?.[0] } : undefined
}
