/** Examples of checks and response times of a component. */
import {
  type Check,
  componentCheckOperations,
  type ResponseTimePoint,
} from '@status-page/contracts'
import { examplesOf } from './example.ts'
import { ids, listReplyOf, times } from './values.ts'

const check: Check = {
  id: ids.check,
  componentId: ids.component,
  success: false,
  status: 'FAILURE',
  statusCode: 503,
  responseTime: 87,
  timestamp: times.failed,
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
  timestamp: times.failed,
  location: 'default',
  checks: 5,
  successes: 5,
  average: 91,
  p50: 88,
  p95: 120,
  p99: 120,
}

export const checkExamples = examplesOf(componentCheckOperations, {
  list: { reply: listReplyOf(check) },
  responseTimes: {
    reply: {
      componentId: ids.component,
      from: times.founded,
      to: times.announced,
      resolution: 300,
      points: [point],
    },
  },
})
