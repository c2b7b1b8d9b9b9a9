/** Examples of incidents, updates, postmortems and templates. */
import {
  type AudienceCounts,
  type ChannelType,
  channelTypes,
  type Incident,
  type IncidentTemplate,
  type IncidentUpdate,
  incidentOperations,
  incidentPreviewOperations,
  incidentTemplateOperations,
  type Postmortem,
  postmortemOperations,
} from '../index.ts'
import { examplesOf } from './example.ts'
import {
  exampleIds,
  exampleTimes,
  exampleTimestamps,
  listReplyOf,
  successExample,
} from './values.ts'

const postmortem: Postmortem = {
  id: exampleIds.postmortem,
  summary: 'A deployment doubled the load on the database.',
  rootCause: 'A query lost its index.',
  impact: 'One request in five failed for 15 minutes.',
  resolution: 'The deployment was rolled back.',
  timeline: [
    { at: exampleTimes.failed, text: 'First alert' },
    { at: exampleTimes.updated, text: 'Deployment rolled back' },
  ],
  actionItems: [
    { title: 'Monitor query plans', owner: 'Ana', dueAt: exampleTimes.later, done: false },
  ],
  isPublished: true,
  publishedAt: exampleTimes.later,
  createdAt: exampleTimes.updated,
  updatedAt: exampleTimes.later,
}

const incident: Incident = {
  id: exampleIds.incident,
  title: 'API errors',
  status: 'investigating',
  impact: 'major',
  message: 'Elevated error rates.',
  components: [{ id: exampleIds.component, name: 'API', status: 'partial_outage' }],
  source: 'api',
  isAutoCreated: false,
  triggerComponentId: null,
  autoResolved: false,
  startedAt: exampleTimes.failed,
  resolvedAt: null,
  reopenedAt: null,
  reopenCount: 0,
  isBackfilled: false,
  version: 1,
  nextUpdateAt: exampleTimes.nextUpdate,
  isUpdateOverdue: false,
  url: `https://status.example.com/status/acme/incidents/${exampleIds.incident}`,
  createdAt: exampleTimes.announced,
  updatedAt: exampleTimes.announced,
}

const resolved: Incident = {
  ...incident,
  status: 'resolved',
  message: 'Fixed.',
  resolvedAt: exampleTimes.updated,
  version: 2,
  nextUpdateAt: null,
  components: [{ id: exampleIds.component, name: 'API', status: 'operational' }],
  updatedAt: exampleTimes.updated,
}

const update: IncidentUpdate = {
  id: exampleIds.update,
  status: 'resolved',
  message: 'Fixed.',
  componentStatuses: { [exampleIds.component]: 'operational' },
  displayAt: exampleTimes.updated,
  createdAt: exampleTimes.updated,
  updatedAt: exampleTimes.updated,
}

const firstUpdate: IncidentUpdate = {
  id: exampleIds.firstUpdate,
  status: 'investigating',
  message: incident.message,
  componentStatuses: { [exampleIds.component]: 'partial_outage' },
  displayAt: exampleTimes.announced,
  createdAt: exampleTimes.announced,
  updatedAt: exampleTimes.announced,
}

const none: AudienceCounts = {
  sent: 0,
  muted: 0,
  unconfirmed: 0,
  quarantined: 0,
  disabled: 0,
  unsubscribed: 0,
}

const noChannels = Object.fromEntries(channelTypes.map((type) => [type, none])) as Record<
  ChannelType,
  AudienceCounts
>

const previews = examplesOf(incidentPreviewOperations, {
  previewAudience: {
    body: { title: incident.title, impact: incident.impact, componentIds: [exampleIds.component] },
    reply: {
      event: 'incident.created',
      statusPageIds: [exampleIds.page],
      subscribers: {
        email: { ...none, sent: 240, unconfirmed: 3, quarantined: 1 },
        sms: none,
        webhook: { ...none, sent: 2 },
      },
      channels: {
        ...noChannels,
        slack: { ...none, sent: 1 },
        webhook: { ...none, disabled: 1 },
      },
      sent: 243,
      deferred: 143,
      waiting: 0,
      estimatedSeconds: 120,
    },
  },
})

