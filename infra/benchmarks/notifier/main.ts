/**
 * `pnpm --filter infra benchmark:notifier`: time from POST /incidents to the first and last
 * webhook, alone and with fifty hanging receivers at the same host; webhooks and mails per second
 * compared with the bare libraries; time from one event to the rows of many subscribers, and their
 * cost while they wait. Bare requests are also measured at the rate of the webhooks: at their own
 * maximum one turn of the event loop serves more of them. Settings: SUBSCRIBERS, WEBHOOKS (of the
 * first part), MESSAGES (of the next two), PARTS (of latency, webhooks, mails, fanout; all), PROFILE
 * (any value: prints processor time of the notifier by owner of the code).
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
/** Period in which the processor time of waiting deliveries is measured. */
const WAITING_MS = 20_000
const POLL_INTERVAL_MS = 50
/** Resolution of the duration of a fan-out. */
const RECEIPT_POLL_INTERVAL_MS = 5
const TIMEOUT_MS = 300_000
const MIB = 2 ** 20

const waitUntil = async (
  isReached: () => Promise<boolean>,
  intervalMs = POLL_INTERVAL_MS,
): Promise<void> => {
  const deadline = performance.now() + TIMEOUT_MS
  while (!(await isReached())) {
    if (performance.now() > deadline) {
      throw new Error(`A measurement has not ended within ${TIMEOUT_MS / 1_000} s`)
    }
    await pause(intervalMs)
  }
}

/** Milliseconds from the POST, as a receiver would measure them. */
const measureLatency = async (
  { register, subscribe, sink }: NotifierBenchmark,
  hanging: number,
) => {
  await sink.request('reset')
  const { organizationId, open } = await register()
  // Registration sends the owner one mail, which is not measured.
  await waitUntil(async () => (await sink.request('report')).count > 0)
  if (hanging > 0) await subscribe(organizationId, 'webhook', hanging, '/hang')
  await subscribe(organizationId, 'webhook', webhooks)
  await sink.request('reset')
  const postedMs = performance.timeOrigin + performance.now()
  await open()
  await waitUntil(async () => (await sink.request('report')).count >= webhooks)
  const { firstMs, lastMs } = await sink.request('report')
  return { firstMs: (firstMs ?? 0) - postedMs, lastMs: (lastMs ?? 0) - postedMs }
}

/**
 * Measures from the first arrival to the last; processor time of the notifier includes the fan-out.
 */
const measureSending = async (
  benchmark: NotifierBenchmark,
  type: 'webhook' | 'email',
): Promise<SendRate> => {
  const { sink, origin } = benchmark
  const organizationId = randomUUID()
  await benchmark.subscribe(organizationId, type, messages)
  await sink.request('reset')
  const cpuBefore = await cpuMicros(origin)
  const postgresBefore = benchmark.postgresMicros()
  await benchmark.insertEvent(organizationId)
  await waitUntil(async () => (await sink.request('report')).count >= messages)
  const { firstMs, lastMs } = await sink.request('report')
  return {
    perSecond: (messages * 1_000) / ((lastMs ?? 0) - (firstMs ?? 0)),
    cpuMicros: ((await cpuMicros(origin)) - cpuBefore) / messages,
    postgresMicros: (benchmark.postgresMicros() - postgresBefore) / messages,
  }
}

/**
 * Measures from the event to its receipt, with SMS subscribers and no SMS provider, so that the
 * deliveries stay pending.
 */
const measureFanOut = async (benchmark: NotifierBenchmark, count: number): Promise<FanOut> => {
  const organizationId = randomUUID()
  await benchmark.subscribe(organizationId, 'sms', count)
  const before = await benchmark.residentBytes()
  let peak = before
  const sampling = new AbortController()
  const sample = async () => {
    while (!sampling.signal.aborted) {
      peak = Math.max(peak, await benchmark.residentBytes())
      await pause(POLL_INTERVAL_MS)
    }
  }
  const sampled = sample()
  const startedMs = performance.now()
  const eventId = await benchmark.insertEvent(organizationId)
  await waitUntil(() => benchmark.hasReceipt(eventId), RECEIPT_POLL_INTERVAL_MS)
  const seconds = (performance.now() - startedMs) / 1_000
  sampling.abort()
  await sampled
  const cpuBefore = await cpuMicros(benchmark.origin)
  await pause(WAITING_MS)
  const cpuShare = ((await cpuMicros(benchmark.origin)) - cpuBefore) / (WAITING_MS * 1_000)
  const rows = await benchmark.deliveriesOf(eventId)
  return { rows, seconds, grownBytes: peak - before, cpuShare }
}

