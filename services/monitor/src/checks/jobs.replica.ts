/**
 * Replica in a process of its own, for tests that kill it. Each request names its slot in the query,
 * because the time of arrival does not identify it: clocks differ, and requests are delayed.
 */

import { connect } from '@status-page/postgres'
import type { RunProbe } from '@status-page/probes'
import { LOCATION, localProbe, logger } from '../monitor.fixture.ts'
import { CheckTarget } from '../targets/target.ts'
import { CheckScheduler } from './jobs.ts'

// Exits with the test process, so that a killed test leaves no process behind.
process.on('disconnect', () => process.exit())
const [url = '', leases = '{}'] = process.argv.slice(2)

const run = localProbe(() => scheduler.shards.now())
const probe: RunProbe = (target) => {
  if (!(target instanceof CheckTarget)) throw new Error('expected a scheduled target')
  const { organizationId, componentId, timeoutMs, probe, firedSlotMs } = target
  if (probe.kind !== 'http') throw new Error('expected an HTTP check')
  const url = `${probe.url}?slot=${firedSlotMs}`
  return run({ organizationId, componentId, timeoutMs, probe: { ...probe, url } })
}

const scheduler = new CheckScheduler({
  database: await connect({ url, service: 'monitor' }),
  runProbe: probe,
  logger,
  canPing: async () => false,
  location: LOCATION,
  checkRetentionDays: 30,
  onStored: () => {},
  onSkipped: () => {},
  onLag: () => {},
  leases: JSON.parse(leases),
})
await scheduler.start()
process.send?.('started')
