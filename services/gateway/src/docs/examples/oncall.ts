/** Examples of on-call schedules and alerts. */
import {
  type OncallAlert,
  type OncallOverride,
  type OncallSchedule,
  oncallAlertOperations,
  oncallScheduleOperations,
} from '@status-page/contracts'
import { examplesOf } from './example.ts'
import { ids, listReplyOf, success, times } from './values.ts'

const userIds = [ids.user, ids.colleague]

const override: OncallOverride = {
  id: ids.override,
  userId: ids.colleague,
  startsAt: times.announced,
  endsAt: times.later,
  createdAt: times.founded,
  updatedAt: times.founded,
}

const escalation = [
  { delayMinutes: 0, targets: ['schedule'] },
  { delayMinutes: 15, targets: [`user:${ids.colleague}`] },
]

const schedule: OncallSchedule = {
  id: ids.schedule,
  name: 'Primary',
  description: null,
  timezone: 'Europe/Berlin',
  componentIds: [],
  events: ['incident-draft.publishing'],
  isEnabled: true,
  layers: [
    {
      id: ids.layer,
      name: 'Week',
      order: 0,
      startsAt: times.founded,
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
  onCallNow: [{ userId: ids.user, userName: 'Ana', layerId: ids.layer, until: times.announced }],
  createdAt: times.founded,
  updatedAt: times.founded,
}

const [layer] = schedule.layers as [OncallSchedule['layers'][number]]

const schedules = examplesOf(oncallScheduleOperations, {
  list: { reply: listReplyOf(schedule) },
  create: {
    bodies: {
      'Weekly rotation of two members': { name: 'Primary', layers: [{ userIds }] },
      'Night layer with escalation': {
        name: 'Primary',
        timezone: 'Europe/Berlin',
        componentIds: [ids.component],
        layers: [
          { name: 'Days', userIds: [ids.user], handoffTime: '09:00' },
          {
            name: 'Nights',
            userIds: [ids.colleague],
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
    reply: { ...schedule, name: 'Secondary', updatedAt: times.updated },
  },
  remove: success,
  shifts: {
    reply: listReplyOf(
      {
        userId: ids.user,
        userName: 'Ana',
        layerId: ids.layer,
        isOverride: false,
        startsAt: times.failed,
        endsAt: times.announced,
      },
      {
        userId: ids.colleague,
        userName: 'Bob',
        layerId: null,
        isOverride: true,
        startsAt: times.announced,
        endsAt: times.later,
      },
    ),
  },
  addOverride: {
    body: { userId: ids.colleague, startsAt: times.announced, endsAt: times.later },
    reply: override,
  },
  removeOverride: success,
})

const alert: OncallAlert = {
  id: ids.alert,
  status: 'triggered',
  title: 'API is down',
  severity: 'critical',
  source: 'monitor',
  componentId: ids.component,
  incidentId: null,
  scheduleId: ids.schedule,
  assignedUserIds: [ids.user],
  dedupKey: `component:${ids.component}`,
  escalationLevel: 0,
  count: 1,
  noResponder: false,
  triggeredAt: times.announced,
  acknowledgedAt: null,
  acknowledgedBy: null,
  resolvedAt: null,
  createdAt: times.announced,
  updatedAt: times.announced,
}

const acknowledged: OncallAlert = {
  ...alert,
  status: 'acknowledged',
  acknowledgedAt: times.updated,
  acknowledgedBy: ids.user,
  updatedAt: times.updated,
}

const alerts = examplesOf(oncallAlertOperations, {
  list: { reply: listReplyOf(alert) },
  read: { reply: alert },
  acknowledge: { reply: acknowledged },
  resolve: {
    reply: { ...acknowledged, status: 'resolved', resolvedAt: times.later, updatedAt: times.later },
  },
})

export const oncallExamples = [...schedules, ...alerts]
