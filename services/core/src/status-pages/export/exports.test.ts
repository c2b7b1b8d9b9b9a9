/**
 * Pages as files: complete, linked to each other, and removed when the page is no longer public.
 */
import { createHash, createHmac } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join, normalize } from 'node:path'
import { pathToFileURL } from 'node:url'
import {
  componentOperations,
  exportOperations,
  importOperations,
  incidentOperations,
  statusPageOperations,
} from '@status-page/contracts'
import { asWorker } from '@status-page/postgres'
import { createLogger } from '@status-page/service'
import { longestEventLoopBlock } from '@status-page/testing'
import { sql } from 'drizzle-orm'
import { strFromU8, unzipSync } from 'fflate'
import t, { type Test } from 'tap'
import { BASE_URL, coreKit } from '../../core.fixture.ts'
import { exportJob } from './jobs.ts'
import { type ExportTarget, parseExportTarget } from './target.ts'

const kit = await coreKit(t)

const work = (target: ExportTarget) =>
  exportJob({
    database: kit.database,
    baseUrl: BASE_URL,
    target,
    logger: createLogger({ service: 'core', level: 'fatal' }),
  })

// A comparison renders all files of a page, so those of one test are not due in the next.
t.afterEach(async () => {
  await asWorker(kit.database, ({ tx }) =>
    tx.execute(sql`UPDATE page_exports
      SET next_at = next_at + interval '10 years', owner = gen_random_uuid()`),
  )
})

/** Runs the job until every due page was exported. */
const follow = async (target: ExportTarget) => {
  const { run } = work(target)
  while ((await run(new AbortController().signal)) > 0);
  kit.clock.advance(60_000)
}

const organization = async (slug: string) => {
  const one = kit.as()
  const { body: api } = await one.request(componentOperations.create, {
    body: { type: 'SERVICE', name: 'API' },
  })
  const { body: page } = await one.request(statusPageOperations.create, {
    body: { name: 'Acme', slug, isPublished: true },
  })
  const { body: incident } = await one.request(incidentOperations.create, {
    body: { title: 'Slow <answers>', message: 'We look.', componentIds: [api.id] },
  })
  return { ...one, api, page, incident }
}

const filesBelow = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))

