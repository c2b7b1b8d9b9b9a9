/** Double of a vendor's status page, and a monitor that follows it. */
import type { ComponentEventData } from '@status-page/contracts'
import { createOutbound, outboundPolicy } from '@status-page/outbound'
import { newId } from '@status-page/postgres'
import { eventually, httpTarget, type TargetResponse } from '@status-page/testing'
import type { Test } from 'tap'
import { adminOf, component, logger, setup } from '../monitor.fixture.ts'
import { VendorPoller } from './poller.ts'
import { vendorReportJobs } from './publisher.ts'
import { createVendorReader } from './reader.ts'

export const json = { 'content-type': 'application/json' }

/** Summary of the Statuspage API with one component and its incident. */
export const summary = (status: string, given: object = {}): string =>
  JSON.stringify({
    page: { id: 'p', name: 'Acme Status', url: 'https://status.acme.example', updated_at: '' },
    status: {
      indicator: status === 'operational' ? 'none' : 'major',
      description: status === 'operational' ? 'All Systems Operational' : 'Partial System Outage',
    },
    components: [
      { id: 'c1', name: 'API', status, updated_at: '2026-01-01T10:00:00.000Z' },
      { id: 'c2', name: 'Website', status: 'operational', updated_at: '2026-01-01T10:00:00.000Z' },
    ],
    incidents:
      status === 'operational'
        ? []
        : [
            {
              name: 'Elevated <b>errors</b>',
              status: 'investigating',
              shortlink: 'https://stspg.example/1',
              updated_at: '2026-01-02T09:00:00.000Z',
              components: [{ id: 'c1' }],
            },
          ],
    scheduled_maintenances: [],
    ...given,
  })

export const vendorKit = async (t: Test) => {
  const server = await httpTarget(t)
  const { database, publishComponent, adminUrl } = await setup(t)
  const sql = await adminOf(t, adminUrl)
  const outbound = createOutbound({
    policy: outboundPolicy({ allowCidrs: ['127.0.0.0/8'], ownHosts: [] }),
  })
  t.teardown(() => outbound.close())
  const shards = { held: () => Array.from({ length: 256 }, (_none, shard) => shard) }
  const replica = () =>
    new VendorPoller({
      database,
      reader: createVendorReader({ outbound, now: Date.now }),
      shards,
      logger,
      isNetworkLost: async () => false,
    })
  const poller = replica()
  t.teardown(() => poller.stop())
  const signal = new AbortController().signal
  const [reports] = vendorReportJobs(database)
  return {
    server,
    database,
    sql,
    replica,
    publishComponent,
    /** Creates a component that follows the double. */
    async follow(
      upstream: ComponentEventData['upstream'],
      { organizationId = newId(), version = 1, id = newId() } = {},
    ) {
      const followed = component({ id, type: 'SERVICE', upstream: upstream ?? null })
      await publishComponent(
        organizationId,
        version === 1 ? 'created' : 'updated',
        followed,
        version,
      )
      return { id, organizationId }
    },
    /** Polls the pages that are due, and publishes what changed. */
    async poll(respond?: (url: string) => TargetResponse) {
      if (respond !== undefined) server.respond(({ url }) => respond(url))
      await sql`UPDATE monitor.vendor_pages SET next_poll_at = now()`
      await poller.job.run(signal)
      await eventually(() => Object.values(poller.gauges()).every((count) => count === 0))
      await reports?.run(signal)
    },
    /** Polls the pages that are due, without waiting for their responses. */
    startPoll: () => poller.job.run(signal),
    publish: () => reports?.run(signal),
    /** Published events about the component, oldest first. */
    async reportsOf(componentId: string) {
      const rows = await sql<{ payload: { vendorStatus: { report: object } } }[]>`
        SELECT payload FROM monitor.outbox
        WHERE kind = 'vendor-status.changed' AND aggregate_id = ${componentId} ORDER BY seq`
      return rows.map(({ payload }) => payload.vendorStatus.report)
    },
  }
}
