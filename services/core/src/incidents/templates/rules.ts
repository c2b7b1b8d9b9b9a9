/** Content of incident templates, and its use in the body of an incident. Pure. */
import {
  auditChanges,
  IncidentTemplate,
  type IncidentTemplatePatch,
  MAX_INCIDENT_MESSAGE,
  MAX_INCIDENT_TITLE,
  type NewIncident,
  type NewIncidentTemplate,
  ruleIssue,
  throwIssues,
  viewOf,
} from '@status-page/contracts'
import type { IncidentTemplateRow } from '../../tables.ts'
import { fillTexts } from '../../templates/texts.ts'

export const createTemplate = (
  input: {
    id: string
    organizationId: string
    body: NewIncidentTemplate
    managedByConfig: boolean
  },
  now: Date,
): IncidentTemplateRow => {
  const { id, organizationId, body, managedByConfig } = input
  return {
    id,
    organizationId,
    name: body.name,
    title: body.title,
    message: body.message ?? '',
    status: body.status ?? 'investigating',
    impact: body.impact ?? 'minor',
    componentIds: body.componentIds ?? [],
    componentStatuses: body.componentStatuses ?? {},
    managedByConfig,
    createdAt: now,
    updatedAt: now,
  }
}

/** Returns the same row if the patch has no effect. */
export const changeTemplate = (
  row: IncidentTemplateRow,
  patch: IncidentTemplatePatch,
  now: Date,
): IncidentTemplateRow => {
  const changed: IncidentTemplateRow = {
    ...row,
    name: patch.name ?? row.name,
    title: patch.title ?? row.title,
    message: given(patch.message, row.message, ''),
    status: given(patch.status, row.status, 'investigating'),
    impact: given(patch.impact, row.impact, 'minor'),
    componentIds: given(patch.componentIds, row.componentIds, []),
    componentStatuses: given(patch.componentStatuses, row.componentStatuses, {}),
  }
  const isSame = JSON.stringify(changed) === JSON.stringify(row)
  return isSame ? row : { ...changed, updatedAt: now }
}

const given = <T>(value: T | null | undefined, before: T, empty: T): T =>
  value === undefined ? before : (value ?? empty)

/** Rejects components that neither exist nor are stored in the row. */
export const validateComponents = (
  body: Pick<IncidentTemplatePatch, 'componentIds' | 'componentStatuses'>,
  known: ReadonlySet<string>,
): void => {
  const fields = [
    ...(body.componentIds ?? []).map((id, index) => ({ id, field: `componentIds[${index}]` })),
    ...Object.keys(body.componentStatuses ?? {}).map((id) => ({
      id,
      field: `componentStatuses.${id}`,
    })),
  ]
  throwIssues(
    fields.filter(({ id }) => !known.has(id)).map(({ field }) => ruleIssue(field, 'exists')),
  )
}

export const referencedComponentIds = (
  template: Pick<IncidentTemplatePatch, 'componentIds' | 'componentStatuses'>,
): string[] => [...(template.componentIds ?? []), ...Object.keys(template.componentStatuses ?? {})]

/** Fills fields that the body omits from the template; deleted components are skipped. */
export const fillFromTemplate = (
  template: IncidentTemplateRow,
  body: NewIncident,
  live: ReadonlySet<string>,
): NewIncident => {
  const statuses = Object.entries(template.componentStatuses).filter(([id]) => live.has(id))
  return {
    ...body,
    ...fillTexts(template, body, textLimits),
    status: body.status ?? template.status,
    impact: body.impact ?? template.impact,
    componentIds: body.componentIds ?? template.componentIds.filter((id) => live.has(id)),
    componentStatuses: body.componentStatuses ?? Object.fromEntries(statuses),
  }
}

const textLimits = { title: MAX_INCIDENT_TITLE, message: MAX_INCIDENT_MESSAGE }

export const presentTemplate = (row: IncidentTemplateRow): IncidentTemplate =>
  viewOf(IncidentTemplate, row)

export const templateFields = (row: IncidentTemplateRow) => {
  const { name, title, message, status, impact, componentIds, componentStatuses } = row
  return { name, title, message, status, impact, componentIds, componentStatuses }
}

export const auditTemplate = auditChanges('incident_template', templateFields)
