/**
 * `pnpm --filter infra benchmark:notifier`: from one event to the rows of many subscribers, what that
 * costs in memory and what the rows cost while they wait; then webhooks to one receiver, alone and
 * beside fifty that hang. Settings: SUBSCRIBERS, WEBHOOKS.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { cpuMicros } from '../measure/cpu.ts'
import { printMachine, printTable, printTargets } from '../measure/print.ts'
import { openReceiver, openWorld, type World } from './world.ts'

const setting = (name: string, value: number) => Number(process.env[name] ?? value)
const subscribers = setting('SUBSCRIBERS', 100_000)
const webhooks = setting('WEBHOOKS', 1_000)
const HANGING = 50
const REST_MS = 20_000
const LOOK_MS = 100
const GIVE_UP_MS = 300_000
const MIB = 2 ** 20

const until = async (holds: () => Promise<boolean> | boolean): Promise<void> => {
  const deadline = performance.now() + GIVE_UP_MS
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error('It does not end')
    await pause(LOOK_MS)
  }
}

const measureFanOut = async (world: World) => {
  const organizationId = randomUUID()
  await world.subscribe(organizationId, 'email', subscribers)
  const before = await world.residentBytes()
  let peak = before
  const eventId = await world.open(organizationId)
  await until(async () => {
    peak = Math.max(peak, await world.residentBytes())
    return world.hasReceipt(eventId)
  })
  const [rows] = await world.sql<{ count: number; seconds: number }[]>`
    SELECT count(*)::int AS count, extract(epoch FROM max(processed_at) - min(d.created_at))::float8 AS seconds
    FROM notifier.deliveries d JOIN notifier.inbox i USING (event_id) WHERE event_id = ${eventId}`
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

const measureWebhooks = async (world: World, hanging: number) => {
  const receiver = await openReceiver()
  const organizationId = randomUUID()
  if (hanging > 0)
    await world.subscribe(organizationId, 'webhook', hanging, `${receiver.origin}/hang`)
  await world.subscribe(organizationId, 'webhook', webhooks, receiver.origin)
  const said = performance.now()
  await world.open(organizationId)
  await until(() => receiver.arrivals.length >= webhooks)
  const [first = 0, last = 0] = [receiver.arrivals[0], receiver.arrivals.at(-1)]
  receiver.close()
  return {
    firstMs: first - said,
    lastMs: last - said,
    perSecond: (webhooks * 1_000) / (last - first),
  }
}

printMachine()
const world = await openWorld()
try {
  const alone = await measureWebhooks(world, 0)
  const beside = await measureWebhooks(world, HANGING)
  const fanOut = await measureFanOut(world)
  printTable(
    ['fan-out', 'rows', 's', 'rows/s', 'RSS growth', 'CPU while they wait'],
    [
      [
        'one event',
        ...[
          fanOut.count,
          fanOut.seconds.toFixed(1),
          (fanOut.count / fanOut.seconds).toFixed(0),
        ].map(String),
        `${(fanOut.grownBytes / MIB).toFixed(0)} MiB`,
        `${(fanOut.cpuShare * 100).toFixed(1)} %`,
      ],
    ],
  )
  const rowOf = (name: string, measured: typeof alone) => [
    ...[name, String(webhooks)],
    ...[measured.firstMs, measured.lastMs, measured.perSecond].map((value) => value.toFixed(0)),
  ]
  printTable(
    ['webhooks', 'count', 'first ms', 'last ms', 'per second'],
    [rowOf('alone', alone), rowOf(`beside ${HANGING} that hang`, beside)],
  )
  const perWebhookMs = 1_000 / alone.perSecond
  printTargets([
    { name: '100,000 rows', measured: fanOut.seconds, atMost: 8, unit: 's' },
    { name: 'RSS growth', measured: fanOut.grownBytes / MIB, atMost: 95, unit: 'MiB' },
    { name: 'a webhook (3,000/s)', measured: perWebhookMs, atMost: 0.33, unit: 'ms' },
    { name: 'beside hanging ones', measured: beside.lastMs / alone.lastMs, atMost: 1.5, unit: '×' },
  ])
} finally {
  await world.close()
}
