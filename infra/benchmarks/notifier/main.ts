/**
 * `pnpm --filter infra benchmark:notifier`: time from POST /incidents to the first and last
 * webhook, alone and with fifty hanging receivers at the same host; webhooks and mails per second
 * compared with the bare libraries; time from one event to the rows of many subscribers, and their
 * cost while they wait. Settings: SUBSCRIBERS, WEBHOOKS (of the first part), MESSAGES (of the next
 * two), PARTS (of reaching, webhooks, mails, fanout; all), PROFILE (any value: prints processor
 * time of the notifier by owner of the code).
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { cpuMicros } from '../measure/cpu.ts'
import { type BenchmarkTarget, printMachine, printTable, printTargets } from '../measure/print.ts'
import { printProfiles } from '../measure/profile.ts'
import { numberSetting } from '../measure/settings.ts'
import { type NotifierBenchmark, startBenchmark } from './setup.ts'
import { measureBareMails, measureBarePosts, type SendRate } from './yardsticks.ts'

const subscribers = numberSetting('SUBSCRIBERS', 100_000)
const webhooks = numberSetting('WEBHOOKS', 1_000)
const messages = numberSetting('MESSAGES', 10_000)
const HANGING = 50
/** Smaller sizes of the fan-out, which show whether its cost per row is constant. */
const FAN_OUT_SIZES = [1_000, 10_000]
const REST_MS = 20_000
const LOOK_MS = 50
/** Resolution of the duration of a fan-out. */
const RECEIPT_LOOK_MS = 5
const GIVE_UP_MS = 300_000
const MIB = 2 ** 20

const until = async (holds: () => Promise<boolean>, lookMs = LOOK_MS): Promise<void> => {
  const deadline = performance.now() + GIVE_UP_MS
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error('It does not end')
    await pause(lookMs)
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

/**
 * Measures from the event to its receipt, with SMS subscribers and no SMS provider, so that the
 * deliveries stay pending.
 */
const measureFanOut = async (world: NotifierBenchmark, count: number): Promise<FanOut> => {
  const organizationId = randomUUID()
  await world.subscribe(organizationId, 'sms', count)
  const before = await world.residentBytes()
  let peak = before
  const sampling = new AbortController()
  const sample = async () => {
    while (!sampling.signal.aborted) {
      peak = Math.max(peak, await world.residentBytes())
      await pause(LOOK_MS)
    }
  }
  const sampled = sample()
  const startedMs = performance.now()
  const eventId = await world.state(organizationId)
  await until(() => world.hasReceipt(eventId), RECEIPT_LOOK_MS)
  const seconds = (performance.now() - startedMs) / 1_000
  sampling.abort()
  await sampled
  const cpuBefore = await cpuMicros(world.origin)
  await pause(REST_MS)
  const cpuShare = ((await cpuMicros(world.origin)) - cpuBefore) / (REST_MS * 1_000)
  const rows = await world.deliveriesOf(eventId)
  return { rows, seconds, grownBytes: peak - before, cpuShare }
}

interface FanOut {
  rows: number
  seconds: number
  grownBytes: number
  /** Share of a core while the deliveries wait. */
  cpuShare: number
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
    return [
      {
        name: 'a webhook, notifier and Postgres',
        measured: hooks.cpuMicros + (hooks.postgresMicros ?? Number.NaN),
        unit: 'µs',
        atMost: 4.5,
        yardstick: { name: 'a bare request', measured: posts.cpuMicros },
      },
    ]
  },

  async mails(world: NotifierBenchmark): Promise<BenchmarkTarget[]> {
    const plain = await measureBareMails(world.sink.ports.smtp, messages)
    const mails = await measureTwice(world, 'email')
    printSending({ 'bare nodemailer, pool': plain, mails })
    return [
      {
        name: 'a mail, elapsed time',
        measured: 1_000 / mails.perSecond,
        unit: 'ms',
        // 75 % of the rate of the pool.
        atMost: 1.33,
        yardstick: { name: 'a mail of a bare pool', measured: 1_000 / plain.perSecond },
      },
    ]
  },

  async fanout(world: NotifierBenchmark): Promise<BenchmarkTarget[]> {
    const sizes = [...FAN_OUT_SIZES.filter((size) => size < subscribers), subscribers]
    const measured: FanOut[] = []
    for (const size of sizes) measured.push(await measureFanOut(world, size))
    printTable(
      ['fan-out of one event, rows', 's', 'rows/s', 'RSS growth', 'CPU while they wait'],
      measured.map(({ rows, seconds, grownBytes, cpuShare }) => [
        String(rows),
        seconds.toFixed(2),
        figure(rows / seconds),
        `${figure(grownBytes / MIB)} MiB`,
        `${(cpuShare * 100).toFixed(1)} %`,
      ]),
    )
    const { rows, seconds, grownBytes } = measured.at(-1) as FanOut
    return [
      { name: `${rows} rows`, measured: seconds, atMost: 8, unit: 's' },
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
await printMachine()
const world = await startBenchmark()
try {
  const targets: BenchmarkTarget[] = []
  for (const [name, part] of Object.entries(parts)) {
    if (wanted.includes(name)) targets.push(...(await part(world)))
  }
  printTargets(targets)
} finally {
  await world.close()
}
printProfiles(['notifier'])
