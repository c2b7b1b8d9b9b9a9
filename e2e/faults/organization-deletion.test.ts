/**
 * Deletion of an organization: a marker in every text that one tenant can write, its deletion with every
 * service killed between two batches, then a search of every table, log, cached page and exported file.
 */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import {
  componentOperations,
  organizationDeletionOperations,
  organizationOperations,
  type ServiceName,
  schemaOf,
  services,
  statusPageOperations,
} from '@status-page/contracts'
import { eventually, textOfSchema } from '@status-page/testing'
import t from 'tap'
import { type Api, apiOf } from '../kit/api.ts'
import { untilAtRest } from '../kit/delivery-ledger.ts'
import { PASSWORD, register } from '../kit/journey.ts'
import { populate } from '../kit/population.ts'
import { switchableTarget } from '../kit/receivers.ts'
import { rowsOfOrganization } from '../kit/rows.ts'
import { restartWithFault, startWorld } from '../kit/world.ts'

t.setTimeout(600_000)

const MARKER = 'zebramarker'
const marker = new RegExp(MARKER, 'i')
const WAIT = { timeoutMs: 240_000 }

const exported = mkdtempSync(join(tmpdir(), 'status-page-deletion-'))
t.teardown(() => rmSync(exported, { recursive: true, force: true }))
const world = await startWorld(t, {
  env: { ERASURE_SETTLE_SECONDS: '1', STATIC_EXPORT_URL: pathToFileURL(exported).href },
})
const target = await switchableTarget(t)

const marked = (text: string) =>
  text
    .replaceAll('sample', MARKER)
    .replaceAll('Sample', 'Zebramarker')
    .replaceAll('SAMPLE', 'ZEBRAMARKER')

const freeTexts = new Set(['name', 'title', 'message', 'description', 'summary'])

/** Free texts of a body carry the marker; references and formats stay as they are. */
const markFields = (value: unknown, field = ''): unknown => {
  if (typeof value === 'string') return freeTexts.has(field) ? `${value} Zebramarker` : value
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

/** The same client; what it writes carries the marker. */
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

/** Names of the files below the folder that hold the marker, in their name or their text. */
const filesWithMarker = (folder: string): string[] =>
  !existsSync(folder)
    ? []
    : readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name))
        .filter((path) => marker.test(path) || marker.test(readFileSync(path, 'latin1')))

const dataFolder = dirname(world.stack.logFolder)
/** All but the files of the database server, whose dead rows wait for its vacuum. */
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
await untilAtRest(world.admin)
const organizationId = tenant.identity.organization.id
const neighbourId = neighbour.identity.organization.id
const before = await rowsOfOrganization(world.admin, neighbourId)

t.test('the marker is in every service before the deletion', async (t) => {
  for (const service of services) {
    t.match(await textOfSchema(world.stack.adminUrl, schemaOf(service)), marker, service)
  }
})

/** Passings of the fault point after a part of the deletion; each service is killed at each of them. */
const KILLED_AT = [1, 4, 9]
const faultAt = (passing: number) => `erasure.after_batch:${passing}`

/** Killed at each passing in turn, as soon as the deletion is there; then started without a fault. */
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

/** Ends the lease of the killed process, and the ten minutes until files are removed once more. */
const clearExportsAgain = () => world.admin`
  UPDATE core.page_exports SET next_at = now(), cleared_at = cleared_at - interval '10 minutes'
  WHERE organization_id = ${organizationId} AND next_at > now()`

t.test('every service is killed after several steps, and the deletion ends', async (t) => {
  const requested = await tenant.session.call(organizationDeletionOperations.remove, {
    body: { password: PASSWORD },
    headers: { 'sec-fetch-site': 'same-origin' },
  })
  t.ok(requested.deletion)
  const read = await tenant.api.call(organizationOperations.read)
  t.same(read.deletion, requested.deletion, 'every member sees it')
  await Promise.all(
    services.map((service) => restartWithFault(world, service, faultAt(KILLED_AT[0] ?? 1))),
  )
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

t.test('nothing of it is left in any table, log, cache or file', async (t) => {
  for (const service of services) {
    const text = await textOfSchema(world.stack.adminUrl, schemaOf(service))
    const findIncident = text.split('\n').filter((line) => marker.test(line))
    t.same(findIncident, [], service)
  }
  t.same(filesWithMarker(exported), [], 'exported pages')
  t.same(folders().flatMap(filesWithMarker), [], 'logs, caches and the stream')
  t.equal((await tenant.api.ask(organizationOperations.read)).status, 401)
  t.equal((await world.api.send('GET', `/status/${page.slug}`)).status, 404)
})

t.test('every row of the neighbour is as it was', async (t) => {
  const after = new Set(await rowsOfOrganization(world.admin, neighbourId))
  t.same(
    before.filter((row) => !after.has(row)),
    [],
  )
})
