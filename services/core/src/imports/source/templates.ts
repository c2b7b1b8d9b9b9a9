/** Incident templates of a Statuspage as input of an import. Pure. */
import {
  type IncidentStatus,
  incidentStatuses,
  MAX_INCIDENT_MESSAGE,
  MAX_INCIDENT_TITLE,
  type StatuspageDocuments,
} from '@status-page/contracts'
import type { Normalizer } from './normalizer.ts'

export interface SourceTemplateInput {
  sourceId: string
  name: string
  title: string
  message: string
  status: IncidentStatus
  componentSourceIds: string[]
}

type Source = NonNullable<StatuspageDocuments['incident_templates']>[number]

const MAX_NAME = 100
const maintenanceStatuses: readonly string[] = [
  'scheduled',
  'in_progress',
  'verifying',
  'completed',
]

/** Null for a template of maintenances, which have no templates here. */
export const templateOf = (
  source: Source,
  field: string,
  normalizer: Normalizer,
): SourceTemplateInput | null => {
  const { id, name, title, body, update_status: status } = source
  if (status && maintenanceStatuses.includes(status)) {
    normalizer.warn(field, 'is not imported, since it is a template of maintenances')
    return null
  }
  return {
    sourceId: id,
    name: normalizer.oneLine(`${field}.name`, name, MAX_NAME),
    // Templates without a title exist at the source.
    title: normalizer.oneLine(`${field}.title`, title || name, MAX_INCIDENT_TITLE),
    message: normalizer.message(`${field}.body`, body, MAX_INCIDENT_MESSAGE),
    status: incidentStatuses.find((known) => known === status) ?? 'investigating',
    componentSourceIds: [...new Set((source.components ?? []).map((component) => component.id))],
  }
}
