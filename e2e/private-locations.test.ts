/**
 * Private locations in the configuration document: their names are validated, planned, applied,
 * exported and compared like other fields, and belong to one organization.
 */
import {
  componentOperations,
  configurationOperations,
  fullPath,
  locationOperations,
} from '@status-page/contracts'
import t from 'tap'
import { register, type Tenant } from './kit/tenant.ts'
import { startWorld } from './kit/world.ts'

const OFFICE = 'private:office'
const PRIVATE_URL = 'http://10.77.0.5:8080/'

const world = await startWorld(t)
const { api } = await register(world.api, 'private-locations')
const stranger = (await register(world.api, 'private-locations-2')).api

const documentOf = (locations: readonly string[]) =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'StatusPageConfig',
    metadata: { name: 'office', configVersion: '1' },
    spec: {
      components: [{ name: 'Intranet', type: 'ENDPOINT', url: PRIVATE_URL, locations }],
    },
  })

type Api = Tenant['api']

const post = async (as: Api, path: string, locations: readonly string[]) => {
  const headers = { 'content-type': 'application/yaml' }
  const { status, text } = await as.send('POST', path, { headers, body: documentOf(locations) })
  return { status, body: JSON.parse(text) }
}
const validate = (...locations: string[]) =>
  post(api, fullPath(configurationOperations.validate), locations)
const plan = (as: Api, ...locations: string[]) =>
  post(as, `${fullPath(configurationOperations.apply)}?dryRun=true`, locations)
const apply = (as: Api, ...locations: string[]) =>
  post(as, fullPath(configurationOperations.apply), locations)
const create = (as: Api, name: string) => as.request(locationOperations.create, { body: { name } })
const drift = async () => (await api.call(configurationOperations.drift, {})).drift
const intranet = async () => (await api.call(componentOperations.list, {})).data[0]

/** Refusal of the first location of the document, in its line. */
const unknown = (message: RegExp) => ({
  status: 400,
  body: {
    error: {
      details: { issues: [{ field: 'spec.components[0].locations[0]', message, line: Number }] },
    },
  },
})

t.test('a name without a location is refused by the plan and by the apply', async (t) => {
  t.match((await validate(OFFICE)).body, { valid: true }, 'the document alone is valid')
  for (const response of [await plan(api, OFFICE), await apply(api, OFFICE)]) {
    t.match(response, unknown(/has no active monitor/))
  }
  for (const wrong of ['private:', 'private:Office', 'private:a b']) {
    t.match((await validate(wrong)).body, { valid: false }, wrong)
  }
  t.match((await validate(OFFICE, OFFICE)).body, { valid: false }, 'the same location twice')
})

t.test('a name is that of one location of the organization', async (t) => {
  t.equal((await create(api, 'office')).status, 201)
  t.equal((await create(api, 'office')).status, 409)
  t.match(await plan(stranger, OFFICE), unknown(/has no active monitor/))
  t.equal((await create(stranger, 'office')).status, 201, 'another organization has its own')
  t.match(await plan(stranger, OFFICE), {
    status: 200,
    body: { created: [{ resourceName: 'Intranet' }] },
  })
})

t.test('a document with a private location is applied and exported as written', async (t) => {
  t.match(await plan(api, OFFICE), {
    status: 200,
    body: { created: [{ resourceName: 'Intranet' }] },
  })
  t.equal(await intranet(), undefined)
  t.match(await apply(api, OFFICE), {
    status: 200,
    body: { created: [{ resourceName: 'Intranet' }] },
  })
  t.match(await intranet(), { locations: [OFFICE], url: PRIVATE_URL })
  t.match(await apply(api, OFFICE), { body: { created: [], updated: [], unchanged: 1 } })
  const exported = await api.send('GET', fullPath(configurationOperations.export))
  t.match(exported.text, OFFICE)
  const headers = { 'content-type': 'application/yaml' }
  const path = fullPath(configurationOperations.apply)
  const { text } = await api.send('POST', path, { headers, body: exported.text })
  t.match(JSON.parse(text), { created: [], updated: [], deleted: [], unchanged: 1 })
})

t.test('another location is drift, and a named location cannot be deleted', async (t) => {
  t.same(await drift(), [])
  const { id: lab } = await api.call(locationOperations.create, { body: { name: 'lab' } })
  const params = { id: (await intranet())?.id ?? '' }
  await api.call(componentOperations.update, { params, body: { locations: ['private:lab'] } })
  t.match(await drift(), [{ resourceName: 'Intranet', reason: 'modified', fields: ['locations'] }])
  const removed = await api.request(locationOperations.remove, { params: { id: lab } })
  t.equal(removed.status, 409)
  const updated = [{ resourceName: 'Intranet', fields: ['locations'] }]
  t.match(await apply(api, OFFICE), { status: 200, body: { updated } })
  t.same(await drift(), [])
  const { status } = await api.request(locationOperations.remove, { params: { id: lab } })
  t.equal(status, 200, 'at once, although the monitor learns of the change by an event')
})

t.test('a deletion and the first component of a location never both succeed', async (t) => {
  for (let round = 0; round < 10; round++) {
    const name = `race-${round}`
    const { id, location } = await api.call(locationOperations.create, { body: { name } })
    const type = 'ENDPOINT' as const
    const body = { name, type, url: PRIVATE_URL, locations: [location] }
    const [created, removed] = await Promise.all([
      api.request(componentOperations.create, { body }),
      api.request(locationOperations.remove, { params: { id } }),
    ])
    const statuses = [created.status, removed.status].join()
    t.ok(statuses === '201,409' || statuses === '400,200', statuses)
  }
})
