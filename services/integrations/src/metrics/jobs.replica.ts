/** Poller in a process of its own, for tests that kill it. */
import { createOutbound, outboundPolicy } from '@status-page/outbound'
import { connect } from '@status-page/postgres'
import { logger, testSealer } from '../integrations.fixture.ts'
import { createMetricsClient } from '../platforms/metrics-client.ts'
import { Poller } from './jobs.ts'

// Exits with the test process, so that a killed test leaves no process behind.
process.on('disconnect', () => process.exit())
const [url = '', authority = '', leases = '{}'] = process.argv.slice(2)

const policy = outboundPolicy({ allowCidrs: ['127.0.0.0/8'], ownHosts: [] })
const poller = new Poller({
  database: await connect({ url, service: 'integrations' }),
  metricsClient: createMetricsClient({
    outbound: createOutbound({ policy, extraAuthorities: [authority] }),
  }),
  sealer: testSealer,
  logger,
  valueRetentionDays: 30,
  onStored: () => {},
  onSkipped: () => {},
  onLag: () => {},
  leases: JSON.parse(leases),
})
await poller.start()
process.send?.('started')