const incidents = examplesOf(incidentOperations, {
  list: { reply: listReplyOf(incident) },
  create: {
    bodies: {
      'Affecting all components': { title: 'API errors', message: 'Elevated error rates.' },
      'With component statuses': {
        title: 'API errors',
        impact: 'major',
        message: 'Elevated error rates.',
        componentStatuses: { [exampleIds.component]: 'partial_outage' },
      },
      'Without notifying subscribers': {
        title: 'Slow nightly run',
        status: 'monitoring',
        notifySubscribers: false,
      },
      'From a template': {
        templateId: exampleIds.template,
        variables: { region: 'Frankfurt' },
        nextUpdateAt: exampleTimes.nextUpdate,
      },
    },
    reply: incident,
  },
  read: { reply: { ...resolved, updates: [update, firstUpdate], postmortem } },
  update: {
    bodies: {
      'Edit without an update': { title: 'Checkout errors', impact: 'critical' },
      'Edit and append an update': { status: 'identified', message: 'A faulty deployment.' },
    },
    reply: { ...incident, title: 'Checkout errors', impact: 'critical', version: 2 },
  },
  remove: successExample,
  addUpdate: {
    bodies: {
      'New message': {
        status: 'identified',
        message: 'A faulty deployment; we are rolling it back.',
        nextUpdateAt: exampleTimes.nextUpdate,
      },
      Resolution: { status: 'resolved', message: 'Fixed.' },
    },
    reply: { ...update, incident: resolved },
  },
  amendUpdate: {
    body: { message: 'Fixed: the deployment was rolled back.', displayAt: exampleTimes.updated },
    reply: {
      ...update,
      message: 'Fixed: the deployment was rolled back.',
      incident: { ...resolved, message: 'Fixed: the deployment was rolled back.', version: 3 },
    },
  },
  removeUpdate: successExample,
  reopen: {
    body: { status: 'investigating', message: 'The errors have returned.' },
    reply: {
      ...incident,
      message: 'The errors have returned.',
      reopenedAt: exampleTimes.later,
      reopenCount: 1,
      version: 3,
    },
  },
})

const written = {
  summary: postmortem.summary,
  rootCause: postmortem.rootCause,
  impact: postmortem.impact,
  resolution: postmortem.resolution,
  timeline: postmortem.timeline,
  actionItems: postmortem.actionItems,
}

const postmortems = examplesOf(postmortemOperations, {
  read: { reply: postmortem },
  replace: {
    bodies: {
      Draft: { summary: postmortem.summary },
      'Published, with a notification': {
        ...written,
        isPublished: true,
        notifySubscribers: true,
      },
    },
    reply: postmortem,
  },
  remove: successExample,
})

const template: IncidentTemplate = {
  id: exampleIds.template,
  name: 'Region down',
  title: '{{region}} is down',
  message: 'We are investigating failures in {{region}}.',
  status: 'investigating',
  impact: 'critical',
  componentIds: [],
  componentStatuses: { [exampleIds.component]: 'major_outage' },
  managedByConfig: false,
  ...exampleTimestamps,
}

const templates = examplesOf(incidentTemplateOperations, {
  list: { reply: listReplyOf(template) },
  create: {
    body: {
      name: template.name,
      title: template.title,
      message: template.message,
      impact: 'critical',
      componentStatuses: template.componentStatuses,
    },
    reply: template,
  },
  read: { reply: template },
  update: { body: { name: 'Region lost' }, reply: { ...template, name: 'Region lost' } },
  remove: successExample,
})

export { incident as exampleIncident }

export const incidentExamples = [...incidents, ...previews, ...postmortems, ...templates]
