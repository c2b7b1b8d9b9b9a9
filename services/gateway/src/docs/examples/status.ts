/** Components: set by people, checked, polled. */
import { type Component, componentOperations } from '@status-page/contracts'
import { examplesOf } from './example.ts'
import { ids, listed, success, times } from './values.ts'

const condition = { type: 'STATUS_CODE', comparator: 'EQUALS', target: '200' } as const
const URL = 'https://api.example.com/health'

const component: Component = {
  ...{ id: ids.component, name: 'API', type: 'ENDPOINT', status: 'operational' },
  ...{ statusSource: 'manual', statusChangedAt: times.founded, description: null },
  ...{ isEnabled: true, isMuted: false, parentComponentId: null, icon: null },
  ...{ showIconOnStatusPage: true, order: 0, managedByConfig: false, url: URL, method: 'GET' },
  headers: { Accept: 'application/json', 'X-Api-Key': '***REDACTED***' },
  ...{ body: null, checkInterval: 60, timeout: 10_000, conditions: [condition] },
  ...{ autoCreateIncident: true, failureThreshold: 3, autoResolve: true, recoveryThreshold: 2 },
  ...{ uptimePercentage: 99.98, averageResponseTime: 143, lastCheckAt: times.failed },
  ...{ createdAt: times.founded, updatedAt: times.founded },
}

const components = examplesOf(componentOperations, {
  list: { reply: listed(component) },
  create: {
    bodies: {
      'A service, set by people': { type: 'SERVICE', name: 'Checkout' },
      'An endpoint, checked every minute': {
        ...{ type: 'ENDPOINT', name: 'API', url: URL },
        headers: { Accept: 'application/json' },
        conditions: [condition, { type: 'JSON_PATH', comparator: 'EQUALS', target: '$.ok = true' }],
        autoCreateIncident: true,
      },
      'A metric, polled from an integration': {
        ...{ type: 'METRIC', name: 'Error rate', integrationId: ids.integration },
        query: 'sum(rate(http_errors_total[5m]))',
        ...{ warningThreshold: 5, criticalThreshold: 20 },
      },
    },
    reply: { ...component, uptimePercentage: null, averageResponseTime: null, lastCheckAt: null },
  },
  read: { reply: component },
  update: {
    body: { status: 'partial_outage' },
    reply: {
      ...component,
      ...{ status: 'partial_outage', statusChangedAt: times.failed, updatedAt: times.failed },
    },
  },
  remove: success,
  check: {
    reply: {
      success: false,
      result: {
        ...{ status: 'FAILURE', statusCode: 503, responseTime: 87, timestamp: times.failed },
        error: null,
        conditionResults: [{ ...condition, actual: '503', passed: false }],
      },
    },
  },
})

export const componentExamples = components
