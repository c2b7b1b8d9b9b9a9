/** Stores the time of each service's latest canary event. */
import { type EventHandler, eventHandler } from '@status-page/bus'
import { canarySent } from '@status-page/contracts'
import { sql } from 'drizzle-orm'
import { canaries } from '../tables.ts'

export const canaryHandler: EventHandler = eventHandler({
  consumer: 'notifier-canary',
  on: [canarySent],
  async handle({ tx }, { data: { service, sentAt } }) {
    await tx
      .insert(canaries)
      .values({ service, sentAt: new Date(sentAt) })
      .onConflictDoUpdate({
        target: canaries.service,
        set: { sentAt: new Date(sentAt) },
        setWhere: sql`${canaries.sentAt} < excluded.sent_at`,
      })
  },
})
