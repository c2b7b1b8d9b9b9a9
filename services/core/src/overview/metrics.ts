/**
 * Metrics of open work in all organizations: incidents, overdue updates, alerts without
 * acknowledgement and scheduled publications of drafts. Every replica reports the same values.
 */
import { asWorker, type Database, type Job, type SystemScope } from '@status-page/postgres'
import type { Metrics } from '@status-page/service'
import { type SQL, sql } from 'drizzle-orm'

const INTERVAL_MS = 15_000

const incidentHelp = {
  open: 'Incidents that are not resolved',
  openCritical: 'Incidents of critical impact that are not resolved',
  updateOverdue: 'Open incidents whose next update is overdue',
  updateOverdueSeconds: 'Time since the oldest overdue update was due; 0 without one',
}
const alertHelp = {
  unacknowledged: 'On-call alerts without acknowledgement',
  unacknowledgedAgeSeconds: 'Age of the oldest alert without acknowledgement; 0 without one',
}
const draftHelp = {
  scheduled: 'Incident drafts that will be published unless a user vetoes them',
  dueAgeSeconds: 'Time since the oldest draft was due for publication; 0 without one',
}

interface OpenWork {
  incidents: Record<keyof typeof incidentHelp, number>
  alerts: Record<keyof typeof alertHelp, number>
  drafts: Record<keyof typeof draftHelp, number>
}

/** Registers the metrics, which have no value before the first run of the returned job. */
export const openWorkMetrics = (metrics: Pick<Metrics, 'watch'>, database: Database): Job => {
  let work: OpenWork | null = null
  const none = {} as Record<string, number>
  metrics.watch('incidents', () => work?.incidents ?? none, incidentHelp)
  metrics.watch('oncall_alerts', () => work?.alerts ?? none, alertHelp)
  metrics.watch('incident_drafts', () => work?.drafts ?? none, draftHelp)
  return {
    name: 'open work metrics',
    intervalMs: INTERVAL_MS,
    async run() {
      work = await asWorker(database, readOpenWork)
      return 0
    },
  }
}

/** One statement, whose partial indexes contain only the rows that it counts. */
const readOpenWork = async ({ tx }: SystemScope): Promise<OpenWork> => {
  const [row] = await tx.execute<{ work: OpenWork }>(sql`
    SELECT json_build_object(
      'incidents', (SELECT json_build_object('open', count(*),
          'openCritical', count(*) FILTER (WHERE impact = 'critical'),
          'updateOverdue', count(*) FILTER (WHERE next_update_at <= now()),
          'updateOverdueSeconds', ${secondsSinceFirst(sql`next_update_at`)})
        FROM incidents WHERE status <> 'resolved'),
      'alerts', (SELECT json_build_object('unacknowledged', count(*),
          'unacknowledgedAgeSeconds', ${secondsSinceFirst(sql`triggered_at`)})
        FROM oncall_alerts WHERE status = 'triggered'),
      'drafts', (SELECT json_build_object('scheduled', count(*),
          'dueAgeSeconds', ${secondsSinceFirst(sql`publish_at`)})
        FROM incident_drafts WHERE publish_at IS NOT NULL)) AS work`)
  if (row === undefined) throw new Error('The query returned no row')
  return row.work
}

/** Seconds since the first of these times; 0 without one in the past. */
const secondsSinceFirst = (time: SQL): SQL =>
  sql`greatest(coalesce(extract(epoch FROM now() - min(${time})), 0), 0)`
