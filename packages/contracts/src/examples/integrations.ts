/** Examples of integrations, metric queries, alert intakes and incident drafts. */
import {
  type AlertIntake,
  alertHookOperations,
  alertIntakeOperations,
  type Incident,
  type IncidentDraft,
  type Integration,
  incidentDraftOperations,
  integrationOperations,
  type MetricQuery,
  metricQueryOperations,
  REDACTED,
} from '../index.ts'
import { examplesOf } from './example.ts'
import {
  exampleIds,
  exampleTimes,
  exampleTimestamps,
  listReplyOf,
  successExample,
} from './values.ts'

const integration: Integration = {
  id: exampleIds.integration,
  name: 'Metrics EU',
  type: 'datadog',
  isEnabled: true,
  config: { site: 'datadoghq.eu', apiKey: REDACTED, appKey: REDACTED },
  managedByConfig: false,
  lastTestAt: exampleTimes.updated,
  lastTestSuccess: true,
  ...exampleTimestamps,
}

const latency: MetricQuery = {
  id: exampleIds.metricQuery,
  integrationId: exampleIds.integration,
  componentId: exampleIds.component,
  name: 'Latency',
  query: 'avg:api.latency{*}',
  unit: 'ms',
  decimalPlaces: 0,
  aggregation: 'avg',
  pollingInterval: 60,
  warningThreshold: 300,
  criticalThreshold: 1000,
  showOnStatusPage: true,
  isEnabled: true,
  lastValue: 143.2,
  lastValueAt: exampleTimes.updated,
  lastStatus: 'ok',
  lastError: null,
  ...exampleTimestamps,
}

const intake: AlertIntake = {
  integrationId: exampleIds.integration,
  webhookUrl: `https://status.example.com/api/v1/hooks/alerts/${exampleIds.integration}`,
  publishAfterMinutes: 10,
  routes: [
    { matchLabels: { service: 'api' }, componentIds: [exampleIds.component], impact: 'major' },
  ],
  titleTemplate: 'Problem with {{components}}',
  messageTemplate: '',
  autoResolve: true,
  ...exampleTimestamps,
}

const token = 'f0Yb3Hk8m2Q1vX7dZ5sT9wLr4NcJ6uEa0PgKiOyBxCM'

const draft: IncidentDraft = {
  id: exampleIds.draft,
  status: 'waiting',
  title: 'Problem with API',
  message: '',
  impact: 'major',
  componentIds: [exampleIds.component],
  startedAt: exampleTimes.failed,
  integrationId: exampleIds.integration,
  vendorComponentId: null,
  publishAt: exampleTimes.nextUpdate,
  alertResolvedAt: null,
  incidentId: null,
  notes: [{ at: exampleTimes.announced, text: 'Alert of Metrics EU: Latency is high' }],
  createdAt: exampleTimes.announced,
  updatedAt: exampleTimes.announced,
}

const published: Incident = {
  id: exampleIds.incident,
  title: 'Slow responses',
  status: 'investigating',
  impact: 'major',
  message: 'p99 is 3 s',
  components: [{ id: exampleIds.component, name: 'API', status: 'partial_outage' }],
  source: 'manual',
  isAutoCreated: false,
  triggerComponentId: null,
  autoResolved: false,
  startedAt: exampleTimes.failed,
  resolvedAt: null,
  reopenedAt: null,
  reopenCount: 0,
  isBackfilled: false,
  nextUpdateAt: null,
  isUpdateOverdue: false,
  version: 1,
  url: `https://status.example.com/status/acme/incidents/${exampleIds.incident}`,
  createdAt: exampleTimes.updated,
  updatedAt: exampleTimes.updated,
}

export const integrationExamples = [
  ...examplesOf(integrationOperations, {
    list: { reply: listReplyOf(integration) },
    create: {
      bodies: {
        Datadog: {
          name: 'Metrics EU',
          type: 'datadog',
          config: { site: 'datadoghq.eu', apiKey: 'an-api-key', appKey: 'an-app-key' },
        },
        Prometheus: {
          name: 'Prometheus',
          type: 'prometheus',
          config: { url: 'https://prometheus.example.com', bearerToken: 'a-token' },
        },
        Grafana: {
          name: 'Grafana',
          type: 'grafana',
          config: { url: 'https://grafana.example.com', token: 'a-token', datasourceUid: 'prom' },
        },
        'New Relic': {
          name: 'New Relic',
          type: 'newrelic',
          config: { accountId: 1234567, region: 'EU', apiKey: 'a-user-key' },
        },
      },
      reply: integration,
    },
    read: { reply: integration },
    update: {
      body: { name: 'Metrics of Europe' },
      reply: { ...integration, name: 'Metrics of Europe' },
    },
    remove: successExample,
    test: { reply: { success: true, latencyMs: 84, message: 'ok' } },
  }),
  ...examplesOf(metricQueryOperations, {
    list: { reply: listReplyOf(latency) },
    create: {
      body: {
        name: 'Latency',
        query: 'avg:api.latency{*}',
        unit: 'ms',
        decimalPlaces: 0,
        aggregation: 'avg',
        warningThreshold: 300,
        criticalThreshold: 1000,
        componentId: exampleIds.component,
        showOnStatusPage: true,
      },
      reply: { ...latency, lastValue: null, lastValueAt: null, lastStatus: 'no_data' },
    },
    read: { reply: { ...latency, values: [{ timestamp: exampleTimes.updated, value: 143.2 }] } },
    update: { body: { warningThreshold: 250 }, reply: { ...latency, warningThreshold: 250 } },
    remove: successExample,
    series: {
      reply: {
        queryId: exampleIds.metricQuery,
        from: exampleTimes.failed,
        to: exampleTimes.nextUpdate,
        resolution: 300,
        points: [
          {
            timestamp: exampleTimes.failed,
            polls: 5,
            values: 5,
            average: 141.8,
            minimum: 120,
            maximum: 163.5,
          },
        ],
      },
    },
  }),
  ...examplesOf(alertIntakeOperations, {
    read: { reply: intake },
    replace: {
      body: { publishAfterMinutes: 10, routes: intake.routes },
      reply: { ...intake, token },
    },
    remove: successExample,
    rotateToken: { reply: { ...intake, token } },
  }),
  ...examplesOf(alertHookOperations, { alerts: { reply: { accepted: 1 } } }),
  ...examplesOf(incidentDraftOperations, {
    list: { reply: listReplyOf(draft) },
    read: { reply: draft },
    publish: { body: { title: 'Slow responses' }, reply: published },
    veto: { reply: { ...draft, status: 'vetoed', publishAt: null } },
  }),
]
