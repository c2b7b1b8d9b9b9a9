/** Organizations with something of everything, and where the ids of a path are found. */
import {
  componentOperations,
  configurationOperations,
  deliveryOperations,
  fullPath,
  incidentOperations,
  memberOperations,
  type Operation,
  oncallAlertOperations,
  oncallScheduleOperations,
  requirement,
  variableOperations,
} from '@status-page/contracts'
import { eventually } from '@status-page/testing'
import { alertOnce } from './alerts.ts'
import { type Api, pathOf } from './api.ts'
import { apiOperations, bodyOf, requestOf, UNKNOWN_ID } from './samples.ts'

const CREATED = 201

/** One of each thing that can be made, in the order of the contract, a delivery and an alert. */
export const populate = async (api: Api): Promise<void> => {
  for (const operation of apiOperations.filter(makesSomething)) {
    const body = await withOwnIds(api, bodyOf(operation))
    const answer = await api.send('POST', fullPath(operation), requestOf(operation, body))
    if (answer.status !== CREATED) {
      throw new Error(`${operation.id} refused its sample with ${answer.status}: ${answer.text}`)
    }
  }
  await overrideSchedule(api)
  await configure(api)
  await alertOnce(api)
  const incident = {
    title: 'Told to the subscriber and to who is on call',
    impact: 'major',
  } as const
  await api.call(incidentOperations.create, { body: incident })
  const isDelivered = async () =>
    (await api.call(deliveryOperations.list)).meta.total > 0 &&
    (await api.call(oncallAlertOperations.list)).meta.total > 0
  await eventually(isDelivered, { timeoutMs: 30_000 })
}

/** What is made by other methods than POST: a version of the configuration, and a variable. */
const configure = async (api: Api): Promise<void> => {
  const { apply } = configurationOperations
  const applied = await api.send('POST', fullPath(apply), requestOf(apply, bodyOf(apply)))
  if (applied.status !== apply.status) throw new Error(applied.text)
  const body = { value: 'a value' }
  await api.call(variableOperations.set, { params: { name: 'SAMPLE' }, body })
}

const HOUR_MS = 3_600_000

/** An override has to end in the future, which no sample can know. */
const overrideSchedule = async (api: Api): Promise<void> => {
  const [schedule] = (await api.call(oncallScheduleOperations.list)).data
  const [userId] = schedule?.layers[0]?.userIds ?? []
  if (schedule === undefined || userId === undefined) throw new Error('Nobody is on call')
  const [startsAt, endsAt] = [0, HOUR_MS].map((ms) => new Date(Date.now() + ms).toISOString())
  await api.call(oncallScheduleOperations.addOverride, {
    params: { id: schedule.id },
    body: { userId, startsAt: startsAt as string, endsAt: endsAt as string },
  })
}

const makesSomething = (operation: Operation): boolean =>
  operation.method === 'POST' &&
  operation.status === CREATED &&
  operation.params === undefined &&
  requirement(operation) !== null

/** Where the ids are listed that a body cannot do without. */
const listsByField: Readonly<Record<string, Operation>> = {
  componentIds: componentOperations.list,
  userIds: memberOperations.list,
}

/** The sample with the caller's own ids in place of unknown ones. */
const withOwnIds = async (api: Api, value: unknown, field = ''): Promise<unknown> => {
  if (value === UNKNOWN_ID) {
    const list = listsByField[field]
    if (list === undefined) return value
    const item = await firstOf(api, list.path, {})
    return item?.id ?? item?.userId
  }
  if (Array.isArray(value)) {
    return Promise.all(value.map((entry) => withOwnIds(api, entry, field)))
  }
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(async ([name, inner]) => {
    return [name, await withOwnIds(api, inner, name)] as const
  })
  return Object.fromEntries(await Promise.all(entries))
}

type Item = Record<string, string>

/** Parameters of the operation's path that name something of the caller's own. */
export const ownParams = async (api: Api, { path }: Operation): Promise<Item> => {
  const params: Item = {}
  for (const { 0: text, 1: name = '', index } of path.matchAll(/\/\{(\w+)\}/g)) {
    const item = await firstOf(api, path.slice(0, index), params)
    const id = item?.[name] ?? item?.id
    if (id === undefined) throw new Error(`Nothing is listed before ${text} of ${path}`)
    params[name] = id
  }
  return params
}

const firstOf = async (api: Api, collection: string, params: Item): Promise<Item | undefined> => {
  const list = apiOperations.find(({ method, path }) => method === 'GET' && path === collection)
  if (list === undefined) return firstWithin(api, collection, params)
  const { text } = await api.send('GET', pathOf(list, { params } as object))
  // Built-in roles are everybody's.
  return JSON.parse(text).data.find(({ isBuiltIn }: { isBuiltIn?: boolean }) => isBuiltIn !== true)
}

/** Of what has no list of its own but is shown in what it belongs to: overrides, updates. */
const firstWithin = async (
  api: Api,
  collection: string,
  params: Item,
): Promise<Item | undefined> => {
  const cut = collection.lastIndexOf('/')
  const [owner, name] = [collection.slice(0, cut), collection.slice(cut + 1)]
  const read = apiOperations.find(({ method, path }) => method === 'GET' && path === owner)
  if (read === undefined) throw new Error(`Nothing says which ids stand after ${collection}`)
  const input = { params, query: { include: name } } as object
  return JSON.parse((await api.send('GET', pathOf(read, input))).text)[name]?.[0]
}

/** A key's last use, and how a service level stands this minute. */
const volatileFields = /"lastUsedAt":("[^"]*"|null)|"current":\{[^}]*\}/g

/** Everything that the organization can list, as text. */
export const listResources = async (api: Api): Promise<Record<string, string>> => {
  const lists = apiOperations.filter(
    (one) => one.method === 'GET' && one.params === undefined && requirement(one) !== null,
  )
  const entries = lists.map(async (one): Promise<[string, string]> => {
    const { text } = await api.send('GET', `${fullPath(one)}?pageSize=100`)
    return [one.id, text.replaceAll(volatileFields, '')]
  })
  return Object.fromEntries(await Promise.all(entries))
}
