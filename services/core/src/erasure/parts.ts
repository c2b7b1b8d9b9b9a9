/**
 * Data of this service that is deleted with an organization: every table with `organization_id`.
 */
import { type ErasurePart, type ErasureStep, leavesFirst, read } from '@status-page/postgres'
import { sql } from 'drizzle-orm'

/**
 * Rows of exported pages are removed by the export itself, with the files that they name, once it finds
 * the page gone. Where nothing is exported, no row names a file.
 */
const exportedPages: ErasureStep = {
  name: 'page_exports',
  run: (database, organizationId) =>
    read(database, organizationId, async ({ tx }) => {
      const rows = await tx.execute(
        sql`SELECT FROM page_exports WHERE organization_id = ${organizationId} LIMIT 1`,
      )
      return rows.length > 0 ? 'pending' : 0
    }),
}

/** Pages first, so that nothing further is shown. */
export const erasureParts = (isExporting: boolean): readonly ErasurePart[] => [
  'subscriber_confirmations',
  'subscribers',
  'erased_addresses',
  'page_access_attempts',
  'status_pages',
  isExporting ? exportedPages : 'page_exports',
  'page_metric_points',
  'page_metrics',
  'component_status_intervals',
  'sla_misses',
  'slas',
  'incident_components',
  'incident_updates',
  'postmortems',
  'incidents',
  'incident_drafts',
  'incident_templates',
  'maintenance_components',
  'maintenance_updates',
  leavesFirst('maintenances', 'recurrence_of'),
  'oncall_overrides',
  'oncall_alerts',
  'oncall_schedules',
  'members',
  'channels',
  'integrations',
  'imported_records',
  'component_batches',
  leavesFirst('components', 'parent_component_id'),
]
