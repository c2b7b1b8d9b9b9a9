/** Tables that are erased with an organization: every table with `organization_id`. */
import type { ErasurePart } from '@status-page/postgres'

export const erasureParts: readonly ErasurePart[] = [
  'git_hook_receipts',
  'git_sync_runs',
  'git_syncs',
  'applies',
  'configuration_versions',
  'variables',
  'organizations',
]
