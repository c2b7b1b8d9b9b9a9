/** Resources of core that a configuration document can define, by resource type. */
import type { CoreDefinitionType } from '@status-page/contracts'
import type { Database } from '@status-page/postgres'
import type { ConfiguredResource, ConfiguredRow } from '../configured-resource.ts'
import { templateDefinitions } from '../incidents/templates/changes.ts'
import { templateDefinitions as maintenanceTemplateDefinitions } from '../maintenances/templates/changes.ts'
import { scheduleDefinitions } from '../oncall/schedule-changes.ts'
import { slaDefinitions } from '../sla/changes.ts'
import { type PageChangeDeps, pageDefinitions } from '../status-pages/changes.ts'

/** Resource of any kind; the schema of the batch has validated bodies and patches. */
export type AnyConfiguredResource = ConfiguredResource<ConfiguredRow, unknown, unknown>

export type DefinitionRegistry = Readonly<Record<CoreDefinitionType, AnyConfiguredResource>>

export const definitionRegistry = (
  deps: PageChangeDeps & { database: Database },
): DefinitionRegistry => ({
  status_page: pageDefinitions(deps),
  incident_template: templateDefinitions,
  maintenance_template: maintenanceTemplateDefinitions,
  sla: slaDefinitions,
  oncall_schedule: scheduleDefinitions,
})
