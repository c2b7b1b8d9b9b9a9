/** Maintenance templates: reusable defaults for title, message, duration, components and options. */
import { type Static, Type } from '@sinclair/typebox'
import { listOf, listQuery, Search } from '../listing.ts'
import { operationsOf } from '../operation.ts'
import { optional, patchSchemaOf } from '../patch.ts'
import { Id, IdParams, MARKDOWN, MarkdownText, OneLine, Success, Timestamp } from '../scalars.ts'
import {
  MAX_MAINTENANCE_MESSAGE,
  MAX_MAINTENANCE_MINUTES,
  MAX_MAINTENANCE_TITLE,
  MaintenanceComponentIds,
  maintenanceOptions,
  maintenanceReplyOptions,
} from './maintenances.ts'

const PLACEHOLDERS = '`{{name}}` is a variable'

/** Optional fields of a template. */
export const maintenanceTemplateOptions = {
  ...maintenanceOptions,
  message: Type.String({
    ...MarkdownText(MAX_MAINTENANCE_MESSAGE),
    default: '',
    description: `${MARKDOWN}; ${PLACEHOLDERS}`,
  }),
  durationMinutes: Type.Integer({
    minimum: 1,
    maximum: MAX_MAINTENANCE_MINUTES,
    default: 60,
    description: 'Minutes from `scheduledFor` to `scheduledUntil`',
  }),
  componentIds: MaintenanceComponentIds,
}

const required = {
  name: OneLine(100),
  title: Type.String({ ...OneLine(MAX_MAINTENANCE_TITLE), description: PLACEHOLDERS }),
}

export const NewMaintenanceTemplate = Type.Object({
  ...required,
  ...optional(maintenanceTemplateOptions),
})
export type NewMaintenanceTemplate = Static<typeof NewMaintenanceTemplate>

export const MaintenanceTemplatePatch = patchSchemaOf(
  { ...required, ...maintenanceTemplateOptions },
  ['name', 'title'],
)
export type MaintenanceTemplatePatch = Static<typeof MaintenanceTemplatePatch>

export const MaintenanceTemplate = Type.Object({
  id: Id,
  name: Type.String(),
  title: Type.String(),
  message: Type.String(),
  durationMinutes: Type.Integer(),
  componentIds: Type.Array(Id),
  ...maintenanceReplyOptions,
  managedByConfig: Type.Boolean(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
})
export type MaintenanceTemplate = Static<typeof MaintenanceTemplate>

export const maintenanceTemplateOperations = operationsOf('core', 'maintenance-templates', {
  list: {
    route: 'GET /maintenance-templates',
    summary: 'List maintenance templates',
    description: '`search` applies to names.',
    permission: 'maintenances:read',
    query: listQuery(['name', 'createdAt', 'updatedAt'], { search: Search }),
    reply: listOf(MaintenanceTemplate),
  },
  create: {
    route: 'POST /maintenance-templates',
    status: 201,
    summary: 'Create a maintenance template',
    description:
      '`{{name}}` in title and message is a variable, whose value `POST /maintenances` takes ' +
      'from `variables`. 409 `duplicate` for a name that exists in the organization.',
    permission: 'maintenances:write',
    body: NewMaintenanceTemplate,
    reply: MaintenanceTemplate,
  },
  read: {
    route: 'GET /maintenance-templates/{id}',
    summary: 'Read a maintenance template',
    permission: 'maintenances:read',
    params: IdParams,
    reply: MaintenanceTemplate,
  },
  update: {
    route: 'PATCH /maintenance-templates/{id}',
    summary: 'Update a maintenance template',
    description: 'Maintenances that were created from the template do not change.',
    permission: 'maintenances:write',
    params: IdParams,
    body: MaintenanceTemplatePatch,
    reply: MaintenanceTemplate,
  },
  remove: {
    route: 'DELETE /maintenance-templates/{id}',
    summary: 'Delete a maintenance template',
    permission: 'maintenances:write',
    params: IdParams,
    reply: Success,
  },
})
