/** Creation of a status page together with its components, in one transaction. */
import {
  componentOperations,
  type NewComponent,
  pageSetupOperations,
  statusPageOperations,
  throwIssues,
} from '@status-page/contracts'
import type { OutboundPolicy } from '@status-page/outbound'
import type { Sealer } from '@status-page/secrets'
import { authorizeCall, createRoutes, type Route } from '@status-page/service'
import { createComponent } from '../components/changes.ts'
import { resolveTargets, targetsIn } from '../components/target-validation.ts'
import { pageCreation, type StatusPageDeps } from './routes.ts'

interface PageSetupDeps extends StatusPageDeps {
  sealer: Sealer
  policy: OutboundPolicy
}

export const pageSetupRoutes = (deps: PageSetupDeps): Route[] =>
  createRoutes(pageSetupOperations, {
    async create({ body: { page, endpoints }, caller, change }) {
      authorizeCall(statusPageOperations.create, caller)
      if (endpoints.length > 0) authorizeCall(componentOperations.create, caller)
      const targets = endpoints.flatMap((fields, index) =>
        targetsIn(fields, `endpoints[${index}].`),
      )
      throwIssues(await resolveTargets(targets, deps.policy))
      const createPage = await pageCreation(deps, page)
      return change(async (scope) => {
        const created = []
        for (const [order, endpoint] of endpoints.entries()) {
          const component: NewComponent = { type: 'ENDPOINT', ...endpoint, order }
          const { sealer, baseUrl } = deps
          created.push(
            await createComponent(scope, component, { sealer, baseUrl, source: 'manual' }),
          )
        }
        const componentIds = created.map(({ result }) => result.id)
        const components = componentIds.map((componentId, order) => ({ componentId, order }))
        const { result, events, audit } = await createPage(scope, { ...page, components })
        return {
          result: { id: result.id, componentIds },
          events: [...created.flatMap((setup) => setup.events), ...events],
          audit: [...created.flatMap((setup) => setup.audit), ...audit],
        }
      })
    },
  })
