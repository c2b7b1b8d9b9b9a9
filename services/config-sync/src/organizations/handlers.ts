/** Updates the slugs of organizations from events of the gateway. */
import { eventHandler } from '@status-page/bus'
import { organizationCreated, organizationUpdated } from '@status-page/contracts'
import { saveOrganization } from './store.ts'

export const organizationHandler = eventHandler({
  consumer: 'config-sync-organizations',
  on: [organizationCreated, organizationUpdated],
  handle: async (scope, { aggregate: { version }, data }) => {
    await saveOrganization(scope, { slug: data.organization.slug, version })
  },
})
