/** Changes of incident templates, each with its audit entry, and their definitions. */
import type { IncidentTemplatePatch, NewIncidentTemplate } from '@status-page/contracts'
import { type ConfiguredResource, definitionDrafts } from '../../configured-resource.ts'
import type { IncidentTemplateRow } from '../../tables.ts'
import { templateChanges } from '../../templates/changes.ts'
import {
  auditTemplate,
  changeTemplate,
  createTemplate,
  referencedComponentIds,
  templateFields,
  validateComponents,
} from './rules.ts'
import { templateRows } from './store.ts'

export const {
  add: addTemplate,
  update: updateTemplate,
  remove: deleteTemplate,
} = templateChanges(templateRows, definitionDrafts('incident_template', auditTemplate))

export const templateDefinitions: ConfiguredResource<
  IncidentTemplateRow,
  NewIncidentTemplate,
  IncidentTemplatePatch
> = {
  list: templateRows.listAfterId,
  lock: templateRows.lockAll,
  nameOf: ({ name }) => name,
  findNames: templateRows.findNames,
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
