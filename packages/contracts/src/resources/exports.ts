/** Export of status pages as static files. */
import { Type } from '@sinclair/typebox'
import { operationsOf } from '../operation.ts'
import { IdParams } from '../scalars.ts'

export const exportOperations = operationsOf('core', 'status-pages', {
  export: {
    route: 'POST /status-pages/{id}/export',
    summary: 'Export a status page as static files',
    description:
      'Returns a zip archive of the page, published or not: HTML files of the page, its ' +
      'history, incidents and maintenances with relative links, its feeds, calendar and badge, ' +
      'and `api/v2/*.json`. With `STATIC_EXPORT_URL`, the service also writes these files of ' +
      'every public page to a folder or bucket whenever they change.',
    permission: 'status-pages:read',
    action: 'VIEW',
    params: IdParams,
    reply: Type.String({ contentMediaType: 'application/zip' }),
    produces: ['application/zip'],
    idempotencyKey: false,
  },
})
