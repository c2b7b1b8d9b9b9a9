/**
 * Import of another page is complete: each item once, components first, within the request limit.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { httpTarget } from '@status-page/testing'
import t from 'tap'
import { statusctl } from './statusctl.ts'
import { readStatuspage, splitIntoRequests } from './statuspage.ts'

const counts = { created: 1, updated: 0, unchanged: 0 }
const report = {
  dryRun: false,
  page: {
    id: null,
    name: 'Acme',
    slug: 'acme',
    url: 'https://status.example.com/status/acme',
    isPublished: false,
    isNew: true,
  },
  components: counts,
  incidents: counts,
  maintenances: counts,
  incidentTemplates: counts,
  subscribers: null,
  warnings: [{ field: 'incidents[0].name', message: 'was cut' }],
}

t.test('the public documents of a page become one import request', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'statusctl-'))
  t.teardown(() => rm(folder, { recursive: true, force: true }))
  const [open, old] = [{ id: 'i1' }, { id: 'i2' }]
  const documents: Record<string, object> = {
    summary: { page: { id: 'p1' }, components: [{ id: 'c1' }], incidents: [open] },
    incidents: { incidents: [open, old] },
    'scheduled-maintenances': { scheduled_maintenances: [{ id: 'm1' }] },
  }
  const page = await httpTarget(t, ({ url }) => {
    const name = /^\/api\/v2\/(.+)\.json$/.exec(url)?.[1] ?? ''
    return { body: JSON.stringify(documents[name]) }
  })
  const service = await httpTarget(t, { body: JSON.stringify(report) })
  let out = ''
  const run = (...args: string[]) =>
    statusctl(args, {
      environment: { HOME: folder, STATUSCTL_URL: service.url, STATUSCTL_KEY: 'k' },
      readInput: async () => '',
      isInputTerminal: false,
      isTerminal: false,
      nodeVersion: process.versions.node,
      stopSignal: () => AbortSignal.abort(),
      out: (text) => {
        out += text
      },
      printError: (text) => {
        out += text
      },
      runProgram: async () => 0,
    })
  t.equal(await run('import', 'statuspage', `${page.url}/`, '--dry-run', '--slug', 'acme'), 0)
  const query = 'dryRun=true&publish=false&slug=acme'
  t.equal(service.requests[0]?.url, `/api/v1/imports/statuspage?${query}`)
  t.same(JSON.parse(service.requests[0]?.body ?? ''), {
    page: { id: 'p1' },
    components: [{ id: 'c1' }],
    incidents: [open, old],
    scheduled_maintenances: [{ id: 'm1' }],
  })
  t.notOk(
    page.requests.some(({ headers }) => headers.authorization),
    'the key stays away',
  )
  t.match(out, 'page: https://status.example.com/status/acme, created, not published\n')
  t.match(out, 'components: 1 created, 0 updated, 0 unchanged\n')
  t.match(out, '! incidents[0].name: was cut')
  const [file, people] = [join(folder, 'page.json'), join(folder, 'people.csv')]
  await writeFile(file, JSON.stringify({ components: [{ id: 'c1' }] }))
  await writeFile(people, 'email\na@example.com\n')
  t.equal(await run('import', 'statuspage', file, '--subscribers', people), 0)
  t.same(JSON.parse(service.requests.at(-1)?.body ?? ''), {
    subscribers_csv: 'email\na@example.com\n',
  })
  await writeFile(file, '[]')
  t.equal(await run('import', 'statuspage', file), 1)
  t.equal(await run('import', 'other', file), 1)
  t.match(out, /contains nothing to import/)
})

t.test('the v1 API is read to its last page, with the key of Statuspage', async (t) => {
  const many = Array.from({ length: 250 }, (_, index) => ({ id: `i${index}` }))
  let metricsStatus = 403
  const page = await httpTarget(t, ({ url = '', headers }) => {
    if (headers.authorization !== 'OAuth secret') return { status: 401, body: '{}' }
    const { pathname, searchParams } = new URL(url, 'http://localhost')
    const start = (Number(searchParams.get('page')) - 1) * 100
    const lists: Record<string, unknown> = {
      '/v1/pages/p1': { id: 'p1', subdomain: 'acme' },
      '/v1/pages/p1/component-groups': [{ id: 'g1' }],
      '/v1/pages/p1/components': [{ id: 'c1' }],
      '/v1/pages/p1/incidents': many.slice(start, start + 100),
      '/v1/pages/p1/incident_templates': [{ id: 't1' }],
    }
    const body = lists[pathname]
    return body === undefined ? { status: metricsStatus } : { body: JSON.stringify(body) }
  })
  const source = `${page.url}/v1/pages/p1`
  t.same(await readStatuspage(source, 'secret'), {
    page: { id: 'p1', subdomain: 'acme' },
    component_groups: [{ id: 'g1' }],
    components: [{ id: 'c1' }],
    incidents: many,
    incident_templates: [{ id: 't1' }],
  })
  metricsStatus = 500
  await t.rejects(readStatuspage(source, 'secret'), /metrics.* returned no document: status 500/)
  await t.rejects(readStatuspage(source, undefined), /STATUSPAGE_KEY/)
  await t.rejects(readStatuspage(source, 'wrong'), /returned no document/)
})

t.test('an import above the request limit is split without loss', async (t) => {
  const many = (name: string) => Array.from({ length: 100 }, (_, index) => ({ id: name + index }))
  const documents = {
    page: { id: 'p1' },
    components: many('c'),
    incidents: many('i'),
    scheduled_maintenances: many('m'),
  }
  const requests = splitIntoRequests(documents, 500)
  t.same(requests[0], { page: documents.page, components: documents.components })
  const rest = requests.slice(1)
  t.ok(rest.every((one) => Buffer.byteLength(JSON.stringify(one)) < 600))
  t.same(
    rest.flatMap(({ incidents = [] }) => incidents),
    documents.incidents,
  )
  t.same(
    rest.flatMap(({ scheduled_maintenances: windows = [] }) => windows),
    documents.scheduled_maintenances,
  )
  t.equal(splitIntoRequests(documents).length, 1)
})
