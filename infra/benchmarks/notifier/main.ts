/**
 * `pnpm --filter infra benchmark:notifier`: from POST /incidents to the first and last webhook, alone and
 * beside fifty receivers that hang at the same host; webhooks and mails a second beside what the libraries
 * alone can do; from one event to the rows of many subscribers, and what those cost while they wait.
 * Settings: SUBSCRIBERS, WEBHOOKS (of the first part), MESSAGES (of the second).
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { cpuMicros } from '../measure/cpu.ts'
import { printMachine, printTable, printTargets } from '../measure/print.ts'
import { openWorld, type World } from './world.ts'
import { bareMails, barePosts, type Measured } from './yardsticks.ts'

const setting = (name: string, value: number) => Number(process.env[name] ?? value)
const subscribers = setting('SUBSCRIBERS', 100_000)
const webhooks = setting('WEBHOOKS', 1_000)
const messages = setting('MESSAGES', 10_000)
const HANGING = 50
const REST_MS = 20_000
const LOOK_MS = 50
const GIVE_UP_MS = 300_000
const MIB = 2 ** 20

const until = async (holds: () => Promise<boolean>): Promise<void> => {
  const deadline = performance.now() + GIVE_UP_MS
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error('It does not end')
    await pause(LOOK_MS)
  }
}

/** Milliseconds from the POST, as one who waits for the news would count them. */
const measureReaching = async ({ register, subscribe, sink }: World, hanging: number) => {
  const { organizationId, open } = await register()
  if (hanging > 0) await subscribe(organizationId, 'webhook', hanging, '/hang')
  await subscribe(organizationId, 'webhook', webhooks)
  await sink.ask('reset')
  const postedMs = performance.timeOrigin + performance.now()
  await open()
  await until(async () => (await sink.ask('report')).count >= webhooks)
  const { firstMs, lastMs } = await sink.ask('report')
  return { firstMs: (firstMs ?? 0) - postedMs, lastMs: (lastMs ?? 0) - postedMs }
}

/** From the first arrival to the last; processor time of the notifier, its fan-out included. */
const measureSending = async (world: World, type: 'webhook' | 'email'): Promise<Measured> => {
  const { sink, origin } = world
  const organizationId = randomUUID()
  await world.subscribe(organizationId, type, messages)
  await sink.ask('reset')
  const cpuBefore = await cpuMicros(origin)
  await world.state(organizationId)
  await until(async () => (await sink.ask('report')).count >= messages)
  const { firstMs, lastMs } = await sink.ask('report')
  return {
    perSecond: (messages * 1_000) / ((lastMs ?? 0) - (firstMs ?? 0)),
    cpuMicros: ((await cpuMicros(origin)) - cpuBefore) / messages,
  }
}

/** To phones without a way out, so that the rows stay. */
const measureFanOut = async (world: World) => {
  const organizationId = randomUUID()
  await world.subscribe(organizationId, 'sms', subscribers)
  const before = await world.residentBytes()
  let peak = before
  const eventId = await world.state(organizationId)
  await until(async () => {
    peak = Math.max(peak, await world.residentBytes())
    return world.hasReceipt(eventId)
  })
  const [rows] = await world.sql<{ count: number; seconds: number }[]>`
    SELECT count(*)::int AS count, extract(epoch FROM max(processed_at) - min(d.created_at))::float8 AS seconds
    FROM notifier.deliveries d JOIN notifier.inbox i USING (event_id)
    WHERE event_id = ${eventId} AND i.consumer = 'notifier-deliveries'`
  const cpuBefore = await cpuMicros(world.origin)
  await pause(REST_MS)
  const cpuShare = ((await cpuMicros(world.origin)) - cpuBefore) / (REST_MS * 1_000)
  return {
    count: rows?.count ?? 0,
    seconds: rows?.seconds ?? Number.NaN,
    grownBytes: peak - before,
    cpuShare,
  }
}

printMachine()
const world = await openWorld()
try {
  const { http, smtp } = world.sink.ports
  // What a process does for the first time takes several times as long: each part is done before.
  await measureReaching(world, 0)
  const alone = await measureReaching(world, 0)
  const beside = await measureReaching(world, HANGING)
  const posts = await barePosts(`http://127.0.0.1:${http}`, messages)
  await measureSending(world, 'webhook')
  const hooks = await measureSending(world, 'webhook')
  const plainMails = await bareMails(smtp, messages)
  await measureSending(world, 'email')
  const mails = await measureSending(world, 'email')
  const fanOut = await measureFanOut(world)
  const figure = (value: number) => value.toFixed(0)
  printTable(
    [`POST /incidents to ${webhooks} webhooks`, 'first ms', 'last ms'],
    [
      ['alone', figure(alone.firstMs), figure(alone.lastMs)],
      [`beside ${HANGING} that hang`, figure(beside.firstMs), figure(beside.lastMs)],
    ],
  )
  const rowOf = (name: string, { perSecond, cpuMicros: micros }: Measured) => [
    ...[name, figure(perSecond), figure(micros)],
  ]
  printTable(
    [`${messages} messages`, 'per second', 'CPU µs each'],
    [
      rowOf('bare undici, kept connections', posts),
      rowOf('webhooks', hooks),
      rowOf('bare nodemailer, pool', plainMails),
      rowOf('mails', mails),
    ],
  )
  printTable(
    ['fan-out', 'rows', 's', 'rows/s', 'RSS growth', 'CPU while they wait'],
    [
      [
        ...['one event', String(fanOut.count), fanOut.seconds.toFixed(1)],
        ...[figure(fanOut.count / fanOut.seconds), `${figure(fanOut.grownBytes / MIB)} MiB`],
        `${(fanOut.cpuShare * 100).toFixed(1)} %`,
      ],
    ],
  )
  printTargets([
    { name: '100,000 rows', measured: fanOut.seconds, atMost: 8, unit: 's' },
    { name: 'RSS growth', measured: fanOut.grownBytes / MIB, atMost: 95, unit: 'MiB' },
    { name: 'a webhook (3,000/s)', measured: 1_000 / hooks.perSecond, atMost: 0.33, unit: 'ms' },
    { name: 'a mail (600/s)', measured: 1_000 / mails.perSecond, atMost: 1.67, unit: 'ms' },
    { name: 'beside hanging ones', measured: beside.lastMs / alone.lastMs, atMost: 1.5, unit: '×' },
  ])
} finally {
  await world.close()
}
