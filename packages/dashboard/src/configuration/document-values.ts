/** Values of fields in a configuration document, found by the resource and the field of a plan. */
import type { Schemas } from '@status-page/client'
import { parse } from 'yaml'

export type ResourceType = Schemas['ConfigApplyResult']['created'][number]['resourceType']

/** List of each kind of resource in `spec`, and the field that identifies an entry. */
const sections: Record<ResourceType, { key: string; identity: string }> = {
  component_group: { key: 'componentGroups', identity: 'name' },
  component: { key: 'components', identity: 'name' },
  integration: { key: 'integrations', identity: 'name' },
  status_page: { key: 'statusPages', identity: 'slug' },
  incident_template: { key: 'incidentTemplates', identity: 'name' },
  maintenance_template: { key: 'maintenanceTemplates', identity: 'name' },
  sla: { key: 'slas', identity: 'name' },
  notification_channel: { key: 'notificationChannels', identity: 'name' },
  oncall_schedule: { key: 'oncallSchedules', identity: 'name' },
}

const MAX_CHARACTERS = 160

export interface FieldAddress {
  resourceType: ResourceType
  resourceName: string
  /** Such as `url` or `config.site`. */
  field: string
}

/** Value as text, shortened; null for a field that the document does not have. */
export type FieldReader = (address: FieldAddress) => string | null

export const fieldReader = (document: string): FieldReader => {
  const spec = recordOf(recordOf(parsed(document)).spec)
  return ({ resourceType, resourceName, field }) => {
    const { key, identity } = sections[resourceType]
    const entries = Array.isArray(spec[key]) ? spec[key] : []
    const entry = entries.map(recordOf).find((one) => one[identity] === resourceName)
    const value = field.split('.').reduce((inner: unknown, name) => recordOf(inner)[name], entry)
    return value === undefined || value === null ? null : textOf(value)
  }
}

const parsed = (document: string): unknown => {
  try {
    return parse(document)
  } catch {
    // The service has refused such a document; the plan of an earlier one is not shown with it.
    return null
  }
}

const recordOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}

const textOf = (value: unknown): string => {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS)} …` : text
}
