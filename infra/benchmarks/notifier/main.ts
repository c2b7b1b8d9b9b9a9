/**
 * `pnpm --filter infra benchmark:notifier`: time from POST /incidents to the first and last
 * webhook, alone and with fifty hanging receivers at the same host; webhooks and mails per second
 * compared with the bare libraries; time from one event to the rows of many subscribers, and their
 * cost while they wait. Settings: SUBSCRIBERS, WEBHOOKS (of the first part), MESSAGES (of the next
 * two), PARTS (of reaching, webhooks, mails, fanout; all), PROFILE (any value: prints processor
 * time of the notifier by owner of the code).
 */
import { randomUUID } from 'node:crypto'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { cpuMicros } from '../measure/cpu.ts'
import { type BenchmarkTarget, printMachine, printTable, printTargets } from '../measure/print.ts'
import { printProfiles } from '../measure/profile.ts'
import { type NotifierBenchmark, startBenchmark } from './setup.ts'
import { measureBareMails, measureBarePosts, type SendRate } from './yardsticks.ts'

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

/** Milliseconds from the POST, as a receiver would measure them. */
const measureReaching = async (
  { register, subscribe, sink }: NotifierBenchmark,
  hanging: number,
) => {
  await sink.ask('reset')
  const { organizationId, open } = await register()
  // Registration sends the owner one mail, which is not measured.
  await until(async () => (await sink.ask('report')).count > 0)
  if (hanging > 0) await subscribe(organizationId, 'webhook', hanging, '/hang')
  await subscribe(organizationId, 'webhook', webhooks)
  await sink.ask('reset')
  const postedMs = performance.timeOrigin + performance.now()
  await open()
  await until(async () => (await sink.ask('report')).count >= webhooks)
  const { firstMs, lastMs } = await sink.ask('report')
  return { firstMs: (firstMs ?? 0) - postedMs, lastMs: (lastMs ?? 0) - postedMs }
}

/**
 * Measures from the first arrival to the last; processor time of the notifier includes the fan-out.
 */
const measureSending = async (
  world: NotifierBenchmark,
  type: 'webhook' | 'email',
): Promise<SendRate> => {
  const { sink, origin } = world
  const organizationId = randomUUID()
  await world.subscribe(organizationId, type, messages)
  await sink.ask('reset')
  const cpuBefore = await cpuMicros(origin)
  const postgresBefore = world.postgresMicros()
  await world.state(organizationId)
  await until(async () => (await sink.ask('report')).count >= messages)
  const { firstMs, lastMs } = await sink.ask('report')
  return {
    perSecond: (messages * 1_000) / ((lastMs ?? 0) - (firstMs ?? 0)),
    cpuMicros: ((await cpuMicros(origin)) - cpuBefore) / messages,
    postgresMicros: (world.postgresMicros() - postgresBefore) / messages,
  }
}

/** Measures with SMS subscribers and no SMS provider, so that the deliveries stay pending. */
const measureFanOut = async (world: NotifierBenchmark) => {
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

const figure = (value: number) => value.toFixed(0)

const parts = {
  async reaching(world: NotifierBenchmark): Promise<BenchmarkTarget[]> {
    await measureReaching(world, 0)
    const alone = await measureReaching(world, 0)
    const withHanging = await measureReaching(world, HANGING)
    printTable(
      [`POST /incidents to ${webhooks} webhooks`, 'first ms', 'last ms'],
      [
        ['alone', figure(alone.firstMs), figure(alone.lastMs)],
        [
          `with ${HANGING} hanging receivers`,
          figure(withHanging.firstMs),
          figure(withHanging.lastMs),
        ],
      ],
    )
    const measured = withHanging.lastMs / alone.lastMs
    return [{ name: 'with hanging receivers', measured, atMost: 1.5, unit: '×' }]
  },

  async webhooks(world: NotifierBenchmark): Promise<BenchmarkTarget[]> {
    const posts = await measureBarePosts(`http://127.0.0.1:${world.sink.ports.http}`, messages)
    const hooks = await measureTwice(world, 'webhook')
    printSending({ 'bare undici, keep-alive': posts, 'signed webhooks': hooks })
    const measured = 1_000 / hooks.perSecond
    return [{ name: 'a webhook (3,000/s)', measured, atMost: 0.33, unit: 'ms' }]
  },

  async mails(world: NotifierBenchmark): Promise<BenchmarkTarget[]> {
    const plain = await measureBareMails(world.sink.ports.smtp, messages)
    const mails = await measureTwice(world, 'email')
    printSending({ 'bare nodemailer, pool': plain, mails })
    const measured = 1_000 / mails.perSecond
    return [{ name: 'a mail (600/s)', measured, atMost: 1.67, unit: 'ms' }]
  },

  async fanout(world: NotifierBenchmark): Promise<BenchmarkTarget[]> {
    const { count, seconds, grownBytes, cpuShare } = await measureFanOut(world)
    printTable(
      ['fan-out', 'rows', 's', 'rows/s', 'RSS growth', 'CPU while they wait'],
      [
        [
          'one event',
          String(count),
          seconds.toFixed(1),
          figure(count / seconds),
          `${figure(grownBytes / MIB)} MiB`,
          `${(cpuShare * 100).toFixed(1)} %`,
        ],
      ],
    )
    return [
      { name: '100,000 rows', measured: seconds, atMost: 8, unit: 's' },
      { name: 'RSS growth', measured: grownBytes / MIB, atMost: 95, unit: 'MiB' },
    ]
  },
}

/** Measures the second run, because the first run of code takes several times as long. */
const measureTwice = async (
  world: NotifierBenchmark,
  type: 'webhook' | 'email',
): Promise<SendRate> => {
  await measureSending(world, type)
  return measureSending(world, type)
}

const printSending = (measured: Record<string, SendRate>): void => {
  const rows = Object.entries(measured).map(
    ([name, { perSecond, cpuMicros: micros, postgresMicros = Number.NaN }]) => [
      name,
      figure(perSecond),
      figure(micros),
      figure(postgresMicros),
    ],
  )
  printTable([`${messages} messages`, 'per second', 'CPU µs each', 'Postgres µs each'], rows)
}

const wanted = (process.env.PARTS ?? Object.keys(parts).join()).split(',')
const profiles = process.env.PROFILE ? mkdtempSync(join(tmpdir(), 'profiles-')) : null
printMachine()
const world = await startBenchmark(profiles && `--cpu-prof --cpu-prof-dir=${profiles}`)
try {
  const targets: BenchmarkTarget[] = []
  for (const [name, part] of Object.entries(parts)) {
    if (wanted.includes(name)) targets.push(...(await part(world)))
  }
  printTargets(targets)
} finally {
  await world.close()
}
if (profiles !== null) printProfiles(profiles, ['notifier'])
