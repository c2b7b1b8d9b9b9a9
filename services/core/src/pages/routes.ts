/** The pages and what belongs to them: each goes through the one gate, and is never seen by who may not. */
import { PAGE_DOMAINS_BATCH, pageDomainOperations, pageOperations } from '@status-page/contracts'
import { crossLookup } from '@status-page/postgres'
import { type Route, route } from '@status-page/service'
import { activeDomains } from '../status-pages/store.ts'
import { readingHandlers } from './documents.ts'
import { type FileDoors, fileHandlers } from './files.ts'
import { type FormDoors, formHandlers } from './forms.ts'

export const pageRoutes = (doors: FormDoors & FileDoors): Route[] => [
  ...route(pageOperations, {
    ...readingHandlers(doors),
    ...formHandlers(doors),
    ...fileHandlers(doors),
  }),
  ...route(pageDomainOperations, {
    list: async ({ query }) => {
      const limit = PAGE_DOMAINS_BATCH
      const domains = await crossLookup(doors.database, (crossing) =>
        activeDomains(crossing, { after: query.after, limit }),
      )
      return { domains, isLast: domains.length < limit }
    },
  }),
]
