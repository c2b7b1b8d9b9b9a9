/** Internal operation by which the gateway creates a status page together with its components. */
import { Type } from '@sinclair/typebox'
import { operationsOf } from '../operation.ts'
import { HttpUrl, Id, OneLine } from '../scalars.ts'
import { NewStatusPage } from './status-pages.ts'

/** Maximum number of endpoints; each one is resolved before anything is stored. */
export const MAX_PAGE_ENDPOINTS = 20

export const pageSetupOperations = operationsOf('core', 'page-setups', {
  create: {
    route: 'POST /internal/page-setups',
    base: 'root',
    status: 201,
    summary: 'Create ENDPOINT components and a status page that shows them, all or nothing',
    // The handler checks the permissions of the two JSON operations.
    permission: 'caller',
    body: Type.Object({
      page: Type.Omit(NewStatusPage, ['components']),
      /** Components in the order of the page; without any, the page shows all components. */
      endpoints: Type.Array(Type.Object({ name: OneLine(100), url: HttpUrl }), {
        maxItems: MAX_PAGE_ENDPOINTS,
      }),
    }),
    reply: Type.Object({ id: Id, componentIds: Type.Array(Id) }),
  },
})
