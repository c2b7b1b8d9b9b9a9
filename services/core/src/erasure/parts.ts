/**
 * Data of this service that is deleted with an organization: every table with `organization_id`.
 */
import { type ErasurePart, type ErasureStep, leavesFirstStep, read } from '@status-page/postgres'
import { sql } from 'drizzle-orm'

/**
 * The export job removes rows of exported pages together with the files that they list, after it
 * finds the page deleted. Without an export target no row lists a file.
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

/** Pages are deleted first, so that no data is shown during the deletion. */
export const erasureParts = (isExporting: boolean): readonly ErasurePart[] => [
  'subscriber_confirmations',
  'subscribers',
  'erased_addresses',
  'page_access_attempts',
  'status_pages',
  isExporting ? exportedPages : 'page_exports',
  'upload_contents',
  'uploads',
  'page_metric_points',
  'page_metrics',
  'component_status_intervals',
  'sla_misses',
  'slas',
  'incident_status_spans',
  'incident_components',
  'incident_updates',
  'postmortems',
  'incidents',
  'incident_drafts',
  'incident_templates',
  'maintenance_templates',
  'maintenance_components',
  'maintenance_updates',
  leavesFirstStep('maintenances', 'recurrence_of'),
  'oncall_overrides',
  'oncall_alerts',
  'oncall_schedules',
  'members',
  'channels',
  'integrations',
  'imported_records',
  'component_batches',
  'dependent_outages',
  leavesFirstStep('components', 'parent_component_id'),
]