t.test('an archive contains the whole page, and every link resolves', async (t) => {
  const { request, page, incident } = await organization('archive')
  const response = await request(exportOperations.export, { params: { id: page.id } })
  t.equal(response.status, 200)
  t.equal(response.headers['content-type'], 'application/zip')
  const files = new Map(
    Object.entries(unzipSync(response.bytes)).map(([path, bytes]) => [path, strFromU8(bytes)]),
  )
  const month = incident.startedAt.slice(0, 7)
  for (const name of [
    'index.html',
    'history.html',
    `history/${month}.html`,
    `incidents/${incident.id}.html`,
    'feed.rss.xml',
    'feed.atom.xml',
    'feed.json',
    'maintenances.ics',
    'badge.svg',
    'api/v2/summary.json',
    'api/v2/incidents/unresolved.json',
  ]) {
    t.ok(files.has(`archive/${name}`), name)
  }
  const broken: string[] = []
  for (const [path, text] of files) {
    if (!path.endsWith('.html')) continue
    for (const [, link = ''] of text.matchAll(/(?:href|src)="([^"]*)"/g)) {
      if (/^(?:https?:|data:|mailto:|#)/.test(link)) continue
      const target = normalize(join(dirname(path), link))
      if (!files.has(target)) broken.push(`${path}: ${link}`)
    }
  }
  t.same(broken, [])
  t.match(files.get('archive/index.html'), 'Slow &lt;answers&gt;')
  t.match(files.get('archive/index.html'), `href="incidents/${incident.id}.html"`)
  const summary = JSON.parse(files.get('archive/api/v2/summary.json') ?? '')
  t.match(summary.incidents, [{ id: incident.id }])
})

t.test("another organization's page is not found", async (t) => {
  const { page } = await organization('theirs')
  const response = await kit.as().request(exportOperations.export, { params: { id: page.id } })
  t.equal(response.status, 404)
})

t.test('a folder is updated with the page, and emptied when the page is not public', async (t) => {
  const root = t.testdir()
  const target = parseExportTarget(pathToFileURL(root).href)
  const { request, page, incident } = await organization('folder')
  await follow(target)
  const index = join(root, 'folder/index.html')
  t.match(readFileSync(index, 'utf8'), 'Slow &lt;answers&gt;')
  t.ok(existsSync(join(root, `folder/incidents/${incident.id}.html`)))

  writeFileSync(index, 'untouched')
  await follow(target)
  t.equal(readFileSync(index, 'utf8'), 'untouched', 'unchanged files are not written again')

  await request(incidentOperations.update, {
    params: { id: incident.id },
    body: { status: 'resolved', message: 'Over.' },
  })
  await follow(target)
  t.match(readFileSync(index, 'utf8'), 'Over.')

  await request(statusPageOperations.update, { params: { id: page.id }, body: { slug: 'moved' } })
  await follow(target)
  t.same(filesBelow(join(root, 'folder')), [])
  t.ok(existsSync(join(root, 'moved/index.html')))

  await request(statusPageOperations.update, {
    params: { id: page.id },
    body: { visibility: 'members' },
  })
  await follow(target)
  t.same(filesBelow(join(root, 'moved')), [])

  await request(statusPageOperations.update, {
    params: { id: page.id },
    body: { visibility: 'public' },
  })
  await follow(target)
  t.ok(existsSync(join(root, 'moved/index.html')))
  await request(statusPageOperations.remove, { params: { id: page.id } })
  await follow(target)
  t.same(filesBelow(join(root, 'moved')), [])
})

t.test('a page is exported after a change, else every five minutes', async (t) => {
  const { run } = work(parseExportTarget(pathToFileURL(t.testdir()).href))
  const { request, incident } = await organization('unchanged')
  /** Number of pages that are exported after this time. */
  const exportedAfter = async (seconds: number) => {
    kit.clock.advance(seconds * 1_000)
    return run(new AbortController().signal)
  }
  t.equal(await exportedAfter(0), 1)
  t.equal(await exportedAfter(5), 0, 'at most once in 15 s')
  t.equal(await exportedAfter(65), 1, 'once more for transactions that were open')
  t.equal(await exportedAfter(120), 0, 'not without a change')
  await request(incidentOperations.update, {
    params: { id: incident.id },
    body: { message: 'We see the cause.' },
  })
  t.equal(await exportedAfter(1), 1, 'at the first poll after a change')
  t.equal(await exportedAfter(65), 1)
  t.equal(await exportedAfter(290), 0)
  t.equal(await exportedAfter(15), 1, 'for content that changes without an event')
})

t.test('files of a page that became private are removed without its event', async (t) => {
  const root = t.testdir()
  const target = parseExportTarget(pathToFileURL(root).href)
  const { request, page } = await organization('no-event')
  await follow(target)
  t.ok(existsSync(join(root, 'no-event/index.html')))
  await request(statusPageOperations.update, {
    params: { id: page.id },
    body: { visibility: 'members' },
  })
  await kit.database.batchSql`DELETE FROM outbox`
  await follow(target)
  t.same(filesBelow(join(root, 'no-event')), [])
})

t.test('partly written files are removed when the page is no longer public', async (t) => {
  const root = t.testdir()
  const target = parseExportTarget(pathToFileURL(root).href)
  const { request, page } = await organization('half')
  const failing: ExportTarget = {
    write: async (folder, file) => {
      if (file.path === 'index.html') throw new Error('full')
      await target.write(folder, file)
    },
    remove: target.remove,
  }
  await follow(failing)
  t.not(filesBelow(join(root, 'half')).length, 0)
  await request(statusPageOperations.update, {
    params: { id: page.id },
    body: { visibility: 'members' },
  })
  kit.clock.advance(600_000)
  await follow(target)
  t.same(filesBelow(join(root, 'half')), [])
})

/** Target that stores a file, or lets `store` decide, and reports its write as failed. */
const timingOut = (target: ExportTarget, store: ExportTarget['write']): ExportTarget => ({
  ...target,
  write: async (folder, file) => {
    if (file.path !== 'index.html') return target.write(folder, file)
    await store(folder, file)
    throw new Error('The operation timed out')
  },
})

t.test('a failed write during a change to private delays the removal of no file', async (t) => {
  const root = t.testdir()
  const target = parseExportTarget(pathToFileURL(root).href)
  const { request, page } = await organization('failed-write')
  const hide = () =>
    request(statusPageOperations.update, {
      params: { id: page.id },
      body: { visibility: 'members' },
    })
  const failing = timingOut(target, async (folder, file) => {
    await hide()
    await target.write(folder, file)
  })
  await follow(failing)
  t.same(filesBelow(join(root, 'failed-write')), [])
})

t.test('the files of a page that becomes private after a failed write are removed', async (t) => {
  const root = t.testdir()
  const target = parseExportTarget(pathToFileURL(root).href)
  const { request, page } = await organization('late-write')
  const { run } = work(timingOut(target, async () => {}))
  while ((await run(new AbortController().signal)) > 0);
  t.not(filesBelow(join(root, 'late-write')).length, 0)
  await request(statusPageOperations.update, {
    params: { id: page.id },
    body: { visibility: 'members' },
  })
  kit.clock.advance(16_000)
  while ((await run(new AbortController().signal)) > 0);
  t.same(filesBelow(join(root, 'late-write')), [], 'the failed write holds no lease')

  const late = join(root, 'late-write/index.html')
  writeFileSync(late, 'stored after the timeout')
  kit.clock.advance(16_000)
  while ((await run(new AbortController().signal)) > 0);
  t.notOk(existsSync(late), 'a file that was stored late is removed')
})

const KEY = 'AKIAEXAMPLE'
const SECRET = 'a secret/with+signs'

/** Bucket that verifies signatures by AWS Signature Version 4. */
const bucket = async (t: Test) => {
  const objects = new Map<string, { body: string; type: string | undefined }>()
  const refusals = { next: 0 }
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = Buffer.concat(chunks)
    const { method = '', url = '', headers } = request
    const authorization = headers.authorization ?? ''
    const [, day = '', region = '', names = '', given = ''] =
      /^AWS4-HMAC-SHA256 Credential=AKIAEXAMPLE\/(\d+)\/([^/]+)\/s3\/aws4_request, SignedHeaders=([^,]+), Signature=(\w+)$/.exec(
        authorization,
      ) ?? []
    const digest = createHash('sha256').update(body).digest('hex')
    const listed = names.split(';')
    const canonical = [
      method,
      url,
      '',
      ...listed.map((name) => `${name}:${String(headers[name]).trim()}`),
      '',
      names,
      digest,
    ].join('\n')
    const scope = `${day}/${region}/s3/aws4_request`
    const text = [
      'AWS4-HMAC-SHA256',
      headers['x-amz-date'],
      scope,
      createHash('sha256').update(canonical).digest('hex'),
    ].join('\n')
    const sign = (key: string | Buffer, part: string) =>
      createHmac('sha256', key).update(part).digest()
    const key = [day, region, 's3', 'aws4_request'].reduce<string | Buffer>(sign, `AWS4${SECRET}`)
    const isRight =
      createHmac('sha256', key).update(text).digest('hex') === given &&
      headers['x-amz-content-sha256'] === digest &&
      region === 'eu-central-1'
    if (!isRight) response.statusCode = 403
    else if (refusals.next > 0) {
      refusals.next -= 1
      response.statusCode = 503
    } else if (method === 'PUT') {
      objects.set(url, { body: body.toString(), type: headers['content-type'] })
    } else if (method === 'DELETE') {
      objects.delete(url)
      response.statusCode = 204
    }
    response.end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  const { port } = server.address() as AddressInfo
  const secret = encodeURIComponent(SECRET)
  const url = `s3+http://${KEY}:${secret}@127.0.0.1:${port}/bucket/pages?region=eu-central-1`
  return { objects, refusals, url }
}

t.test('a bucket is updated with the page, and failed files are written later', async (t) => {
  const { objects, refusals, url } = await bucket(t)
  const target = parseExportTarget(url)
  const { request, page } = await organization('bucket')
  refusals.next = 1
  await follow(target)
  t.notOk(objects.has('/bucket/pages/bucket/index.html'), 'the page itself is written last')
  kit.clock.advance(600_000)
  await follow(target)
  t.match(objects.get('/bucket/pages/bucket/index.html'), {
    body: 'Slow &lt;answers&gt;',
    type: 'text/html; charset=utf-8',
  })
  await request(statusPageOperations.remove, { params: { id: page.id } })
  await follow(target)
  t.same(
    [...objects.keys()].filter((path) => path.startsWith('/bucket/pages/bucket/')),
    [],
  )
})

t.test('an invalid export target is refused at startup', async (t) => {
  for (const url of ['https://example.com/', 'folder', 'ftp://host/']) {
    t.throws(() => parseExportTarget(url), /STATIC_EXPORT_URL/)
  }
})

t.test(
  'a page that takes over a slug keeps its files when the previous page is cleared',
  async (t) => {
    const root = t.testdir()
    const target = parseExportTarget(pathToFileURL(root).href)
    const former = await organization('former')
    await follow(target)
    await former.request(statusPageOperations.update, {
      params: { id: former.page.id },
      body: { slug: 'former-again' },
    })
    const incidentFile = join(root, `former/incidents/${former.incident.id}.html`)
    t.ok(existsSync(incidentFile))
    await organization('former')
    await follow({ ...target, remove: () => Promise.reject(new Error('not now')) })
    kit.clock.advance(600_000)
    await follow(target)
    t.ok(existsSync(join(root, 'former/index.html')))
    t.ok(existsSync(join(root, 'former-again/index.html')))
    t.notOk(existsSync(incidentFile), 'files of the previous page alone are removed')
  },
)

const DAY_MS = 86_400_000
const MONTHS = 12

/** Inserts a hundred incidents in each of twelve consecutive months, as an import does. */
const manyIncidents = () =>
  Array.from({ length: MONTHS * 100 }, (_, index) => {
    const time = new Date(Date.now() + (index % MONTHS) * 30 * DAY_MS + index).toISOString()
    return {
      id: `i${index}`,
      name: `Incident ${index}`,
      status: 'resolved',
      impact: 'minor',
      created_at: time,
      resolved_at: time,
      incident_updates: [
        { id: `u${index}`, status: 'resolved', body: 'It is over. '.repeat(20), created_at: time },
      ],
    }
  })

t.test('an export of 1,200 incidents does not block other requests', async (t) => {
  const { request, page } = await organization('large')
  kit.clock.advance(MONTHS * 30 * DAY_MS)
  const imported = await request(importOperations.statuspage, {
    body: { incidents: manyIncidents() },
  })
  t.equal(imported.status, 200)
  const { holdMs, result } = await longestEventLoopBlock(() =>
    request(exportOperations.export, { params: { id: page.id } }),
  )
  const files = Object.keys(unzipSync(result.bytes))
  t.ok(files.length > 1_000, `${files.length} files`)
  t.ok(holdMs < 100, `${holdMs} ms of processor time without yielding`)
})
