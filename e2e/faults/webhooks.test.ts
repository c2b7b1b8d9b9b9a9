/**
 * Webhook endpoints that are hostile, gone, slow or reject single events: each affects only itself
 * and loses no message.
 */
import { readFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import { incidentOperations, type Subscriber, subscriberOperations } from '@status-page/contracts'
import { eventually, type HttpTarget, httpTarget, type TargetHandler } from '@status-page/testing'
import t from 'tap'
import { assertIdle, waitUntilIdle } from '../kit/delivery-ledger.ts'
import { register } from '../kit/tenant.ts'
import { advanceTime } from '../kit/time.ts'
import { startWorld } from '../kit/world.ts'

const TOLD_WITHIN_MS = 90_000
const BYTE_MS = 1_000
const CHUNK = Buffer.alloc(64 * 1024, 'x')
const MIB = 1024 ** 2
const HUGE_BYTES = 10 * 1024 ** 3
/** 128 MiB uncompressed, a thousandth of that on the wire. */
const BOMB = gzipSync(Buffer.alloc(128 * MIB))
const BOMB_WIRE_BYTES = 256 * 1024
const GROWTH_LIMIT_KIB = 20 * 1024
const LOOK_MS = 50
/** Ordinary responses before the measurement, until the process has reached its normal size. */
const WARMING = 4
const TIMEOUT_MS = 15_000
const TIMER_SLACK_MS = 10_000
const TEN_MINUTES_SECONDS = 600
const RETRY_AFTER_SECONDS = 120
const FAILURES = 5

const world = await startWorld(t, { hasShortIntervals: true })
const { api } = await register(world.api, 'webhook-faults')

const subscribe = async (script: Parameters<HttpTarget['respond']>[0]) => {
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
  SELECT a.outcome, a.duration_ms AS duration, d.state, d.reason
  FROM notifier.deliveries d JOIN notifier.destinations e ON e.id = d.destination_id
  CROSS JOIN LATERAL (
    SELECT outcome, duration_ms, started_at FROM notifier.delivery_attempts
    WHERE delivery_id = d.id
    UNION ALL SELECT 'delivered', d.delivered_duration_ms, d.delivered_started_at
    WHERE d.delivered_attempt IS NOT NULL) a
  WHERE e.subscriber_id = ${id} ORDER BY a.started_at`

/** Writes until the client disconnects. */
const writeEndlessly = (response: ServerResponse, chunk: Buffer | string, everyMs: number) => {
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
  'headers at one byte per second': (_request, response) => {
    const { socket } = response
    socket?.write('HTTP/1.1 200 OK\r\nX-Slow: ')
    const timer = setInterval(() => socket?.write('x'), BYTE_MS)
    socket?.on('close', () => clearInterval(timer))
    return undefined
  },
  'a body at one byte per second': (_request, response) => {
    response.writeHead(200)
    return writeEndlessly(response, 'x', BYTE_MS)
  },
  'ten gigabytes': (_request, response) => {
    response.writeHead(200, { 'content-length': String(HUGE_BYTES) })
    return flood(response)
  },
  'chunks without an end': (_request, response) => {
    response.writeHead(500)
    return flood(response)
  },
  'a gzip bomb': () => ({ headers: { 'content-encoding': 'gzip' }, body: BOMB }),
}

const residentKib = (pid: number | undefined): number => {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1])
}

/** Samples the memory of the notifier until stopped; returns the maximum. */
const watchMemory = () => {
  const { pid } = world.stack.processes.notifier
  let most = 0
  const look = () => {
    most = Math.max(most, residentKib(pid))
  }
  const timer = setInterval(look, LOOK_MS)
  return () => {
    clearInterval(timer)
    look()
    return most
  }
}

t.test(
  'hostile responses are cut off, use bounded memory and do not delay other deliveries',
  async (t) => {
    t.ok(BOMB.length < BOMB_WIRE_BYTES, `${BOMB.length} bytes on the wire`)
    const isLinux = process.platform === 'linux'
    const well = await subscribe({ status: 204 })
    const ordinary = await Promise.all(
      Object.keys(hostile).map(() =>
        subscribe({ headers: { 'content-encoding': 'gzip' }, body: gzipSync(CHUNK) }),
      ),
    )
    const calm = isLinux ? watchMemory() : () => 0
    for (let turn = 1; turn <= WARMING; turn++) {
      await open(`Calm ${turn}`)
      await isAfter(() => ordinary.every(({ target }) => target.requests.length === turn))
    }
    const before = calm()
    for (const { subscriber } of ordinary) await remove(subscriber)

    const enemies = await Promise.all(Object.values(hostile).map(subscribe))
    const attacked = isLinux ? watchMemory() : () => 0
    for (const title of ['One', 'Two', 'Three']) await open(title)
    await isAfter(() => well.target.requests.length === WARMING + 3)
    for (const [index, name] of Object.keys(hostile).entries()) {
      const { subscriber } = enemies[index] as (typeof enemies)[number]
      await isAfter(async () => (await attemptsTo(subscriber)).length > 0)
      const [attempt] = await attemptsTo(subscriber)
      t.ok((attempt?.duration ?? 0) < TIMEOUT_MS + TIMER_SLACK_MS, `${name} is cut off`)
      const isSlow = name.includes('per second')
      t.equal(attempt?.outcome === 'timeout', isSlow, `${name}: ${attempt?.outcome}`)
    }
    const grown = attacked() - before
    t.ok(grown < GROWTH_LIMIT_KIB, `grown by ${grown} KiB`)
    for (const { subscriber } of [well, ...enemies]) await remove(subscriber)
    await waitUntilIdle(world)
  },
)

t.test('500 for half an hour, then 204: waiting messages arrive in order, once', async (t) => {
  const { target, subscriber } = await subscribe({ status: 500 })
  const incident = await open('Endpoint down')
  await isAfter(() => target.requests.length === 1)
  await move(incident, 'identified')
  await move(incident, 'resolved')
  // Retries after 5 s, 30 s, 2 min and 10 min, then every half hour.
  for (;;) {
    const { length: failures } = await attemptsTo(subscriber)
    if (failures === FAILURES) break
    await advanceTime(world, 1.2 * TEN_MINUTES_SECONDS)
    await isAfter(async () => (await attemptsTo(subscriber)).length > failures)
  }
  t.same(new Set(versionsAt(target)), new Set([1]), 'one probe at a time, with the oldest message')
  t.equal((await read(subscriber)).status, 'active')
  target.respond({ status: 204 })
  await advanceTime(world, 3 * 1.2 * TEN_MINUTES_SECONDS)
  await isAfter(() => target.requests.length === 8)
  t.same(versionsAt(target).slice(5), [1, 2, 3])
  const ids = target.requests.map(({ headers }) => headers['webhook-id'])
  t.equal(new Set(ids).size, 3, 'every attempt has the same id')
  await remove(subscriber)
})

t.test(
  '410: deliveries to the endpoint stop at once, and waiting ones are cancelled',
  async (t) => {
    const { target, subscriber } = await subscribe({ status: 410 })
    await open('Gone')
    await isAfter(async () => (await read(subscriber)).status === 'quarantined')
    t.equal((await read(subscriber)).statusReason, 'endpoint_gone')
    await open('After the endpoint is gone')
    await waitUntilIdle(world)
    t.equal(target.requests.length, 1)
    t.match(await attemptsTo(subscriber), [{ state: 'cancelled', reason: 'disabled' }])
    const owner = 'owner@webhook-faults.test'
    const isNotice = ({ to, headers }: (typeof world.smtp.mails)[number]) =>
      to.includes(owner) && headers.subject?.includes('have stopped') === true
    await isAfter(() => world.smtp.mails.some(isNotice))
  },
)

t.test('429 with Retry-After: no attempt for 120 s, then all waiting messages', async (t) => {
  const well = await subscribe({ status: 204 })
  const busy = { status: 429, headers: { 'retry-after': String(RETRY_AFTER_SECONDS) } }
  const { target, subscriber } = await subscribe(() => busy)
  await open('Busy')
  await isAfter(async () => (await attemptsTo(subscriber)).length === 1)
  const [block] = await world.admin`
    SELECT extract(epoch FROM e.blocked_until - a.started_at)::float8 AS seconds
    FROM notifier.destinations e JOIN notifier.deliveries d ON d.destination_id = e.id
    JOIN notifier.delivery_attempts a ON a.delivery_id = d.id
    WHERE e.subscriber_id = ${subscriber.id}`
  t.ok(block?.seconds >= RETRY_AFTER_SECONDS, `blocked for ${block?.seconds} s`)
  target.respond({ status: 204 })
  // Half of the delay leaves room for the duration of the test itself.
  await advanceTime(world, RETRY_AFTER_SECONDS / 2)
  await open('During the block')
  await isAfter(() => well.target.requests.length === 2)
  t.equal(target.requests.length, 1, 'no earlier attempt')
  await advanceTime(world, RETRY_AFTER_SECONDS / 2)
  await isAfter(() => target.requests.length === 3)
  await waitUntilIdle(world)
  for (const one of [well.subscriber, subscriber]) await remove(one)
})

t.test('one event rejected with 422 does not block later events', async (t) => {
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
  await advanceTime(world, 1.2 * TEN_MINUTES_SECONDS)
  await assertIdle(t, world)
  t.same(new Set((await attemptsTo(subscriber)).map(({ state }) => state)), new Set(['delivered']))
})