interface FanOut {
  rows: number
  seconds: number
  grownBytes: number
  /** Share of a core while the deliveries wait. */
  cpuShare: number
}

const rounded = (value: number) => value.toFixed(0)

const parts = {
  async latency(benchmark: NotifierBenchmark): Promise<BenchmarkTarget[]> {
    await measureLatency(benchmark, 0)
    const alone = await measureLatency(benchmark, 0)
    const withHanging = await measureLatency(benchmark, HANGING)
    printTable(
      [`POST /incidents to ${webhooks} webhooks`, 'first ms', 'last ms'],
      [
        ['alone', rounded(alone.firstMs), rounded(alone.lastMs)],
        [
          `with ${HANGING} hanging receivers`,
          rounded(withHanging.firstMs),
          rounded(withHanging.lastMs),
        ],
      ],
    )
    const measured = withHanging.lastMs / alone.lastMs
    return [{ name: 'last webhook, ratio with hanging receivers', measured, atMost: 1.5, unit: '' }]
  },

  async webhooks(benchmark: NotifierBenchmark): Promise<BenchmarkTarget[]> {
    const origin = `http://127.0.0.1:${benchmark.sink.ports.http}`
    const posts = await measureBarePosts(origin, messages)
    const hooks = await measureCompiled(benchmark, 'webhook')
    printSending({
      'bare undici, keep-alive': posts,
      'bare undici at the rate of the webhooks': await measureBarePosts(
        origin,
        messages,
        hooks.perSecond,
      ),
      'signed webhooks': hooks,
    })
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

  async mails(benchmark: NotifierBenchmark): Promise<BenchmarkTarget[]> {
    const plain = await measureBareMails(benchmark.sink.ports.smtp, messages)
    const mails = await measureCompiled(benchmark, 'email')
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

  async fanout(benchmark: NotifierBenchmark): Promise<BenchmarkTarget[]> {
    const sizes = [...FAN_OUT_SIZES.filter((size) => size < subscribers), subscribers]
    const measured: FanOut[] = []
    for (const size of sizes) measured.push(await measureFanOut(benchmark, size))
    printTable(
      ['fan-out of one event, rows', 's', 'rows/s', 'RSS growth', 'CPU while pending'],
      measured.map(({ rows, seconds, grownBytes, cpuShare }) => [
        String(rows),
        seconds.toFixed(2),
        rounded(rows / seconds),
        `${rounded(grownBytes / MIB)} MiB`,
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
const measureCompiled = async (
  benchmark: NotifierBenchmark,
  type: 'webhook' | 'email',
): Promise<SendRate> => {
  await measureSending(benchmark, type)
  return measureSending(benchmark, type)
}

const printSending = (measured: Record<string, SendRate>): void => {
  const rows = Object.entries(measured).map(
    ([name, { perSecond, cpuMicros: micros, postgresMicros = Number.NaN }]) => [
      name,
      rounded(perSecond),
      rounded(micros),
      rounded(postgresMicros),
    ],
  )
  printTable([`${messages} messages`, 'per second', 'CPU µs each', 'Postgres µs each'], rows)
}

const wanted = (process.env.PARTS ?? Object.keys(parts).join()).split(',')
await printMachine()
const benchmark = await startBenchmark()
try {
  const targets: BenchmarkTarget[] = []
  for (const [name, part] of Object.entries(parts)) {
    if (wanted.includes(name)) targets.push(...(await part(benchmark)))
  }
  printTargets(targets)
} finally {
  await benchmark.close()
}
printProfiles(['notifier'])
