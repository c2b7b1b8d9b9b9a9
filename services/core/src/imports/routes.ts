/** Taking over from another status page. */
import { importOperations } from '@status-page/contracts'
import type { Sealer } from '@status-page/secrets'
import { type Route, route } from '@status-page/service'
import { takeOver } from './changes.ts'

export const importRoutes = ({ sealer }: { sealer: Sealer }): Route[] =>
  route(importOperations, {
    statuspage: ({ body, query, change }) =>
      change((scope) =>
        takeOver(scope, sealer, { documents: body, dryRun: query.dryRun === true }),
      ),
  })
