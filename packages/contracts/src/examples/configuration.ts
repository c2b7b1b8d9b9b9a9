/** Examples of configuration as code and its variables. */
import {
  type ConfigApplyResult,
  type ConfigurationVersion,
  configurationOperations,
  type Variable,
  variableOperations,
} from '../index.ts'
import { examplesOf } from './example.ts'
import {
  exampleIds,
  exampleTimes,
  exampleTimestamps,
  listReplyOf,
  successExample,
} from './values.ts'

const DOCUMENT = `apiVersion: v1
kind: StatusPageConfig
metadata:
  name: production
  configVersion: "2026-08-01.1"
spec:
  componentGroups:
    - name: Core
      order: 1
      description: What customers use
  integrations:
    - name: metrics-eu
      type: datadog
      config:
        site: datadoghq.eu
        apiKey: \${DD_API_KEY}
        appKey: \${DD_APP_KEY}
  components:
    - name: API
      type: ENDPOINT
      group: Core
      url: https://api.example.com/health
      conditions:
        - type: STATUS_CODE
          comparator: EQUALS
          target: "200"
    - name: Queue depth
      type: METRIC
      integration: metrics-eu
      query: avg:queue.depth{*}
      criticalThreshold: 500
`

/** The document as a JSON value. */
export const exampleConfiguration = {
  apiVersion: 'v1',
  kind: 'StatusPageConfig',
  metadata: { name: 'production', configVersion: '2026-08-01.1' },
  spec: {
    componentGroups: [{ name: 'Core', order: 1, description: 'What customers use' }],
    components: [
      {
        name: 'API',
        type: 'ENDPOINT',
        group: 'Core',
        url: 'https://api.example.com/health',
        conditions: [{ type: 'STATUS_CODE', comparator: 'EQUALS', target: '200' }],
      },
    ],
  },
}

const applied: ConfigApplyResult = {
  applied: true,
  dryRun: false,
  configVersion: '2026-08-01.1',
  created: [{ resourceType: 'component', resourceName: 'Queue depth' }],
  updated: [{ resourceType: 'component', resourceName: 'API', fields: ['url', 'conditions'] }],
  deleted: [],
  unchanged: 2,
  warnings: [],
}

const version: ConfigurationVersion = {
  id: exampleIds.configVersion,
  name: 'production',
  configVersion: '2026-08-01.1',
  source: 'api',
  commit: null,
  rollbackOf: null,
  appliedBy: exampleIds.user,
  changes: { created: 1, updated: 1, deleted: 0 },
  ...exampleTimestamps,
}

const variable: Variable = { name: 'DD_API_KEY', ...exampleTimestamps }

export const configurationExamples = [
  ...examplesOf(configurationOperations, {
    validate: {
      body: DOCUMENT,
      reply: {
        valid: false,
        warnings: ['spec.components[2].integration does not exist'],
        errors: [
          {
            path: 'spec.components[0].url',
            line: 22,
            column: 7,
            message: 'spec.components[0].url must be an http or https URL',
          },
        ],
      },
    },
    apply: { body: DOCUMENT, reply: applied },
    export: { reply: DOCUMENT },
    drift: {
      reply: {
        totalResources: 12,
        managedByConfig: 9,
        manuallyCreated: 3,
        drift: [
          {
            resourceType: 'component',
            resourceName: 'API',
            reason: 'modified',
            fields: ['isMuted'],
          },
          {
            resourceType: 'component',
            resourceName: 'Try-out',
            reason: 'not_in_config',
            fields: [],
          },
        ],
      },
    },
    versions: { reply: listReplyOf(version) },
    readVersion: { reply: { ...version, document: DOCUMENT } },
    rollback: {
      reply: {
        ...applied,
        configVersion: '2026-07-28.2',
        created: [],
        unchanged: 3,
        deleted: [{ resourceType: 'component', resourceName: 'Queue depth' }],
      },
    },
  }),
  ...examplesOf(variableOperations, {
    list: { reply: listReplyOf(variable) },
    read: { reply: variable },
    set: { body: { value: 'a-secret' }, reply: { ...variable, updatedAt: exampleTimes.updated } },
    remove: successExample,
  }),
]
