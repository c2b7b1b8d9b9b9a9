/** Routes of HTML pages and their files; each one checks access to its page. */
import {
  PAGE_DOMAINS_BATCH,
  PUBLISHED_PAGES_LIMIT,
  pageDomainOperations,
  pageOperations,
  publishedPageOperations,
  statuspagePathOperations,
} from '@status-page/contracts'
import { asLookup } from '@status-page/postgres'
import { createRoutes, type Route } from '@status-page/service'
import { pageUrl } from '../settings/links.ts'
import { listActiveDomains, listPublicPages } from '../settings/store.ts'
import { type FormDeps, formHandlers } from '../subscriptions/forms.ts'
import { documentHandlers } from './documents.ts'
import { type FileDeps, fileHandlers } from './files.ts'
import { statuspagePathHandlers } from './statuspage-paths.ts'

export const pageRoutes = (deps: FormDeps & FileDeps): Route[] => [
  ...createRoutes(pageOperations, {
    ...documentHandlers(deps),
    ...formHandlers(deps),
    ...fileHandlers(deps),
  }),
  ...createRoutes(statuspagePathOperations, statuspagePathHandlers(deps.baseUrl)),
  ...createRoutes(pageDomainOperations, {
    list: async ({ query }) => {
      const limit = PAGE_DOMAINS_BATCH
      const domains = await asLookup(deps.database, (systemScope) =>
        listActiveDomains(systemScope, { after: query.after, limit }),
      )
      return { domains, isLast: domains.length < limit }
    },
  }),
  ...createRoutes(publishedPageOperations, {
    list: async () => {
      const rows = await asLookup(deps.database, (systemScope) =>
        listPublicPages(systemScope, PUBLISHED_PAGES_LIMIT),
      )
      return { pages: rows.map(({ name, slug }) => ({ name, url: pageUrl(deps.baseUrl, slug) })) }
    },
  }),
]
