/** Changes of maintenance templates, each with its audit entry, and their definitions. */
import type { MaintenanceTemplatePatch, NewMaintenanceTemplate } from '@status-page/contracts'
import { type ConfiguredResource, definitionDrafts } from '../../configured-resource.ts'
import type { MaintenanceTemplateRow } from '../../tables.ts'
import { templateChanges } from '../../templates/changes.ts'
import { auditTemplate, changeTemplate, createTemplate, templateFields } from './rules.ts'
import { templateRows } from './store.ts'

export const {
  add: addTemplate,
  update: updateTemplate,
  remove: deleteTemplate,
} = templateChanges(templateRows, definitionDrafts('maintenance_template', auditTemplate))

export const templateDefinitions: ConfiguredResource<
  MaintenanceTemplateRow,
  NewMaintenanceTemplate,
  MaintenanceTemplatePatch
> = {
  list: templateRows.listAfterId,
  lock: templateRows.lockAll,
  nameOf: ({ name }) => name,
  findNames: templateRows.findNames,
  fieldsOf: templateFields,
  create: (id, body, { organizationId, components, now }) =>
    createTemplate({ id, organizationId, body, managedByConfig: true }, components, now),
  change: (row, patch, { components, now }) => changeTemplate(row, patch, components, now),
  insert: addTemplate,
  save: updateTemplate,
  remove: deleteTemplate,
}
