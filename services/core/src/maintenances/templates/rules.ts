/** Content of maintenance templates, and its use in the body of a maintenance. Pure. */
import {
  auditChanges,
  MAX_MAINTENANCE_MESSAGE,
  MAX_MAINTENANCE_TITLE,
  MaintenanceTemplate,
  type MaintenanceTemplatePatch,
  maintenanceOptions,
  maintenanceTemplateOptions,
  type NewMaintenance,
  type NewMaintenanceTemplate,
  viewOf,
} from '@status-page/contracts'
import { validateComponentIds } from '../../components/component-ids.ts'
import { fieldDefaults, fillFields, haveEqualFields, pickFields } from '../../fields.ts'
import type { MaintenanceTemplateRow } from '../../tables.ts'
import { fillTexts } from '../../templates/texts.ts'

const optionNamesOf = <Options extends object>(options: Options) =>
  Object.keys(options) as (keyof Options & string)[]

const fields = ['name', 'title', ...optionNamesOf(maintenanceTemplateOptions)] as const

type Definition = Pick<MaintenanceTemplateRow, (typeof fields)[number]>

export const createTemplate = (
  input: {
    id: string
    organizationId: string
    body: NewMaintenanceTemplate
    managedByConfig: boolean
  },
  known: ReadonlySet<string>,
  now: Date,
): MaintenanceTemplateRow => {
  const { id, organizationId, body, managedByConfig } = input
  const definition = define(body, {}, known)
  return { id, organizationId, ...definition, managedByConfig, createdAt: now, updatedAt: now }
}

/** Returns the same row if the patch has no effect. */
export const changeTemplate = (
  row: MaintenanceTemplateRow,
  patch: MaintenanceTemplatePatch,
  known: ReadonlySet<string>,
  now: Date,
): MaintenanceTemplateRow => {
  const changed = { ...row, ...define(patch, row, known) }
  return haveEqualFields(fields, row, changed) ? row : { ...changed, updatedAt: now }
}

const defaults = fieldDefaults(maintenanceTemplateOptions)

const define = (
  given: MaintenanceTemplatePatch,
  stored: Partial<MaintenanceTemplateRow>,
  known: ReadonlySet<string>,
): Definition => {
  const definition = fillFields<Definition>(fields, { given, stored, defaults })
  // Stored ids are accepted after their component was deleted.
  validateComponentIds(definition.componentIds, known.union(new Set(stored.componentIds)))
  return definition
}

const textLimits = { title: MAX_MAINTENANCE_TITLE, message: MAX_MAINTENANCE_MESSAGE }

const MINUTE_MS = 60_000

/** Fills fields that the body omits from the template; deleted components are skipped. */
export const fillFromTemplate = (
  template: MaintenanceTemplateRow,
  body: NewMaintenance,
  existing: ReadonlySet<string>,
): NewMaintenance => {
  const { scheduledFor } = body
  const end = new Date(scheduledFor).getTime() + template.durationMinutes * MINUTE_MS
  return {
    ...pickFields(optionNames, template),
    ...body,
    ...fillTexts(template, body, textLimits),
    scheduledUntil: body.scheduledUntil ?? new Date(end).toISOString(),
    componentIds: body.componentIds ?? template.componentIds.filter((id) => existing.has(id)),
  }
}

const optionNames = optionNamesOf(maintenanceOptions)

export const presentTemplate = (row: MaintenanceTemplateRow): MaintenanceTemplate =>
  viewOf(MaintenanceTemplate, row)

export const templateFields = (row: MaintenanceTemplateRow): Definition => pickFields(fields, row)

export const auditTemplate = auditChanges('maintenance_template', templateFields)
