/** Taking over from another status page. */
import { importOperations } from '@status-page/contracts'
import type { Sealer } from '@status-page/secrets'
import { type Route, route } from '@status-page/service'
import { takeOver } from './changes.ts'
import { plainTexts, textsIn } from './plain-text.ts'

export const importRoutes = ({ sealer }: { sealer: Sealer }): Route[] =>
  route(importOperations, {
    statuspage: async ({ body: documents, query, change }) => {
      // Before the transaction: it takes its time, and holds nothing meanwhile.
      const plain = await plainTexts(textsIn(documents))
      const dryRun = query.dryRun === true
      return change((scope) => takeOver(scope, sealer, { documents, plain, dryRun }))
    },
  })
