/** A missing canary raises an alarm, and its return ends the alarm. */
import { memoryBus } from '@status-page/bus'
import {
  canarySent,
  draftEvent,
  PLATFORM_ORGANIZATION_ID,
  type ServiceName,
  systemActor,
} from '@status-page/contracts'
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
      { database: core, eventHandlers: [] },
      { database: notifier, eventHandlers: [canaryHandler] },
    ])
    const send = async (service: ServiceName, secondsAgo: number) => {
      const sentAt = new Date(Date.now() - secondsAgo * 1000).toISOString()
      await transact(
        core,
        { organizationId: PLATFORM_ORGANIZATION_ID, actor: systemActor },
        async () => ({
          result: null,
          events: [draftEvent(canarySent, { id: newId(), version: 1 }, { service, sentAt })],
          audit: [],
        }),
      )
      await bus.drain()
    }
    const lines: string[] = []
    const log = (details: object, message: string) =>
      lines.push(`${(details as { service: string }).service}: ${message}`)
    const metrics = createMetrics()
    const watch = canaryWatch({ database: notifier, metrics, logger: { info: log, error: log } })
    const check = () => watch.run(new AbortController().signal)

    await check()
    t.same(lines, [], 'a canary that was never received is not missing')
    await send('core', 10)
    await send('monitor', 200)
    await check()
    t.same(lines, [], 'it may have arrived while no notifier was running')
    clock.advance(181_000)
    for (let turn = 0; turn < 2; turn++) await check()
    t.match(lines, [/^monitor: events of monitor do not arrive/])
    t.equal(lines.length, 1, 'logged once')
    const text = await metrics.registry.metrics()
    t.match(text, /canary_age_seconds\{service="core"\} 1\d(\.|\n)/)
    t.match(text, /canary_age_seconds\{service="monitor"\} 20\d(\.|\n)/)
    await send('monitor', 300)
    await check()
    t.equal(lines.length, 1, 'an older canary changes nothing')
    await send('monitor', 0)
    await check()
    t.equal(lines[1], 'monitor: alarm resolved')
  },
)
