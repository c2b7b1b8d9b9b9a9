/** Endpoints that are hostile, gone, slow or picky: each harms itself alone, and loses nothing. */
import { readFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { incidentOperations, type Subscriber, subscriberOperations } from '@status-page/contracts'
import { eventually, type HttpTarget, httpTarget, type TargetHandler } from '@status-page/testing'
import t from 'tap'
import { register } from '../kit/journey.ts'
import { assertAtRest, untilAtRest } from '../kit/ledger.ts'
import { letPass } from '../kit/time.ts'
import { startWorld } from '../kit/world.ts'

const TOLD_WITHIN_MS = 90_000
const BYTE_MS = 1_000
const CHUNK = Buffer.alloc(64 * 1024, 'x')
/** A gigabyte when it is opened. */
const HUGE_BYTES = 10 * 1024 ** 3
/** What a process may grow by while it garbage-collects at its leisure; one such answer is far above. */
const GROWTH_LIMIT_KIB = 128 * 1024
const TIMEOUT_MS = 15_000
const TIMER_SLACK_MS = 10_000
const TEN_MINUTES_SECONDS = 600
const FAILURES = 5

const world = await startWorld(t)
const { api } = await register(world.api, 'webhook-faults')

const subscribe = async (script: TargetHandler | { status: number }) => {
  const target = await httpTarget(t, script)
  const subscriber = await api.call(subscriberOperations.create, {
    body: { type: 'webhook', webhookUrl: `${target.url}/hook` },
  })
  return { target, subscriber }
}

const open = (title: string) => api.call(incidentOperations.create, { body: { title } })
const move = (incident: { id: string }, status: 'identified' | 'monitoring' | 'resolved') =>
  api.call(incidentOperations.addUpdate, { params: { id: incident.id }, body: { status } })
const isAfter = (work: () => Promise<boolean> | boolean) =>
  eventually(work, { timeoutMs: TOLD_WITHIN_MS })
const versionsAt = ({ requests }: HttpTarget) =>
  requests.map(({ headers }) => Number(headers['x-event-sequence']))
const read = ({ id }: Subscriber) => api.call(subscriberOperations.read, { params: { id } })
const remove = ({ id }: Subscriber) => api.call(subscriberOperations.remove, { params: { id } })

const attemptsTo = ({ id }: Subscriber) => world.admin<
  { outcome: string; duration: number; state: string; reason: string | null }[]
>`
  SELECT a.outcome, a.duration_ms AS duration, d.state, d.reason FROM notifier.delivery_attempts a
  JOIN notifier.deliveries d ON d.id = a.delivery_id
  JOIN notifier.destinations e ON e.id = d.destination_id
  WHERE e.subscriber_id = ${id} ORDER BY a.started_at`

/** Writes for as long as somebody listens. */
const pour = (response: ServerResponse, chunk: Buffer | string, everyMs: number) => {
  const timer = setInterval(() => response.write(chunk), everyMs)
  response.on('close', () => clearInterval(timer))
  return undefined
}

const flood = (response: ServerResponse) => {
  const write = () => {
    while (!response.destroyed && response.write(CHUNK));
  }
  response.on('drain', write)
  write()
  return undefined
}

const hostile: Record<string, TargetHandler> = {
  'headers a byte a second': (_request, response) => {
    const { socket } = response
    socket?.write('HTTP/1.1 200 OK\r\nX-Slow: ')
    const timer = setInterval(() => socket?.write('x'), BYTE_MS)
    socket?.on('close', () => clearInterval(timer))
    return undefined
  },
  'a body a byte a second': (_request, response) => {
    response.writeHead(200)
    return pour(response, 'x', BYTE_MS)
  },
  'ten gigabytes': (_request, response) => {
    response.writeHead(200, { 'content-length': String(HUGE_BYTES) })
    return flood(response)
  },
  'chunks without an end': (_request, response) => {
    response.writeHead(500)
    return flood(response)
  },
  'what would unpack to gigabytes': (_request, response) => {
    response.writeHead(200, { 'content-encoding': 'gzip' })
    return flood(response)
  },
}

const residentKib = (pid: number | undefined): number => {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1])
}

