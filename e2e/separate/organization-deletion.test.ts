/**
 * Deletion of an organization: a marker is written into every text of one tenant, every service is
 * killed between two batches of the deletion, and then all tables, logs, cached pages and exported
 * files are searched for the marker.
 */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import {
  componentOperations,
  databaseSchemaOf,
  organizationDeletionOperations,
  organizationOperations,
  type ServiceName,
  services,
  statusPageOperations,
} from '@status-page/contracts'
import { eventually, textOfSchema } from '@status-page/testing'
import t from 'tap'
import { type Api, apiOf } from '../kit/api.ts'
import { waitUntilIdle } from '../kit/delivery-ledger.ts'
import { rowsOfOrganization } from '../kit/organization-rows.ts'
import { populate } from '../kit/population.ts'
import { switchableTarget } from '../kit/receivers.ts'
import { PASSWORD, register } from '../kit/tenant.ts'
import { startWorld } from '../kit/world.ts'

const MARKER = 'zebramarker'
const marker = new RegExp(MARKER, 'i')
const WAIT = { timeoutMs: 240_000 }

const exported = mkdtempSync(join(tmpdir(), 'status-page-deletion-'))
t.teardown(() => rmSync(exported, { recursive: true, force: true }))
/** Passes of the fault point at which each service is killed. */
const KILLED_AT = [1, 5]
const faultAt = (passing: number | undefined = 1) => `erasure.after_batch:${passing}`
const world = await startWorld(t, {
  hasShortIntervals: true,
  env: { STATIC_EXPORT_URL: pathToFileURL(exported).href },
  // From the first start, since each further one of all services takes ten seconds.
  settings: Object.fromEntries(
    services.map((name) => [name, { FAULT_POINT: faultAt(KILLED_AT[0]) }]),
  ),
})
const target = await switchableTarget(t)

const marked = (text: string) =>
  text
    // Not the path of the sample data.
    .replaceAll(/sample(?!-data)/g, MARKER)
    .replaceAll('Sample', 'Zebramarker')
    .replaceAll('SAMPLE', 'ZEBRAMARKER')

const freeTexts = new Set(['name', 'title', 'message', 'description', 'summary'])
/** Names that identify a resource, such as those of locations, have no other characters. */
const IDENTIFIER = /^[a-z0-9-]+$/

/**
 * Appends the marker to the free texts of a body; references and formatted values stay unchanged.
 */
const markFields = (value: unknown, field = ''): unknown => {
  if (typeof value === 'string') {
    return freeTexts.has(field) && !IDENTIFIER.test(value) ? `${value} Zebramarker` : value
  }
  if (Array.isArray(value)) return value.map((one) => markFields(one))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, markFields(inner, name)]),
  )
}

const markBody = (body: string): string => {
  try {
    return marked(JSON.stringify(markFields(JSON.parse(body))))
  } catch {
    return marked(body)
  }
}

/** Client whose written texts contain the marker. */
const marking = (api: Api): Api => {
  const original = apiOf(world.stack.baseUrl, api.headers)
  const send: Api['send'] = (method, path, request = {}) =>
    original.send(method, marked(path), {
      ...request,
      headers: JSON.parse(marked(JSON.stringify(request.headers ?? {}))),
      ...(typeof request.body === 'string' ? { body: markBody(request.body) } : {}),
    })
  const writing = (method: string) => method !== 'GET'
  return {
    ...original,
    send: (method, path, request) =>
      writing(method) ? send(method, path, request) : original.send(method, path, request),
    call: (operation, input = {}) =>
      original.call(
        operation,
        (input.body === undefined
          ? input
          : { ...input, body: JSON.parse(markBody(JSON.stringify(input.body))) }) as never,
      ),
  }
}

/** Paths of files in the folder that contain the marker in their name or text. */
const filesWithMarker = (folder: string): string[] =>
  !existsSync(folder)
    ? []
    : readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name))
        .filter((path) => marker.test(path) || marker.test(readFileSync(path, 'latin1')))

