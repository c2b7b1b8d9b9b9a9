/** Examples of service levels and their reports. */
import { type Sla, type SlaReport, slaOperations } from '../index.ts'
import { examplesOf } from './example.ts'
import {
  exampleIds,
  exampleTimes,
  exampleTimestamps,
  listReplyOf,
  successExample,
} from './values.ts'

const sla: Sla = {
  id: exampleIds.sla,
  name: 'API 99.9',
  description: null,
  componentIds: [exampleIds.component],
  targetPercentage: 99.9,
  windowType: 'rolling',
  windowDays: 30,
  timezone: 'UTC',
  aggregation: 'any_down',
  downtimeStatuses: ['partial_outage', 'major_outage'],
  partialWeight: 1,
  excludeMaintenance: true,
  minOutageSeconds: 0,
  atRiskThreshold: 20,
  isEnabled: true,
  responseTargetMinutes: 15,
  resolutionTargetMinutes: 240,
  managedByConfig: false,
  current: {
    since: exampleTimes.failed,
    percentage: 99.95,
    budgetTotalSeconds: 2592,
    budgetRemainingSeconds: 1296,
    burnRate: 0.5,
    status: 'healthy',
    evaluatedAt: exampleTimes.later,
  },
  ...exampleTimestamps,
}

const report: SlaReport = {
  slaId: exampleIds.sla,
  name: 'API 99.9',
  from: exampleTimes.failed,
  to: exampleTimes.later,
  since: exampleTimes.failed,
  targetPercentage: 99.9,
  percentage: 99.9652,
  met: true,
  totalSeconds: 2_592_000,
  downtimeSeconds: 900,
  excludedSeconds: 0,
  budgetTotalSeconds: 2592,
  budgetRemainingSeconds: 1692,
  components: [
    { id: exampleIds.component, name: 'API', percentage: 99.9652, downtimeSeconds: 900 },
  ],
  outageCount: 1,
  outages: [
    {
      componentId: exampleIds.component,
      status: 'partial_outage',
      seconds: 900,
      startedAt: exampleTimes.failed,
      endedAt: exampleTimes.updated,
    },
  ],
  incidents: [
    {
      id: exampleIds.incident,
      title: 'API errors',
      impact: 'major',
      startedAt: exampleTimes.failed,
      resolvedAt: exampleTimes.updated,
      responseSeconds: 64,
      resolutionSeconds: 900,
      responseBreached: false,
      resolutionBreached: false,
    },
  ],
}

export { sla as exampleSla }

export const slaExamples = examplesOf(slaOperations, {
  list: { reply: listReplyOf(sla) },
  create: {
    bodies: {
      '99.9 % in 30 days': {
        name: 'API 99.9',
        componentIds: [exampleIds.component],
        targetPercentage: 99.9,
        responseTargetMinutes: 15,
        resolutionTargetMinutes: 240,
      },
      'Calendar month, mean of two components': {
        name: 'Shop',
        componentIds: [exampleIds.component, exampleIds.group],
        targetPercentage: 99.5,
        windowType: 'calendar_month',
        timezone: 'Europe/Berlin',
        aggregation: 'average',
        partialWeight: 0.3,
        minOutageSeconds: 60,
      },
    },
    reply: sla,
  },
  read: { reply: sla },
  update: { body: { targetPercentage: 99.95 }, reply: { ...sla, targetPercentage: 99.95 } },
  remove: successExample,
  report: { reply: report },
})
