/** Examples of single and recurring maintenances. */
import {
  type Maintenance,
  type MaintenanceTemplate,
  type MaintenanceUpdate,
  maintenanceOperations,
  maintenanceTemplateOperations,
} from '../index.ts'
import { examplesOf } from './example.ts'
import {
  exampleIds,
  exampleTimes,
  exampleTimestamps,
  listReplyOf,
  successExample,
} from './values.ts'

const window = {
  scheduledFor: '2026-08-02T02:00:00.000Z',
  scheduledUntil: '2026-08-02T04:00:00.000Z',
}
const begun = '2026-08-02T02:00:03.000Z'
const ended = '2026-08-02T03:10:00.000Z'

const maintenance: Maintenance = {
  id: exampleIds.maintenance,
  title: 'DB upgrade',
  message: 'Short interruptions.',
  status: 'scheduled',
  ...window,
  startedAt: null,
  completedAt: null,
  cancelledAt: null,
  components: [{ id: exampleIds.component, name: 'API', status: 'operational' }],
  autoStart: true,
  autoComplete: true,
  setUnderMaintenance: true,
  restoreOnComplete: true,
  notifySubscribers: true,
  remindBeforeMinutes: [60],
  recurrence: null,
  recurrenceOf: null,
  version: 1,
  url: `https://status.example.com/status/acme/maintenances/${exampleIds.maintenance}`,
  createdAt: exampleTimes.announced,
  updatedAt: exampleTimes.announced,
}

const completed: Maintenance = {
  ...maintenance,
  status: 'completed',
  message: 'The upgrade is complete.',
  startedAt: begun,
  completedAt: ended,
  version: 4,
  updatedAt: ended,
}

const update: MaintenanceUpdate = {
  id: exampleIds.maintenanceUpdate,
  status: 'completed',
  message: 'The upgrade is complete.',
  displayAt: ended,
  createdAt: ended,
  updatedAt: ended,
}

export { maintenance as exampleMaintenance }

const maintenances = examplesOf(maintenanceOperations, {
  list: { reply: listReplyOf(maintenance) },
  create: {
    bodies: {
      'Once, started and completed automatically': {
        title: 'DB upgrade',
        message: 'Short interruptions.',
        ...window,
        componentIds: [exampleIds.component],
      },
      'Every Sunday night, at the same local time': {
        title: 'Patching',
        ...window,
        remindBeforeMinutes: [1440, 60],
        recurrence: { rrule: 'FREQ=WEEKLY;BYDAY=SU', timezone: 'Europe/Berlin' },
      },
      'From a template': {
        templateId: exampleIds.maintenanceTemplate,
        variables: { database: 'orders' },
        scheduledFor: window.scheduledFor,
      },
      'Started and completed manually': {
        title: 'Data centre move',
        ...window,
        autoStart: false,
        autoComplete: false,
      },
    },
    reply: maintenance,
  },
  previewRecurrence: {
    body: {
      scheduledFor: '2027-03-21T01:30:00.000Z',
      scheduledUntil: '2027-03-21T02:30:00.000Z',
      recurrence: { rrule: 'FREQ=WEEKLY;BYDAY=SU;COUNT=2', timezone: 'Europe/Berlin' },
    },
    reply: {
      occurrences: [
        { scheduledFor: '2027-03-21T01:30:00.000Z', scheduledUntil: '2027-03-21T02:30:00.000Z' },
        { scheduledFor: '2027-04-04T00:30:00.000Z', scheduledUntil: '2027-04-04T01:30:00.000Z' },
      ],
      skippedTimes: ['2027-03-28T02:30'],
    },
  },
  listOccurrences: {
    reply: listReplyOf({
      recurrenceOf: exampleIds.maintenance,
      title: 'DB upgrade',
      scheduledFor: '2026-08-16T02:00:00.000Z',
      scheduledUntil: '2026-08-16T04:00:00.000Z',
    }),
  },
  read: { reply: maintenance },
  update: {
    body: { scheduledUntil: '2026-08-02T05:00:00.000Z' },
    reply: {
      ...maintenance,
      scheduledUntil: '2026-08-02T05:00:00.000Z',
      version: 2,
      updatedAt: exampleTimes.updated,
    },
  },
  remove: successExample,
  addUpdate: {
    body: { status: 'completed', message: 'The upgrade is complete.' },
    reply: { ...update, maintenance: completed },
  },
})

const template: MaintenanceTemplate = {
  id: exampleIds.maintenanceTemplate,
  name: 'Database upgrade',
  title: 'Upgrade of {{database}}',
  message: 'Short interruptions of {{database}}.',
  durationMinutes: 120,
  componentIds: [exampleIds.component],
  autoStart: true,
  autoComplete: true,
  setUnderMaintenance: true,
  restoreOnComplete: true,
  notifySubscribers: true,
  remindBeforeMinutes: [1440, 60],
  managedByConfig: false,
  ...exampleTimestamps,
}

const templates = examplesOf(maintenanceTemplateOperations, {
  list: { reply: listReplyOf(template) },
  create: {
    body: {
      name: template.name,
      title: template.title,
      message: template.message,
      durationMinutes: template.durationMinutes,
      componentIds: template.componentIds,
      remindBeforeMinutes: template.remindBeforeMinutes,
    },
    reply: template,
  },
  read: { reply: template },
  update: { body: { durationMinutes: 90 }, reply: { ...template, durationMinutes: 90 } },
  remove: successExample,
})

export const maintenanceExamples = [...maintenances, ...templates]
