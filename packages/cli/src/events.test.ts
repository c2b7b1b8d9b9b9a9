/** Events are listed page by page, and followed without a gap or a repeat across cuts. */
import type { ServerResponse } from 'node:http'
import { httpTarget } from '@status-page/testing'
import t, { type Test } from 'tap'
import { statusctl } from './statusctl.ts'

const entryOf = (id: string, more: object = {}) => ({
  id,
  event: 'incident.created',
  timestamp: '2026-01-01T00:00:00.000Z',
  incident: { id: 'i1', title: 'API\u001b[2J errors', status: 'investigating', impact: 'major' },
  ...more,
})
const LINE =
  '2026-01-01T00:00:00.000Z  incident.created        API?[2J errors (investigating, major)\n'

const stage = async (t: Test) => {
  const service = await httpTarget(t)
  let [out, complaints] = ['', '']
  const run = async (...args: string[]) => {
    ;[out, complaints] = ['', '']
    const code = await statusctl(['events', ...args], {
      environment: { HOME: t.testdirName, STATUSCTL_URL: service.url, STATUSCTL_KEY: 'k' },
      readInput: async () => '',
      isInputTerminal: false,
      isTerminal: false,
      nodeVersion: process.versions.node,
      stopSignal: () => AbortSignal.abort(),
      out: (text) => {
        out += text
      },
      printError: (text) => {
        complaints += text
      },
      runProgram: async () => 0,
    })
    return { code, out, complaints }
  }
  return { service, run }
}

const json = (body: object, status = 200) => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
})

t.test('events are listed to the end, from an event on and of some kinds', async (t) => {
  const { service, run } = await stage(t)
  const certificate = { id: 'c1', title: 'Shop', daysLeft: 3 }
  const last = entryOf('evt_2', { event: 'certificate.expiring', certificate, incident: undefined })
  service.respond([
    json({ data: [entryOf('evt_1')], meta: { nextAfter: 'evt_1', hasMore: true } }),
    json({ data: [last], meta: { nextAfter: 'evt_2', hasMore: false } }),
  ])
  const { code, out } = await run('--after', 'evt_0', '--kinds', 'incident.created,monitor.down')
  t.equal(code, 0)
  t.equal(out, `${LINE}2026-01-01T00:00:00.000Z  certificate.expiring    Shop\n`)
  const kinds = 'kinds=incident.created,monitor.down'
  t.same(
    service.requests.map(({ url }) => url),
    [`/api/v1/events?after=evt_0&${kinds}`, `/api/v1/events?after=evt_1&${kinds}`],
  )
  const { out: lines } = await run('--json')
  t.same(JSON.parse(lines), JSON.parse(JSON.stringify(last)), 'one line per event')
})

t.test('a stream continues after a cut with the last complete event', async (t) => {
  const { service, run } = await stage(t)
  const block = (entry: { id: string }) =>
    `id: ${entry.id}\nevent: incident.created\ndata: ${JSON.stringify(entry)}\n\n`
  const resync = 'event: resync\ndata: {"event":"resync","reason":"backlog"}\n\n'
  const replies = [
    (response: ServerResponse) =>
      void response.write(`retry: 10\n\n${block(entryOf('evt_1'))}id: evt_2\nevent: incid`, () =>
        setTimeout(() => response.destroy(), 50),
      ),
    (response: ServerResponse) =>
      void response.end(`:\n\n${block(entryOf('evt_2'))}${resync}id: evt_3\n\n`),
  ]
  const gone = { error: { code: 'UNAUTHORIZED', message: 'Valid authentication is required' } }
  service.respond((_request, response) => {
    const reply = replies.shift()
    if (reply === undefined) return json(gone, 401)
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    reply(response)
    return undefined
  })
  const { code, out, complaints } = await run('--follow', '--after', 'earliest', '--json')
  t.equal(code, 1, 'a refusal ends it')
  t.same(
    out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).id),
    ['evt_1', 'evt_2'],
  )
  t.match(complaints, /connection lost .*omitted events.*connection lost .*authentication/s)
  t.match(service.requests, [
    { url: '/api/v1/events/stream?after=earliest' },
    { url: '/api/v1/events/stream', headers: { 'last-event-id': 'evt_1' } },
    { url: '/api/v1/events/stream', headers: { 'last-event-id': 'evt_3' } },
  ])
})

t.test('a first connection that fails is an error', async (t) => {
  const { service, run } = await stage(t)
  await service.close()
  t.match(await run('--follow'), { code: 1, complaints: /cannot be reached/ })
})
