/** Incident templates: reusable defaults for title, message, impact and components. */
import { type Static, Type } from '@sinclair/typebox'
import { listOf, listQuery, Search } from '../listing.ts'
import { operationsOf } from '../operation.ts'
import { optional, patchSchemaOf } from '../patch.ts'
import {
  Id,
  IdParams,
  MARKDOWN,
  MarkdownText,
  OneLine,
  OneOf,
  Success,
  Timestamp,
} from '../scalars.ts'
import {
  ComponentIds,
  ComponentStatuses,
  Impact,
  INCIDENT_BODY_LIMIT,
  IncidentStatus,
  impacts,
  incidentComponentStatuses,
  incidentStatuses,
  MAX_INCIDENT_MESSAGE,
  MAX_INCIDENT_TITLE,
} from './incidents.ts'

const PLACEHOLDERS = '`{{name}}` is a variable'

const fields = {
  name: OneLine(100),
  title: Type.String({ ...OneLine(MAX_INCIDENT_TITLE), description: PLACEHOLDERS }),
  message: Type.String({
    ...MarkdownText(MAX_INCIDENT_MESSAGE),
    description: `${MARKDOWN}; ${PLACEHOLDERS}`,
  }),
  status: OneOf(incidentStatuses, { default: 'investigating' }),
  impact: OneOf(impacts, { default: 'minor' }),
  componentIds: ComponentIds,
  componentStatuses: ComponentStatuses,
}

const { name, title, ...choices } = fields

export const NewIncidentTemplate = Type.Object({ name, title, ...optional(choices) })
export type NewIncidentTemplate = Static<typeof NewIncidentTemplate>

export const IncidentTemplatePatch = patchSchemaOf(fields, ['name', 'title'])
export type IncidentTemplatePatch = Static<typeof IncidentTemplatePatch>

export const IncidentTemplate = Type.Object({
  id: Id,
  name: Type.String(),
  title: Type.String(),
  message: Type.String(),
  status: IncidentStatus,
  impact: Impact,
  componentIds: Type.Array(Id),
  componentStatuses: Type.Record(Type.String(), OneOf(incidentComponentStatuses)),
  managedByConfig: Type.Boolean(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
})
export type IncidentTemplate = Static<typeof IncidentTemplate>

export const incidentTemplateOperations = operationsOf('core', 'incident-templates', {
  list: {
    route: 'GET /incident-templates',
    summary: 'List incident templates',
    description: '`search` applies to names.',
    permission: 'incidents:read',
    query: listQuery(['name', 'createdAt', 'updatedAt'], { search: Search }),
    reply: listOf(IncidentTemplate),
  },
  create: {
    route: 'POST /incident-templates',
    status: 201,
    summary: 'Create an incident template',
    description:
      '`{{name}}` in title and message is a variable, whose value `POST /incidents` takes from ' +
      '`variables`. 409 `duplicate` for a name that exists in the organization.',
    permission: 'incidents:write',
    bodyLimit: INCIDENT_BODY_LIMIT,
    body: NewIncidentTemplate,
    reply: IncidentTemplate,
  },
  read: {
    route: 'GET /incident-templates/{id}',
    summary: 'Read an incident template',
    permission: 'incidents:read',
    params: IdParams,
    reply: IncidentTemplate,
  },
  update: {
    route: 'PATCH /incident-templates/{id}',
    summary: 'Update an incident template',
    description: 'Incidents that were created from the template do not change.',
    permission: 'incidents:write',
    bodyLimit: INCIDENT_BODY_LIMIT,
    params: IdParams,
    body: IncidentTemplatePatch,
    reply: IncidentTemplate,
  },
  remove: {
    route: 'DELETE /incident-templates/{id}',
    summary: 'Delete an incident template',
    permission: 'incidents:write',
    params: IdParams,
    reply: Success,
  },
})
