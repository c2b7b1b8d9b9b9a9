/** A missing canary raises an alarm, and its return ends the alarm. */
import { memoryBus } from '@status-page/bus'
import { canarySent, emit, PLATFORM, type ServiceName, systemActor } from '@status-page/contracts'
import { newId, transact } from '@status-page/postgres'
import { createMetrics } from '@status-page/service'
import { shiftedClock, testDatabase } from '@status-page/testing'
import t from 'tap'
import { canaryHandler } from './handlers.ts'
import { canaryWatch } from './watch.ts'

t.test(
  'the age of a canary is a metric, and above 180 s an alarm until the next canary',
  async (t) => {
    const databases = await testDatabase(t, { services: ['core', 'notifier'] })
    const clock = shiftedClock()
    const notifier = await databases.connect('notifier', { clock })
    const core = await databases.database('core')
    const bus = memoryBus(t, [
      { database: core, reactions: [] },
      { database: notifier, reactions: [canaryHandler] },
    ])
    const send = async (service: ServiceName, secondsAgo: number) => {
      const sentAt = new Date(Date.now() - secondsAgo * 1000).toISOString()
      await transact(core, { organizationId: PLATFORM, actor: systemActor }, async () => ({
        result: null,
        events: [emit(canarySent, { id: newId(), version: 1 }, { service, sentAt })],
        audit: [],
      }))
      await bus.drain()
    }
    const lines: string[] = []
    const log = (details: object, message: string) =>
      lines.push(`${(details as { service: string }).service}: ${message}`)
    const metrics = createMetrics()
    const watch = canaryWatch({ database: notifier, metrics, logger: { info: log, error: log } })
    const look = () => watch.run(new AbortController().signal)

    await look()
    t.same(lines, [], 'what has never come is not missed')
    await send('core', 10)
    await send('monitor', 200)
    await look()
    t.same(lines, [], 'it may have come while nobody was here to hear it')
    clock.advance(181_000)
    for (let turn = 0; turn < 2; turn++) await look()
    t.match(lines, [/^monitor: Events of monitor do not arrive/])
    t.equal(lines.length, 1, 'said once')
    const figures = await metrics.registry.metrics()
    t.match(figures, /canary_age\{service="core"\} 1\d(\.|\n)/)
    t.match(figures, /canary_age\{service="monitor"\} 20\d(\.|\n)/)
    await send('monitor', 300)
    await look()
    t.equal(lines.length, 1, 'an older one changes nothing')
    await send('monitor', 0)
    await look()
    t.equal(lines[1], 'monitor: alarm resolved')
  },
)
