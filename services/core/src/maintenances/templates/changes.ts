/** Changes of maintenance templates, each with its audit entry, and their definitions. */
import type { MaintenanceTemplatePatch, NewMaintenanceTemplate } from '@status-page/contracts'
import type { Scope } from '@status-page/postgres'
import {
  type ChangeDrafts,
  type ConfiguredResource,
  definitionEvent,
} from '../../configured-resource.ts'
import type { MaintenanceTemplateRow } from '../../tables.ts'
import { auditTemplate, changeTemplate, createTemplate, templateFields } from './rules.ts'
import * as store from './store.ts'

export const addTemplate = async (
  scope: Scope,
  row: MaintenanceTemplateRow,
): Promise<ChangeDrafts> => {
  await store.insertTemplate(scope, row)
  return {
    events: [definitionEvent('maintenance_template', row)],
    audit: [auditTemplate('create', null, row)],
  }
}

export const updateTemplate = async (
  scope: Scope,
  before: MaintenanceTemplateRow,
  row: MaintenanceTemplateRow,
): Promise<ChangeDrafts> => {
  await store.saveTemplate(scope, row)
  return {
    events: [definitionEvent('maintenance_template', row)],
    audit: [auditTemplate('update', before, row)],
  }
}

export const deleteTemplate = async (
  scope: Scope,
  row: MaintenanceTemplateRow,
): Promise<ChangeDrafts> => {
  await store.removeTemplate(scope, row.id)
  return {
    events: [definitionEvent('maintenance_template', row)],
    audit: [auditTemplate('delete', row, row)],
  }
}

export const templateDefinitions: ConfiguredResource<
  MaintenanceTemplateRow,
  NewMaintenanceTemplate,
  MaintenanceTemplatePatch
> = {
  list: store.listTemplatesAfterId,
  lock: store.lockTemplates,
  nameOf: ({ name }) => name,
  findNames: store.findTemplateNames,
  fieldsOf: templateFields,
  create: (id, body, { organizationId, components, now }) =>
    createTemplate({ id, organizationId, body, managedByConfig: true }, components, now),
  change: (row, patch, { components, now }) => changeTemplate(row, patch, components, now),
  insert: addTemplate,
  save: updateTemplate,
  remove: deleteTemplate,
}
