/** Sample data: a page with components and a history, for a first look, removed in one request. */
import { type Static, Type } from '@sinclair/typebox'
import { operationsOf } from '../operation.ts'
import { Id, Nullable, Success, Timestamp } from '../scalars.ts'

export const SampleData = Type.Object({
  loadedAt: Nullable({ ...Timestamp, description: 'Null while no sample data exist' }),
  statusPage: Nullable(
    Type.Object(
      { id: Id, name: Type.String(), url: Type.String() },
      { description: 'Null without sample data, and after the page was deleted' },
    ),
  ),
  componentCount: Type.Integer({ description: 'Components of the sample data that still exist' }),
})
export type SampleData = Static<typeof SampleData>

export const sampleDataOperations = operationsOf('core', 'sample-data', {
  read: {
    route: 'GET /sample-data',
    summary: 'Read whether sample data exist',
    permission: 'status-pages:read',
    reply: SampleData,
  },
  load: {
    route: 'POST /sample-data',
    summary: 'Load sample data',
    description:
      'Creates a status page for members, components in groups, incidents of the past 90 days, ' +
      'one of them open, maintenances and incident templates; all of them or none. No ' +
      'notifications are sent, also later. The caller also needs the permission to create each ' +
      'kind of resource. 409 `duplicate` while sample data exist. Emits `component.created` for ' +
      'each component and `status-page.created`.',
    permission: 'config:write',
    bucket: 'import',
    idempotencyKey: false,
    status: 201,
    reply: SampleData,
  },
  remove: {
    route: 'DELETE /sample-data',
    summary: 'Remove the sample data',
    description:
      'Deletes the resources that the load created and nothing else; changed ones too. The caller ' +
      'also needs the permission to delete each kind of resource. 404 without sample data; 409 ' +
      '`in_use` when a component that does not belong to the sample data is below one that does. ' +
      'Emits `component.deleted`, `incident.deleted` and `status-page.deleted`.',
    permission: 'config:write',
    bucket: 'import',
    reply: Success,
  },
})
