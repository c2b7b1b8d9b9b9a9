/** Organizations with one resource of each kind, and the lists that contain the ids for a path. */
import { randomBytes } from 'node:crypto'
import {
  agentOperations,
  componentOperations,
  configurationOperations,
  deliveryOperations,
  fullPath,
  incidentOperations,
  locationOperations,
  memberOperations,
  type Operation,
  oncallAlertOperations,
  oncallScheduleOperations,
  requirementOfOperation,
  variableOperations,
} from '@status-page/contracts'
import { eventually } from '@status-page/testing'
import { sendAlert } from './alerts.ts'
import { type Api, pathOf } from './api.ts'
import { apiOperations, bodyOf, requestOf, UNKNOWN_ID } from './samples.ts'

const CREATED = 201

/** Creates one resource of each kind, in the order of the contract, a delivery and an alert. */
export const populate = async (api: Api): Promise<void> => {
  for (const operation of apiOperations.filter(createsResource)) {
    const body = await withOwnIds(api, bodyOf(operation))
    const response = await api.send('POST', fullPath(operation), requestOf(operation, body))
    if (response.status !== CREATED) {
      throw new Error(
        `${operation.id} refused its sample with ${response.status}: ${response.text}`,
      )
    }
  }
  await overrideSchedule(api)
  await enrolAgent(api)
  await configure(api)
  await sendAlert(api)
  const incident = {
    title: 'Sent to the subscriber and the member on call',
    impact: 'major',
  } as const
  await api.call(incidentOperations.create, { body: incident })
  const isDelivered = async () =>
    (await api.call(deliveryOperations.list)).meta.total > 0 &&
    (await api.call(oncallAlertOperations.list)).meta.total > 0
  await eventually(isDelivered, { timeoutMs: 30_000 })
}

/**
 * Creates resources that have no POST operation: a version of the configuration, and a variable.
 */
const configure = async (api: Api): Promise<void> => {
  const { apply } = configurationOperations
  const applied = await api.send('POST', fullPath(apply), requestOf(apply, bodyOf(apply)))
  if (applied.status !== apply.status) throw new Error(applied.text)
  const body = { value: 'a value' }
  await api.call(variableOperations.set, { params: { name: 'SAMPLE' }, body })
}

const KEY_BYTES = 32

/** Enrols an agent at the location, which an enrolment token identifies. */
const enrolAgent = async (api: Api): Promise<void> => {
  const [location] = (await api.call(locationOperations.list)).data
  if (location === undefined) throw new Error('No location was created')
  const params = { id: location.id }
  const { enrolmentToken } = await api.call(locationOperations.rotateToken, { params })
  const agent = api.with({ authorization: `Bearer ${enrolmentToken}` })
  await agent.call(agentOperations.enrol, {
    body: {
      name: 'agent',
      version: '0.1.0',
      tokenHash: randomBytes(KEY_BYTES).toString('hex'),
      publicKey: randomBytes(KEY_BYTES).toString('base64url'),
    },
  })
}

const HOUR_MS = 3_600_000

/** Creates an override, which must end in the future, so that a sample cannot be used. */
const overrideSchedule = async (api: Api): Promise<void> => {
  const [schedule] = (await api.call(oncallScheduleOperations.list)).data
  const [userId] = schedule?.layers[0]?.userIds ?? []
  if (schedule === undefined || userId === undefined) throw new Error('No member is on call')
  const [startsAt, endsAt] = [0, HOUR_MS].map((ms) => new Date(Date.now() + ms).toISOString())
  await api.call(oncallScheduleOperations.addOverride, {
    params: { id: schedule.id },
    body: { userId, startsAt: startsAt as string, endsAt: endsAt as string },
  })
}

const createsResource = (operation: Operation): boolean =>
  operation.method === 'POST' &&
  operation.status === CREATED &&
  operation.params === undefined &&
  requirementOfOperation(operation) !== null

/** Lists with the ids that a body requires, by field. */
const listsByField: Readonly<Record<string, Operation>> = {
  componentIds: componentOperations.list,
  userIds: memberOperations.list,
}

/** Sample with ids of the caller's resources instead of unknown ones. */
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

/** Path parameters that refer to the caller's resources. */
export const ownParams = async (api: Api, { path }: Operation): Promise<Item> => {
  const params: Item = {}
  for (const { 0: text, 1: name = '', index } of path.matchAll(/\/\{(\w+)\}/g)) {
    const item = await firstOf(api, path.slice(0, index), params)
    const id = item?.[name] ?? item?.id
    if (id === undefined) throw new Error(`No resource is listed for ${text} of ${path}`)
    params[name] = id
  }
  return params
}

const firstOf = async (api: Api, collection: string, params: Item): Promise<Item | undefined> => {
  const list = apiOperations.find(({ method, path }) => method === 'GET' && path === collection)
  if (list === undefined) return firstWithin(api, collection, params)
  const { text } = await api.send('GET', pathOf(list, { params } as object))
  // Excludes built-in roles, which all organizations share.
  return JSON.parse(text).data.find(({ isBuiltIn }: { isBuiltIn?: boolean }) => isBuiltIn !== true)
}

/** First entry of a kind without a list of its own, read from its parent: overrides, updates. */
const firstWithin = async (
  api: Api,
  collection: string,
  params: Item,
): Promise<Item | undefined> => {
  const cut = collection.lastIndexOf('/')
  const [owner, name] = [collection.slice(0, cut), collection.slice(cut + 1)]
  const read = apiOperations.find(({ method, path }) => method === 'GET' && path === owner)
  if (read === undefined) throw new Error(`No operation lists the ids of ${collection}`)
  const query = read.query === undefined ? {} : { include: name }
  const input = { params, query } as object
  return JSON.parse((await api.send('GET', pathOf(read, input))).text)[name]?.[0]
}

/**
 * Fields that change without a request: the last use of a key, the last message to a subscriber, the
 * evaluation of a service level and the state of agents.
 */
const volatileFields =
  /"last(?:Used|Notified)At":("[^"]*"|null)|"current":\{[^}]*\}|"isStale":\w+|"status":"(?:active|stale)"/g

/** Text of every list of the organization. */
export const listResources = async (api: Api): Promise<Record<string, string>> => {
  const lists = apiOperations.filter(
    (candidate) =>
      candidate.method === 'GET' &&
      candidate.params === undefined &&
      requirementOfOperation(candidate) !== null,
  )
  const entries = lists.map(async (candidate): Promise<[string, string]> => {
    const { text } = await api.send('GET', `${fullPath(candidate)}?pageSize=100`)
    return [candidate.id, text.replaceAll(volatileFields, '')]
  })
  return Object.fromEntries(await Promise.all(entries))
}
