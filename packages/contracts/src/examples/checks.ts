/** Examples of checks, response times and values of a component. */
import {
  type Check,
  componentCheckOperations,
  componentValueOperations,
  type ResponseTimePoint,
} from '../index.ts'
import { examplesOf } from './example.ts'
import { exampleIds, exampleTimes, listReplyOf } from './values.ts'

const check: Check = {
  id: exampleIds.check,
  componentId: exampleIds.component,
  success: false,
  status: 'FAILURE',
  statusCode: 503,
  responseTime: 87,
  timestamp: exampleTimes.failed,
  error: null,
  conditionResults: [
    {
      type: 'STATUS_CODE',
      comparator: 'EQUALS',
      target: '200',
      actual: '503',
      passed: false,
    },
  ],
  trigger: 'schedule',
  timings: { dns: 4, connect: 12, tls: 31, firstByte: 86 },
  location: 'default',
}

const point: ResponseTimePoint = {
  timestamp: exampleTimes.failed,
  location: 'default',
  checks: 5,
  successes: 5,
  average: 91,
  p50: 88,
  p95: 120,
  p99: 120,
}

export const checkExamples = [
  ...examplesOf(componentCheckOperations, {
    checks: { reply: listReplyOf(check) },
    responseTimes: {
      reply: {
        componentId: exampleIds.component,
        from: exampleTimes.founded,
        to: exampleTimes.announced,
        resolution: 300,
        points: [point],
      },
    },
  }),
  ...examplesOf(componentValueOperations, {
    values: {
      reply: {
        componentId: exampleIds.component,
        from: exampleTimes.founded,
        to: exampleTimes.announced,
        resolution: 300,
        points: [
          {
            timestamp: exampleTimes.failed,
            polls: 5,
            values: 5,
            average: 41.2,
            minimum: 12,
            maximum: 96,
          },
        ],
      },
    },
  }),
]
