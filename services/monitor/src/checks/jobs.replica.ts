/** Replica in a process of its own, for tests that kill it. */
import { connect } from '@status-page/postgres'
import { LOCATION, localProbe, logger } from '../monitor.fixture.ts'
import { CheckScheduler } from './jobs.ts'

// Exits with the test process, so that a killed test leaves no process behind.
process.on('disconnect', () => process.exit())
const [url = '', leases = '{}'] = process.argv.slice(2)

const scheduler = new CheckScheduler({
  database: await connect({ url, service: 'monitor' }),
  probe: localProbe(() => scheduler.shards.now()),
  logger,
  location: LOCATION,
  checkRetentionDays: 30,
  onStored: () => {},
  onSkipped: () => {},
  onLag: () => {},
  leases: JSON.parse(leases),
})
await scheduler.start()
process.send?.('started')
