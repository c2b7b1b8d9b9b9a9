/** Examples of SERVICE, ENDPOINT and METRIC components. */
import {
  type Component,
  componentOperations,
  type ImpactedComponent,
  type StatusPeriod,
} from '../index.ts'
import { examplesOf } from './example.ts'
import { exampleIds, exampleTimes, listReplyOf, successExample } from './values.ts'

const condition = { type: 'STATUS_CODE', comparator: 'EQUALS', target: '200' } as const
const URL = 'https://api.example.com/health'

const component: Component = {
  id: exampleIds.component,
  name: 'API',
  type: 'ENDPOINT',
  version: 3,
  status: 'operational',
  statusSource: 'manual',
  statusChangedAt: exampleTimes.founded,
  description: null,
  isEnabled: true,
  isMuted: false,
  parentComponentId: null,
  dependsOn: [],
  icon: null,
  showIconOnStatusPage: true,
  order: 0,
  managedByConfig: false,
  url: URL,
  method: 'GET',
  headers: { Accept: 'application/json', 'X-Api-Key': '***REDACTED***' },
  body: null,
  checkInterval: 60,
  timeout: 10_000,
  conditions: [condition],
  autoCreateIncident: true,
  failureThreshold: 3,
  autoResolve: true,
  recoveryThreshold: 2,
  uptimePercentage: 99.98,
  averageResponseTime: 143,
  lastCheckAt: exampleTimes.failed,
  createdAt: exampleTimes.founded,
  updatedAt: exampleTimes.founded,
}

const group: Component = {
  id: exampleIds.group,
  name: 'Checkout',
  type: 'SERVICE',
  version: 1,
  status: 'operational',
  statusSource: 'manual',
  statusChangedAt: exampleTimes.founded,
  description: null,
  isEnabled: true,
  isMuted: false,
  parentComponentId: null,
  dependsOn: [],
  icon: null,
  showIconOnStatusPage: true,
  order: 0,
  managedByConfig: false,
  upstream: null,
  vendorReport: null,
  uptimePercentage: 100,
  averageResponseTime: null,
  lastCheckAt: null,
  createdAt: exampleTimes.founded,
  updatedAt: exampleTimes.founded,
}

const components = examplesOf(componentOperations, {
  list: { reply: listReplyOf(component) },
  create: {
    bodies: {
      'SERVICE component, set manually': { type: 'SERVICE', name: 'Checkout' },
      'SERVICE component that depends on another': {
        type: 'SERVICE',
        name: 'Checkout',
        dependsOn: [exampleIds.component],
      },
      "SERVICE component, follows a vendor's status page": {
        type: 'SERVICE',
        name: 'Payments',
        upstream: { url: 'https://status.example.com/', component: 'API', mode: 'mirror' },
      },
      'ENDPOINT component, checked every minute': {
        type: 'ENDPOINT',
        name: 'API',
        url: URL,
        headers: { Accept: 'application/json' },
        conditions: [condition, { type: 'JSON_PATH', comparator: 'EQUALS', target: '$.ok = true' }],
        autoCreateIncident: true,
      },
      'METRIC component, polled from an integration': {
        type: 'METRIC',
        name: 'Error rate',
        integrationId: exampleIds.integration,
        query: 'sum(rate(http_errors_total[5m]))',
        warningThreshold: 5,
        criticalThreshold: 20,
      },
    },
    reply: { ...component, uptimePercentage: null, averageResponseTime: null, lastCheckAt: null },
  },
  bulk: {
    body: {
      updates: [
        { id: exampleIds.component, isMuted: true },
        { id: exampleIds.group, status: 'under_maintenance', order: 3 },
      ],
    },
    reply: {
      data: [
        { ...component, isMuted: true },
        { ...group, order: 3, status: 'under_maintenance' },
      ],
      meta: { total: 2, page: 1, pageSize: 2 },
    },
  },
  place: {
    body: {
      componentIds: [exampleIds.component],
      parentComponentId: exampleIds.group,
      beforeId: null,
    },
    reply: { data: [{ ...component, parentComponentId: exampleIds.group, order: 1_000 }] },
  },
  read: { reply: component },
  update: {
    body: { status: 'partial_outage' },
    reply: {
      ...component,
      status: 'partial_outage',
      statusChangedAt: exampleTimes.failed,
      updatedAt: exampleTimes.failed,
    },
  },
  remove: successExample,
  clone: {
    reply: {
      ...component,
      id: exampleIds.copy,
      name: 'API (Copy)',
      isEnabled: false,
      uptimePercentage: null,
      averageResponseTime: null,
      lastCheckAt: null,
    },
  },
  impact: {
    reply: listReplyOf<ImpactedComponent>({
      id: exampleIds.group,
      name: 'Checkout',
      status: 'operational',
      depth: 1,
      statusPages: [{ id: exampleIds.page, name: 'Example', slug: 'example' }],
    }),
  },
  statusHistory: {
    reply: listReplyOf<StatusPeriod>(
      {
        status: 'partial_outage',
        source: 'incident',
        startedAt: exampleTimes.failed,
        endedAt: null,
        seconds: 900,
      },
      {
        status: 'operational',
        source: 'manual',
        startedAt: exampleTimes.founded,
        endedAt: exampleTimes.failed,
        seconds: 2_683_800,
      },
    ),
  },
  uptime: {
    reply: {
      componentId: exampleIds.component,
      timezone: 'Europe/Berlin',
      from: '2026-07-31T22:00:00.000Z',
      to: exampleTimes.updated,
      windowStart: '2026-07-31T22:00:00.000Z',
      windowEnd: exampleTimes.updated,
      percentage: 99.36,
      weights: {
        operational: 0,
        degraded_performance: 0,
        partial_outage: 0.3,
        major_outage: 1,
        under_maintenance: 0,
      },
      seconds: {
        operational: 41_400,
        degraded_performance: 0,
        partial_outage: 900,
        major_outage: 0,
        under_maintenance: 0,
      },
      downtimeSeconds: 270,
      exclusions: [],
      days: [{ date: '2026-08-01', status: 'partial_outage', downtimeSeconds: 270 }],
    },
  },
  check: {
    reply: {
      success: false,
      result: {
        status: 'FAILURE',
        statusCode: 503,
        responseTime: 87,
        timestamp: exampleTimes.failed,
        error: null,
        conditionResults: [{ ...condition, actual: '503', passed: false }],
        timings: { dns: 4, connect: 12, tls: 31, firstByte: 86 },
        location: 'default',
      },
    },
  },
})

export const componentExamples = components