const dataFolder = dirname(world.stack.logFolder)
/** Excludes the files of the database server, which retain dead rows until vacuum. */
const folders = () =>
  readdirSync(dataFolder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== 'postgres')
    .map(({ name }) => join(dataFolder, name))

const neighbour = await register(world.api, 'neighbour')
await populate(neighbour.api)
const tenant = await register(world.api, MARKER)
await populate(marking(tenant.api))
await tenant.api.call(componentOperations.create, {
  body: {
    type: 'ENDPOINT',
    name: 'Zebramarker endpoint',
    url: target.url,
  },
})
const page = await tenant.api.call(statusPageOperations.create, {
  body: { name: 'Zebramarker page', slug: `${MARKER}-public`, isPublished: true },
})
await world.api.send('GET', `/status/${page.slug}`)
await eventually(() => filesWithMarker(exported).length > 0, WAIT)
await waitUntilIdle(world)
const organizationId = tenant.identity.organization.id
const neighbourId = neighbour.identity.organization.id
const before = await rowsOfOrganization(world.admin, neighbourId)

t.test('before the deletion every service contains the marker', async (t) => {
  for (const service of services) {
    t.match(await textOfSchema(world.stack.adminUrl, databaseSchemaOf(service)), marker, service)
  }
})

/**
 * Kills the service at each of these passes once the deletion has started, then starts it without a
 * fault.
 */
const killRepeatedly = async (service: ServiceName) => {
  const process = world.stack.processes[service]
  const isDead = () => process.pid === undefined
  await eventually(isDead, WAIT)
  for (const passing of KILLED_AT.slice(1)) {
    await process.restart({ FAULT_POINT: faultAt(passing) })
    await eventually(isDead, WAIT)
  }
  await process.restart({ FAULT_POINT: '' })
  await process.waitReady()
}

/** Expires the lease of the killed process and the ten-minute delay of the second file removal. */
const clearExportsAgain = () => world.admin`
  UPDATE core.page_exports SET next_at = now(), cleared_at = cleared_at - interval '10 minutes'
  WHERE organization_id = ${organizationId} AND next_at > now()`

t.test('every service is killed after several steps, and the deletion completes', async (t) => {
  const requested = await tenant.session.call(organizationDeletionOperations.remove, {
    body: { password: PASSWORD },
    headers: { 'sec-fetch-site': 'same-origin' },
  })
  t.ok(requested.deletion)
  const read = await tenant.api.call(organizationOperations.read)
  t.same(read.deletion, requested.deletion, 'every member sees it')
  await world.admin`UPDATE gateway.organizations SET deletion_due_at = now() - interval '1 second'
    WHERE id = ${organizationId}`
  await Promise.all(services.map(killRepeatedly))
  const isGone = async () => {
    await clearExportsAgain()
    return (
      (await world.admin`SELECT FROM gateway.organizations WHERE id = ${organizationId}`).count ===
      0
    )
  }
  await eventually(isGone, WAIT)
  const receipts = await world.admin<{ service: string }[]>`
    SELECT service FROM gateway.erasure_receipts WHERE organization_id = ${organizationId}`
  t.same(receipts.map(({ service }) => service).toSorted(), [...services].toSorted())
})

t.test('no table, log, cache or file contains the marker', async (t) => {
  for (const service of services) {
    const text = await textOfSchema(world.stack.adminUrl, databaseSchemaOf(service))
    const findIncident = text.split('\n').filter((line) => marker.test(line))
    t.same(findIncident, [], service)
  }
  t.same(filesWithMarker(exported), [], 'exported pages')
  t.same(folders().flatMap(filesWithMarker), [], 'logs, caches and the stream')
  t.equal((await tenant.api.request(organizationOperations.read)).status, 401)
  t.equal((await world.api.send('GET', `/status/${page.slug}`)).status, 404)
})

t.test('every row of the other organization is unchanged', async (t) => {
  const after = new Set(await rowsOfOrganization(world.admin, neighbourId))
  t.same(
    before.filter((row) => !after.has(row)),
    [],
  )
})
