/** Table of contents of the monitor. */
import type { Static } from '@sinclair/typebox'
import { createOutbound, outboundPolicy } from '@status-page/outbound'
import { ownHostsOf, type Resources, type ServiceApp, serve } from '@status-page/service'
import { createScheduler } from './checks/due.ts'
import { createFigures } from './checks/figures.ts'
import { scheduleMetrics } from './checks/metrics.ts'
import { createProbe } from './checks/probe.ts'
import { checkRoutes } from './checks/routes.ts'
import type { config } from './config.ts'
import { targetReactions } from './targets/reactions.ts'

/** Where checks come from. Rows carry it, because a second one would need judgements of its own. */
const LOCATION = 'default'

export type Config = Static<typeof config>

export const buildApp = (resources: Resources<Config>): ServiceApp => {
  const { config, database, sealer, logger, metrics } = resources
  const policy = outboundPolicy({
    allowCidrs: config.OUTBOUND_ALLOW_CIDRS,
    ownHosts: ownHostsOf(config),
  })
  const outbound = createOutbound({ policy })
  const figures = createFigures(database)
  const probe = createProbe({ outbound, sealer, now: () => scheduler.shards.now() })
  const scheduler = createScheduler({
    database,
    probe,
    logger,
    location: LOCATION,
    checkRetentionDays: config.CHECK_RETENTION_DAYS,
    onStored: figures.note,
    ...scheduleMetrics(metrics),
  })
  metrics.watch('checks', () => scheduler.figures())
  return {
    http: serve({
      ...resources,
      routes: checkRoutes({ probe, location: LOCATION, onStored: figures.note }),
    }),
    reactions: targetReactions,
    due: [...scheduler.works, figures.work],
    background: [
      {
        start: () => scheduler.start(),
        async stop() {
          await scheduler.stop()
          await outbound.close()
        },
      },
    ],
  }
}
