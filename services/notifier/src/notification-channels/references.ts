/** Names of channels, to which a configuration document refers. */
import { channelReferenceOperations, MAX_REFERENCES_PER_REPLY } from '@status-page/contracts'
import { createRoutes, type Route } from '@status-page/service'
import { listChannelsAfterId } from './store.ts'

export const channelReferenceRoutes: Route[] = createRoutes(channelReferenceOperations, {
  list: async ({ query, read }) => {
    const limit = MAX_REFERENCES_PER_REPLY
    const rows = await read((scope) => listChannelsAfterId(scope, query.after ?? null, limit))
    return {
      data: rows.map(({ id, name }) => ({ id, name })),
      next: rows.length < limit ? null : (rows.at(-1)?.id ?? null),
    }
  },
})
