/** Maintains the projection of integrations from the events of their service. */
import { eventHandler } from '@status-page/bus'
import { integrationCreated, integrationDeleted, integrationUpdated } from '@status-page/contracts'
import { hideMetricsOfIntegration } from '../status-pages/metrics/store.ts'
import { saveIntegration } from './store.ts'

export const integrationHandler = eventHandler({
  consumer: 'core-integrations',
  on: [integrationCreated, integrationUpdated, integrationDeleted],
  handle: async (scope, { kind, aggregate: { id, version } }) => {
    const isRemoved = kind === integrationDeleted.kind
    await saveIntegration(scope, { id, version, isRemoved })
    if (isRemoved) await hideMetricsOfIntegration(scope, id)
  },
})
