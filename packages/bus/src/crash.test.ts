import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { eventually } from '@status-page/testing'
import t from 'tap'
import {
  type BusTestScope,
  commitEvent,
  openCount,
  opened,
  receiptsOf,
  recordingHandler,
  register,
  startBus,
  twoServices,
} from './bus.fixture.ts'
import { startNats } from './nats-server.fixture.ts'

const program = fileURLToPath(new URL('./crash.fixture.ts', import.meta.url))

/** Runs the bus of a service in its own process, which is killed at a fault point. */
const startProcess = (t: BusTestScope, settings: Record<string, string>): ChildProcess => {
  const child = spawn(process.execPath, [...process.execArgv, program], {
    stdio: 'ignore',
    env: { ...process.env, ...settings },
  })
  t.teardown(async () => void child.kill('SIGKILL'))
  return child
}

const died = async (child: ChildProcess) => {
  const isRunning = child.exitCode === null && child.signalCode === null
  if (isRunning) await once(child, 'exit')
  return child.signalCode
}

const fixture = async (t: BusTestScope) => {
  const services = await twoServices(t)
  const nats = await startNats(t)
  const notices = recordingHandler('notifier-notices', [opened])
  await register(services.notifier, notices.handler)
  return { ...services, nats, notices }
}

t.test('killed between PubAck and mark: published again, handled once', async (t) => {
  const { databases, core, notifier, nats, notices } = await fixture(t)
  // Without bypass, however long the process takes to start: an unpublished event must stay unread.
  const intervals = { unpublishedLagMs: 3_600_000 }
  await startBus(t, notifier, [notices.handler], { natsUrl: nats.url, intervals })
  const child = startProcess(t, {
    SERVICE: 'core',
    DATABASE_URL: databases.url('core'),
    NATS_URL: nats.url,
    FAULT_POINT: 'relay.after_puback',
  })
  await commitEvent(core, opened, 'one')
  t.equal(await died(child), 'SIGKILL')
  await eventually(() => notices.seen.length === 1)
  await startBus(t, core, [], { natsUrl: nats.url })
  await eventually(async () => (await openCount(core)) === 0)
  t.same(notices.seen, ['one'])
})

for (const [point, effects] of [
  ['react.after_receive', 1],
  ['react.after_commit', 0],
] as const) {
  t.test(`killed at ${point}: redelivered, one receipt`, async (t) => {
    const { databases, core, notifier, nats, notices } = await fixture(t)
    await startBus(t, core, [], { natsUrl: nats.url, intervals: { sweepMs: 3_600_000 } })
    const child = startProcess(t, {
      SERVICE: 'notifier',
      DATABASE_URL: databases.url('notifier'),
      NATS_URL: nats.url,
      FAULT_POINT: point,
    })
    await commitEvent(core, opened, 'one')
    t.equal(await died(child), 'SIGKILL')
    await startBus(t, notifier, [notices.handler], { natsUrl: nats.url })
    await eventually(async () => (await receiptsOf(notifier, 'notifier-notices')) === 1)
    await commitEvent(core, opened, 'two')
    await eventually(() => notices.seen.includes('two'))
    t.equal(notices.seen.filter((title) => title === 'one').length, effects)
    t.equal((await notifier.batchSql`SELECT 1 FROM dead_event`).length, 0)
  })
}
