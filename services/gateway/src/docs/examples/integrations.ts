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
} from '@status-page/contracts'
import { examplesOf } from './example.ts'
import { ids, listReplyOf, success, times, timestamps } from './values.ts'

const integration: Integration = {
  id: ids.integration,
  name: 'Metrics EU',
  type: 'datadog',
  isEnabled: true,
  config: { site: 'datadoghq.eu', apiKey: REDACTED, appKey: REDACTED },
  managedByConfig: false,
  lastTestAt: times.updated,
  lastTestSuccess: true,
  ...timestamps,
}

const latency: MetricQuery = {
  id: ids.metricQuery,
  integrationId: ids.integration,
  componentId: ids.component,
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
  lastValueAt: times.updated,
  lastStatus: 'ok',
  lastError: null,
  ...timestamps,
}

const intake: AlertIntake = {
  integrationId: ids.integration,
  webhookUrl: `https://status.example.com/api/v1/hooks/alerts/${ids.integration}`,
  publishAfterMinutes: 10,
  routes: [{ matchLabels: { service: 'api' }, componentIds: [ids.component], impact: 'major' }],
  titleTemplate: 'Problem with {{components}}',
  messageTemplate: '',
  autoResolve: true,
  ...timestamps,
}

const token = 'f0Yb3Hk8m2Q1vX7dZ5sT9wLr4NcJ6uEa0PgKiOyBxCM'

const draft: IncidentDraft = {
  id: ids.draft,
  status: 'waiting',
  title: 'Problem with API',
  message: '',
  impact: 'major',
  componentIds: [ids.component],
  startedAt: times.failed,
  integrationId: ids.integration,
  publishAt: times.nextUpdate,
  alertResolvedAt: null,
  incidentId: null,
  notes: [{ at: times.announced, text: 'Alert of Metrics EU: Latency is high' }],
  createdAt: times.announced,
  updatedAt: times.announced,
}

const published: Incident = {
  id: ids.incident,
  title: 'Slow responses',
  status: 'investigating',
  impact: 'major',
  message: 'p99 is 3 s',
  components: [{ id: ids.component, name: 'API', status: 'partial_outage' }],
  source: 'manual',
  isAutoCreated: false,
  triggerComponentId: null,
  autoResolved: false,
  startedAt: times.failed,
  resolvedAt: null,
  reopenedAt: null,
  reopenCount: 0,
  nextUpdateAt: null,
  isUpdateOverdue: false,
  version: 1,
  url: `https://status.example.com/status/acme/incidents/${ids.incident}`,
  createdAt: times.updated,
  updatedAt: times.updated,
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
    remove: success,
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
        componentId: ids.component,
        showOnStatusPage: true,
      },
      reply: { ...latency, lastValue: null, lastValueAt: null, lastStatus: 'no_data' },
    },
    read: { reply: { ...latency, values: [{ timestamp: times.updated, value: 143.2 }] } },
    update: { body: { warningThreshold: 250 }, reply: { ...latency, warningThreshold: 250 } },
    remove: success,
    series: {
      reply: {
        queryId: ids.metricQuery,
        from: times.failed,
        to: times.nextUpdate,
        resolution: 300,
        points: [
          {
            timestamp: times.failed,
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
    remove: success,
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
