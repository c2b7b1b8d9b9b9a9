/** Pages as files that need no service to be read. */
import { Type } from '@sinclair/typebox'
import { operation } from '../operation.ts'
import { IdParams } from '../scalars.ts'

export const exportOperations = {
  export: operation({
    id: 'status-pages.export',
    service: 'core',
    method: 'POST',
    path: '/status-pages/{id}/export',
    status: 200,
    summary: 'Export a status page as files',
    description:
      'A zip archive: the page with its history, incidents and maintenances as HTML whose links ' +
      'lead from file to file, its feeds, calendar and badge, and `api/v2/*.json`. Published or ' +
      'not. With `STATIC_EXPORT_URL` the operator has the same files of every public page ' +
      'written to a folder or bucket as they change.',
    permission: 'status-pages:read',
    action: 'VIEW',
    params: IdParams,
    reply: Type.String({ contentMediaType: 'application/zip' }),
    produces: ['application/zip'],
    idempotencyKey: false,
  }),
}
