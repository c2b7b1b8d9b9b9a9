/** Examples of on-call schedules and alerts. */
import {
  actionLinkOperations,
  type OncallAlert,
  type OncallOverride,
  type OncallSchedule,
  type OncallShift,
  oncallAlertOperations,
  oncallScheduleOperations,
} from '../index.ts'
import { examplesOf } from './example.ts'
import { exampleIds, exampleTimes, listReplyOf, successExample } from './values.ts'

const userIds = [exampleIds.user, exampleIds.colleague]

const override: OncallOverride = {
  id: exampleIds.override,
  userId: exampleIds.colleague,
  startsAt: exampleTimes.announced,
  endsAt: exampleTimes.later,
  createdAt: exampleTimes.founded,
  updatedAt: exampleTimes.founded,
}

const escalation = [
  { delayMinutes: 0, targets: ['schedule'] },
  { delayMinutes: 15, targets: [`user:${exampleIds.colleague}`] },
]

const schedule: OncallSchedule = {
  id: exampleIds.schedule,
  version: 1,
  name: 'Primary',
  description: null,
  timezone: 'Europe/Berlin',
  componentIds: [],
  events: ['incident-draft.publishing'],
  isEnabled: true,
  layers: [
    {
      id: exampleIds.layer,
      name: 'Week',
      order: 0,
      startsAt: exampleTimes.founded,
      endsAt: null,
      rotationInterval: 'weekly',
      rotationLength: 1,
      handoffTime: '09:00',
      userIds,
      restrictions: [],
    },
  ],
  overrides: [override],
  escalation,
  managedByConfig: false,
  onCallNow: [
    {
      userId: exampleIds.user,
      userName: 'Ana',
      layerId: exampleIds.layer,
      since: exampleTimes.failed,
      until: exampleTimes.announced,
    },
  ],
  onCallNext: [
    {
      userId: exampleIds.colleague,
      userName: 'Bob',
      layerId: null,
      since: exampleTimes.announced,
      until: exampleTimes.later,
    },
  ],
  createdAt: exampleTimes.founded,
  updatedAt: exampleTimes.founded,
}

const [layer] = schedule.layers as [OncallSchedule['layers'][number]]

const layerShift: OncallShift = {
  userId: exampleIds.user,
  userName: 'Ana',
  layerId: exampleIds.layer,
  isOverride: false,
  startsAt: exampleTimes.failed,
  endsAt: exampleTimes.announced,
}

const overrideShift: OncallShift = {
  userId: exampleIds.colleague,
  userName: 'Bob',
  layerId: null,
  isOverride: true,
  startsAt: exampleTimes.announced,
  endsAt: exampleTimes.later,
}

const schedules = examplesOf(oncallScheduleOperations, {
  list: { reply: listReplyOf(schedule) },
  create: {
    bodies: {
      'Weekly rotation of two members': { name: 'Primary', layers: [{ userIds }] },
      'Night layer with escalation': {
        name: 'Primary',
        timezone: 'Europe/Berlin',
        componentIds: [exampleIds.component],
        layers: [
          { name: 'Days', userIds: [exampleIds.user], handoffTime: '09:00' },
          {
            name: 'Nights',
            userIds: [exampleIds.colleague],
            rotationInterval: 'daily',
            restrictions: [{ type: 'daily', startTime: '22:00', durationSeconds: 28_800 }],
          },
        ],
        escalation,
      },
    },
    reply: { ...schedule, overrides: [] },
  },
  read: { reply: schedule },
  update: {
    bodies: {
      'New name': { name: 'Secondary' },
      'New order of members': { layers: [{ ...layer, userIds: userIds.toReversed() }] },
    },
    reply: { ...schedule, version: 2, name: 'Secondary', updatedAt: exampleTimes.updated },
  },
  remove: successExample,
  shifts: { reply: listReplyOf(layerShift, overrideShift) },
  timeline: {
    reply: {
      from: exampleTimes.failed,
      to: exampleTimes.later,
      shifts: [layerShift, overrideShift],
      layers: [
        {
          layerId: exampleIds.layer,
          shifts: [{ ...layerShift, endsAt: exampleTimes.later }],
        },
      ],
      overrides: [override],
    },
  },
  addOverride: {
    body: {
      userId: exampleIds.colleague,
      startsAt: exampleTimes.announced,
      endsAt: exampleTimes.later,
    },
    reply: override,
  },
  updateOverride: {
    body: { endsAt: exampleTimes.later },
    reply: { ...override, updatedAt: exampleTimes.updated },
  },
  removeOverride: successExample,
})

const alert: OncallAlert = {
  id: exampleIds.alert,
  status: 'triggered',
  title: 'API is down',
  severity: 'critical',
  source: 'monitor',
  componentId: exampleIds.component,
  incidentId: null,
  scheduleId: exampleIds.schedule,
  scheduleName: 'Primary',
  reason: 'HTTP 503',
  details: {
    event: 'monitor.down',
    name: 'API',
    slaName: null,
    dueAt: null,
    percentage: null,
    targetPercentage: null,
    message: null,
    outcome: null,
  },
  since: exampleTimes.failed,
  assignedUserIds: [exampleIds.user],
  dedupKey: `component:${exampleIds.component}`,
  escalationLevel: 0,
  count: 1,
  noResponder: false,
  escalatesAt: exampleTimes.later,
  triggeredAt: exampleTimes.announced,
  acknowledgedAt: null,
  acknowledgedBy: null,
  resolvedAt: null,
  createdAt: exampleTimes.announced,
  updatedAt: exampleTimes.announced,
}

const acknowledged: OncallAlert = {
  ...alert,
  status: 'acknowledged',
  escalatesAt: null,
  acknowledgedAt: exampleTimes.updated,
  acknowledgedBy: exampleIds.user,
  updatedAt: exampleTimes.updated,
}

const alerts = examplesOf(oncallAlertOperations, {
  list: { reply: listReplyOf(alert) },
  read: { reply: alert },
  acknowledge: { reply: acknowledged },
  resolve: {
    reply: {
      ...acknowledged,
      status: 'resolved',
      resolvedAt: exampleTimes.later,
      updatedAt: exampleTimes.later,
    },
  },
})

const page = { reply: '<!doctype html>…' }

const links = examplesOf(actionLinkOperations, {
  page,
  submit: { body: { action: 'acknowledge' }, ...page },
})

export { alert as exampleAlert }

export const oncallExamples = [...schedules, ...alerts, ...links]
