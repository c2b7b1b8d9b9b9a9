/** Components, and the incidents that they have. */
import {
  type Component,
  componentOperations,
  type Incident,
  type IncidentUpdate,
  incidentOperations,
} from '@status-page/contracts'
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

const incident: Incident = {
  ...{ id: ids.incident, title: 'API errors', status: 'investigating', impact: 'major' },
  message: 'Raised error rates.',
  components: [{ id: ids.component, name: 'API', status: 'partial_outage' }],
  ...{ source: 'api', isAutoCreated: false, triggerComponentId: null, autoResolved: false },
  ...{ startedAt: times.failed, resolvedAt: null, reopenedAt: null, reopenCount: 0, version: 1 },
  url: `https://status.example.com/status/acme/incidents/${ids.incident}`,
  ...{ createdAt: times.told, updatedAt: times.told },
}

const resolved: Incident = {
  ...incident,
  ...{ status: 'resolved', message: 'Fixed.', resolvedAt: times.updated, version: 2 },
  components: [{ id: ids.component, name: 'API', status: 'operational' }],
  updatedAt: times.updated,
}

const update: IncidentUpdate = {
  ...{ id: ids.update, status: 'resolved', message: 'Fixed.' },
  componentStatuses: { [ids.component]: 'operational' },
  ...{ displayAt: times.updated, createdAt: times.updated, updatedAt: times.updated },
}

const firstUpdate: IncidentUpdate = {
  ...{ id: ids.firstUpdate, status: 'investigating', message: incident.message },
  componentStatuses: { [ids.component]: 'partial_outage' },
  ...{ displayAt: times.told, createdAt: times.told, updatedAt: times.told },
}

const incidents = examplesOf(incidentOperations, {
  list: { reply: listed(incident) },
  create: {
    bodies: {
      'About everything': { title: 'API errors', message: 'Raised error rates.' },
      'With what it does to components': {
        ...{ title: 'API errors', impact: 'major', message: 'Raised error rates.' },
        componentStatuses: { [ids.component]: 'partial_outage' },
      },
      'Noted without a message to subscribers': {
        ...{ title: 'Slow nightly run', status: 'monitoring', notifySubscribers: false },
      },
    },
    reply: incident,
  },
  read: { reply: { ...resolved, updates: [update, firstUpdate] } },
  update: {
    bodies: {
      'Correct it': { title: 'Checkout errors', impact: 'critical' },
      'Change it and say so': { status: 'identified', message: 'A bad deployment.' },
    },
    reply: { ...incident, title: 'Checkout errors', impact: 'critical', version: 2 },
  },
  remove: success,
  addUpdate: {
    bodies: {
      'Tell more': { status: 'identified', message: 'A bad deployment; we roll back.' },
      'Resolve it': { status: 'resolved', message: 'Fixed.' },
    },
    reply: { ...update, incident: resolved },
  },
  reopen: {
    body: { status: 'investigating', message: 'It is back.' },
    reply: {
      ...incident,
      ...{ message: 'It is back.', reopenedAt: times.later, reopenCount: 1, version: 3 },
    },
  },
})

export const statusExamples = [...components, ...incidents]
