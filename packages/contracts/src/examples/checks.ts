/** Examples of checks, response times and values of a component. */
import {
  type Check,
  componentCheckOperations,
  componentHeartbeatOperations,
  componentValueOperations,
  heartbeatHookOperations,
  type ResponseTimePoint,
  successReply,
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

const EXAMPLE_TOKEN = 'k8Zt3bW0rQm5XvL1yHn7PdJ2cAf9sGuE4oTiVqRwKxM'

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
  ...examplesOf(componentHeartbeatOperations, {
    read: {
      reply: {
        componentId: exampleIds.component,
        tokenIssuedAt: exampleTimes.founded,
        lastPingAt: exampleTimes.failed,
        expectedAt: exampleTimes.announced,
        dueAt: exampleTimes.announced,
        runs: [],
        pings: [
          {
            receivedAt: exampleTimes.failed,
            kind: 'finish',
            exitCode: 0,
            run: null,
            durationMs: 41_250,
            body: '1280 rows copied',
          },
        ],
      },
    },
    rotateToken: {
      reply: {
        token: EXAMPLE_TOKEN,
        pingUrl: `https://status.example.com/api/v1/hooks/heartbeat/${EXAMPLE_TOKEN}`,
      },
    },
  }),
  ...examplesOf(heartbeatHookOperations, {
    heartbeat: { reply: successReply },
    heartbeatByGet: { reply: successReply },
    heartbeatSignal: { reply: successReply },
    heartbeatSignalByGet: { reply: successReply },
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
