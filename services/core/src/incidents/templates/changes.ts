/** Changes of incident templates, each with its audit entry, and their definitions. */
import type { IncidentTemplatePatch, NewIncidentTemplate } from '@status-page/contracts'
import type { Scope } from '@status-page/postgres'
import {
  type ChangeDrafts,
  type ConfiguredResource,
  definitionEvent,
} from '../../configured-resource.ts'
import type { IncidentTemplateRow } from '../../tables.ts'
import {
  auditTemplate,
  changeTemplate,
  createTemplate,
  referencedComponentIds,
  templateFields,
  validateComponents,
} from './rules.ts'
import * as store from './store.ts'

export const addTemplate = async (
  scope: Scope,
  row: IncidentTemplateRow,
): Promise<ChangeDrafts> => {
  await store.insertTemplate(scope, row)
  return {
    events: [definitionEvent('incident_template', row)],
    audit: [auditTemplate('create', null, row)],
  }
}

export const updateTemplate = async (
  scope: Scope,
  before: IncidentTemplateRow,
  row: IncidentTemplateRow,
): Promise<ChangeDrafts> => {
  await store.saveTemplate(scope, row)
  return {
    events: [definitionEvent('incident_template', row)],
    audit: [auditTemplate('update', before, row)],
  }
}

export const deleteTemplate = async (
  scope: Scope,
  row: IncidentTemplateRow,
): Promise<ChangeDrafts> => {
  await store.removeTemplate(scope, row.id)
  return {
    events: [definitionEvent('incident_template', row)],
    audit: [auditTemplate('delete', row, row)],
  }
}

export const templateDefinitions: ConfiguredResource<
  IncidentTemplateRow,
  NewIncidentTemplate,
  IncidentTemplatePatch
> = {
  list: store.listTemplatesAfterId,
  lock: store.lockTemplates,
  nameOf: ({ name }) => name,
  findNames: store.findTemplateNames,
  fieldsOf: templateFields,
  create(id, body, { organizationId, components, now }) {
    validateComponents(body, components)
    return createTemplate({ id, organizationId, body, managedByConfig: true }, now)
  },
  change(row, patch, { components, now }) {
    validateComponents(patch, components.union(new Set(referencedComponentIds(row))))
    return changeTemplate(row, patch, now)
  },
  insert: addTemplate,
  save: updateTemplate,
  remove: deleteTemplate,
}