t.test('hostile answers end in time, and hold up nobody else', async (t) => {
  const well = await subscribe({ status: 204 })
  const enemies = await Promise.all(Object.values(hostile).map(subscribe))
  const { pid } = world.stack.processes.notifier
  const isLinux = process.platform === 'linux'
  const before = isLinux ? residentKib(pid) : 0
  for (const title of ['One', 'Two', 'Three']) await open(title)
  await isAfter(() => well.target.requests.length === 3)
  for (const [index, name] of Object.keys(hostile).entries()) {
    const { subscriber } = enemies[index] as (typeof enemies)[number]
    await isAfter(async () => (await attemptsTo(subscriber)).length > 0)
    const [attempt] = await attemptsTo(subscriber)
    t.ok((attempt?.duration ?? 0) < TIMEOUT_MS + TIMER_SLACK_MS, `${name} is cut off`)
    const isSlow = name.includes('a second')
    t.equal(attempt?.outcome === 'timeout', isSlow, `${name}: ${attempt?.outcome}`)
  }
  if (isLinux) t.ok(residentKib(pid) - before < GROWTH_LIMIT_KIB, 'nothing of it is kept')
  for (const { subscriber } of [well, ...enemies]) await remove(subscriber)
  await untilAtRest(world.admin)
})

t.test('500 for half an hour, then well again: the backlog comes in order, once', async (t) => {
  const { target, subscriber } = await subscribe({ status: 500 })
  const incident = await open('Endpoint down')
  await isAfter(() => target.requests.length === 1)
  await move(incident, 'identified')
  await move(incident, 'resolved')
  // 5 s, 30 s, 2 min and 10 min, then half an hour.
  for (;;) {
    const { length: failures } = await attemptsTo(subscriber)
    if (failures === FAILURES) break
    await letPass(world, 1.2 * TEN_MINUTES_SECONDS)
    await isAfter(async () => (await attemptsTo(subscriber)).length > failures)
  }
  t.same(new Set(versionsAt(target)), new Set([1]), 'one probe at a time, of the oldest')
  t.equal((await read(subscriber)).status, 'active')
  target.respond({ status: 204 })
  await letPass(world, 3 * 1.2 * TEN_MINUTES_SECONDS)
  await isAfter(() => target.requests.length === 8)
  t.same(versionsAt(target).slice(5), [1, 2, 3])
  const ids = target.requests.map(({ headers }) => headers['webhook-id'])
  t.equal(new Set(ids).size, 3, 'every attempt repeats its id')
  await remove(subscriber)
})

t.test('410: gone at once, what waits is dropped', async (t) => {
  const { target, subscriber } = await subscribe({ status: 410 })
  await open('Gone')
  await isAfter(async () => (await read(subscriber)).status === 'quarantined')
  t.equal((await read(subscriber)).statusReason, 'endpoint_gone')
  await open('Never heard of')
  await untilAtRest(world.admin)
  t.equal(target.requests.length, 1)
  t.match(await attemptsTo(subscriber), [{ state: 'cancelled', reason: 'disabled' }])
  const owner = 'owner@webhook-faults.test'
  await isAfter(() => world.smtp.mails.some(({ to }) => to.includes(owner)))
})

t.test('429 with Retry-After is heeded', async (t) => {
  const well = await subscribe({ status: 204 })
  const busy = { status: 429, headers: { 'retry-after': String(2 * TEN_MINUTES_SECONDS) } }
  const { target, subscriber } = await subscribe(() => busy)
  await open('Busy')
  await isAfter(async () => (await attemptsTo(subscriber)).length === 1)
  target.respond({ status: 204 })
  await letPass(world, TEN_MINUTES_SECONDS)
  await open('Meanwhile')
  await isAfter(() => well.target.requests.length === 2)
  t.equal(target.requests.length, 1, 'not before its time')
  await letPass(world, TEN_MINUTES_SECONDS)
  await isAfter(() => target.requests.length === 3)
  await untilAtRest(world.admin)
  for (const one of [well.subscriber, subscriber]) await remove(one)
})

t.test('one event that is refused with 422 steps aside, all others pass', async (t) => {
  const { target, subscriber } = await subscribe(({ body }) => ({
    status: JSON.parse(body).incident.title === 'Refused' ? 422 : 204,
  }))
  const has = (title: string, version: number) => () =>
    target.requests.some(({ headers, body }) => {
      const { incident } = JSON.parse(body)
      return incident.title === title && headers['x-event-sequence'] === String(version)
    })
  const refused = await open('Refused')
  await isAfter(async () => (await attemptsTo(subscriber)).length > 0)
  t.match((await attemptsTo(subscriber))[0], { outcome: 'rejected', state: 'pending' })
  await open('Taken')
  await isAfter(has('Taken', 1))
  target.respond({ status: 204 })
  await move(refused, 'resolved')
  await isAfter(has('Refused', 2))
  await letPass(world, 1.2 * TEN_MINUTES_SECONDS)
  await assertAtRest(t, world.admin)
  t.same(new Set((await attemptsTo(subscriber)).map(({ state }) => state)), new Set(['delivered']))
})
