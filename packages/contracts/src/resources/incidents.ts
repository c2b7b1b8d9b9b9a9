/** Incidents: problems of components, with the updates that were published. */
import { type Static, Type } from '@sinclair/typebox'
import { event } from '../event.ts'
import { includeParameter, listOf, listQuery, Search, TimeRange } from '../listing.ts'
import { operationsOf } from '../operation.ts'
import {
  Id,
  IdParams,
  MarkdownText,
  Nullable,
  OneLine,
  OneOf,
  Success,
  Timestamp,
  withDocumentedKeywords,
} from '../scalars.ts'
import { AutomaticTexts } from './automatic-texts.ts'
import { ComponentStatus } from './component-status.ts'
import { EventPage } from './event-pages.ts'
import { Postmortem } from './postmortems.ts'

const openIncidentStatuses = ['investigating', 'identified', 'monitoring'] as const
export const incidentStatuses = [...openIncidentStatuses, 'resolved'] as const
export type IncidentStatus = (typeof incidentStatuses)[number]
export const IncidentStatus = OneOf(incidentStatuses)

export const impacts = ['minor', 'major', 'critical'] as const
export type Impact = (typeof impacts)[number]
export const Impact = OneOf(impacts)

/** Statuses that an incident can set for a component. */
export const incidentComponentStatuses = [
  'operational',
  'degraded_performance',
  'partial_outage',
  'major_outage',
] as const
export type IncidentComponentStatus = (typeof incidentComponentStatuses)[number]

/** Status that stands for the impact of an incident. */
export const statusByImpact: Record<Impact, IncidentComponentStatus> = {
  minor: 'degraded_performance',
  major: 'partial_outage',
  critical: 'major_outage',
}

export const MAX_INCIDENT_TITLE = 255
export const MAX_INCIDENT_MESSAGE = 25_000
export const MAX_INCIDENT_COMPONENTS = 500
export const MAX_INCIDENT_UPDATES = 500
/**
 * Limit including automatic updates: beyond it each automatic update replaces the oldest automatic
 * one.
 */
export const MAX_UPDATES_WITH_AUTOMATIC = 1_000
export const INCIDENT_BODY_LIMIT = 1024 * 1024
const MAX_TEMPLATE_VARIABLES = 50

export const ComponentIds = Type.Array(Id, {
  maxItems: MAX_INCIDENT_COMPONENTS,
  uniqueItems: true,
})
export const ComponentStatuses = Type.Record(Id, OneOf(incidentComponentStatuses), {
  maxProperties: MAX_INCIDENT_COMPONENTS,
})
const Message = MarkdownText(MAX_INCIDENT_MESSAGE)

const NotifySubscribers = Type.Boolean({
  description:
    'False: only channels receive the event. Default: true, or false while an incident that was ' +
    'entered after the fact stays resolved, which then has no event',
})

const NextUpdateAt = Nullable({
  ...Timestamp,
  description: 'Announced time of the next update, in the future; null announces none',
})

/** Fields of a body that a template completes. */
export const templateFields = {
  templateId: Type.Optional(Type.String({ ...Id, description: 'Template for absent fields' })),
  variables: Type.Optional(
    Type.Record(Type.String(), OneLine(MAX_INCIDENT_TITLE), {
      maxProperties: MAX_TEMPLATE_VARIABLES,
      description: 'Values by name, for `{{name}}` in the template',
    }),
  ),
}

/** Schema without `default`: absent fields come from the template, if one is named. */
export const NewIncident = Type.Object({
  title: Type.Optional(
    Type.String({ ...OneLine(MAX_INCIDENT_TITLE), description: 'Required without a template' }),
  ),
  status: Type.Optional(OneOf(incidentStatuses, { description: 'Default: investigating' })),
  impact: Type.Optional(OneOf(impacts, { description: 'Default: minor' })),
  message: Type.Optional(Message),
  componentIds: Type.Optional(ComponentIds),
  componentStatuses: Type.Optional(ComponentStatuses),
  startedAt: Type.Optional(Timestamp),
  resolvedAt: Type.Optional(
    Type.String({
      ...Timestamp,
      description:
        'Enters an incident that is over, with status resolved; after startedAt, not in the future',
    }),
  ),
  nextUpdateAt: Type.Optional(NextUpdateAt),
  ...templateFields,
  notifySubscribers: Type.Optional(
    Type.Boolean({
      description:
        'Default: true, or false with resolvedAt. False: only channels receive the event, and ' +
        'with resolvedAt there is no event',
    }),
  ),
})
export type NewIncident = Static<typeof NewIncident>

export const NewIncidentUpdate = withDocumentedKeywords(
  Type.Object({
    status: Type.Optional(IncidentStatus),
    message: Type.Optional(Message),
    componentStatuses: Type.Optional(ComponentStatuses),
    nextUpdateAt: Type.Optional(NextUpdateAt),
    notifySubscribers: Type.Optional(NotifySubscribers),
  }),
  { anyOf: [{ required: ['status'] }, { required: ['message'] }] },
)
export type NewIncidentUpdate = Static<typeof NewIncidentUpdate>

export const IncidentUpdatePatch = Type.Object({
  message: Type.Optional(Message),
  displayAt: Type.Optional(
    Type.String({ ...Timestamp, description: 'Displayed time of the update; not in the future' }),
  ),
})
export type IncidentUpdatePatch = Static<typeof IncidentUpdatePatch>

/** Body of a PATCH; `status`, `message` and `componentStatuses` append an update. */
export const IncidentPatch = Type.Object({
  title: Type.Optional(OneLine(MAX_INCIDENT_TITLE)),
  impact: Type.Optional(Impact),
  startedAt: Type.Optional(Timestamp),
  resolvedAt: Type.Optional(
    Type.String({ ...Timestamp, description: 'Only with status resolved; not in the future' }),
  ),
  componentIds: Type.Optional(ComponentIds),
  status: Type.Optional(IncidentStatus),
  message: Type.Optional(Message),
  componentStatuses: Type.Optional(ComponentStatuses),
  nextUpdateAt: Type.Optional(NextUpdateAt),
  notifySubscribers: Type.Optional(NotifySubscribers),
})
export type IncidentPatch = Static<typeof IncidentPatch>

export const AffectedComponent = Type.Object({
  id: Id,
  name: Type.String(),
  status: ComponentStatus,
})
export type AffectedComponent = Static<typeof AffectedComponent>

export const IncidentUpdate = Type.Object({
  id: Id,
  status: IncidentStatus,
  message: Type.String(),
  componentStatuses: Type.Record(Type.String(), ComponentStatus),
  displayAt: Timestamp,
  createdAt: Timestamp,
  updatedAt: Timestamp,
})
export type IncidentUpdate = Static<typeof IncidentUpdate>

export const incidentSources = ['manual', 'api', 'monitor'] as const
export type IncidentSource = (typeof incidentSources)[number]

export const Incident = Type.Object({
  id: Id,
  title: Type.String(),
  status: IncidentStatus,
  impact: Impact,
  message: Type.String({ description: 'Message of the latest update that has one; Markdown' }),
  components: Type.Array(AffectedComponent),
  source: OneOf(incidentSources),
  isAutoCreated: Type.Boolean(),
  triggerComponentId: Nullable(Id),
  autoResolved: Type.Boolean(),
  startedAt: Timestamp,
  resolvedAt: Nullable(Timestamp),
  reopenedAt: Nullable(Timestamp),
  reopenCount: Type.Integer(),
  isBackfilled: Type.Boolean({ description: 'True when it was entered after the fact' }),
  nextUpdateAt: Nullable(Timestamp),
  isUpdateOverdue: Type.Boolean({
    description: 'True when `nextUpdateAt` has passed without an update',
  }),
  version: Type.Integer({ description: 'Version for If-Match; rises with every change' }),
  url: Nullable(
    Type.String({
      description:
        'URL on the oldest published public page that shows the incident, or on the oldest ' +
        'published page if no public page shows it',
    }),
  ),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  updates: Type.Optional(Type.Array(IncidentUpdate)),
  postmortem: Type.Optional(Nullable(Postmortem)),
})
export type Incident = Static<typeof Incident>

/** Posted update with the resulting incident. */
const PostedUpdate = Type.Composite([IncidentUpdate, Type.Object({ incident: Incident })])

const UpdateParams = Type.Object({ id: Id, updateId: Id })

const incidentIncludes = includeParameter(['updates', 'postmortem'])

export const incidentOperations = operationsOf('core', 'incidents', {
  list: {
    route: 'GET /incidents',
    summary: 'List incidents',
    description:
      'Filters: `resolved`, `status`, `impact` and `statusPageId`; `from` and `to` apply to `createdAt`. ' +
      '`include=updates` adds the updates, newest first; `include=postmortem` adds the ' +
      'postmortem or null. 400 with field `pageSize` when the included parts of several ' +
      'incidents exceed 16 MiB.',
    permission: 'incidents:read',
    query: listQuery(
      ['createdAt', 'updatedAt', 'startedAt', 'resolvedAt', 'impact', 'status', 'title'],
      {
        status: Type.Optional(IncidentStatus),
        impact: Type.Optional(Impact),
        resolved: Type.Optional(Type.Boolean()),
        componentId: Type.Optional(Id),
        statusPageId: Type.Optional(
          Type.String({ ...Id, description: 'Incidents that the status page shows' }),
        ),
        search: Search,
        ...TimeRange,
        include: incidentIncludes,
      },
    ),
    reply: listOf(Incident),
  },
  create: {
    route: 'POST /incidents',
    status: 201,
    summary: 'Create an incident',
    description:
      'The message becomes the first update. Components in `componentStatuses` are added to ' +
      '`componentIds` and get that status at once. `templateId` supplies absent fields; ' +
      '`variables` must have a value for every `{{name}}` in the texts that it supplies. Emits ' +
      '`incident.created`, also for an incident that is created as resolved. With `resolvedAt` ' +
      'the incident is entered after the fact: `componentStatuses` enter the status history ' +
      'from `startedAt` to `resolvedAt` where they are worse than what it holds, do not change ' +
      'current statuses, and no event is emitted unless `notifySubscribers` is true.',
    permission: 'incidents:write',
    bucket: 'incident create',
    bodyLimit: INCIDENT_BODY_LIMIT,
    body: NewIncident,
    reply: Incident,
  },
  read: {
    route: 'GET /incidents/{id}',
    summary: 'Read an incident',
    permission: 'incidents:read',
    params: IdParams,
    query: Type.Object({ include: incidentIncludes }),
    reply: Incident,
  },
  update: {
    route: 'PATCH /incidents/{id}',
    summary: 'Update an incident',
    description:
      '`status`, `message` and `componentStatuses` append an update, unless status and message ' +
      'are unchanged. A request emits one event: `incident.reopened`, else ' +
      '`incident.resolved`, else `incident.updated`; none if nothing changed. An update clears ' +
      '`nextUpdateAt` unless it sets a new one, and so does a resolution. `startedAt` and ' +
      '`resolvedAt` of a resolved incident correct the status history, and with it uptime and ' +
      'service levels, without an event. While an incident that was entered after the fact ' +
      'stays resolved, its `componentStatuses` correct the history as well, and no event is ' +
      'emitted unless `notifySubscribers` is true.',
    permission: 'incidents:write',
    bodyLimit: INCIDENT_BODY_LIMIT,
    params: IdParams,
    body: IncidentPatch,
    reply: Incident,
  },
  remove: {
    route: 'DELETE /incidents/{id}',
    summary: 'Delete an incident',
    description:
      'Deletes the incident and the statuses that it set for components. Pending notifications ' +
      'are cancelled, and no notification is sent.',
    permission: 'incidents:write',
    params: IdParams,
    reply: Success,
  },
  addUpdate: {
    route: 'POST /incidents/{id}/updates',
    status: 201,
    summary: 'Post an incident update',
    description:
      'Requires `status` or `message`. Statuses can follow each other in any order. A ' +
      'resolution clears the statuses that the incident set for components. At most 500 ' +
      'updates per incident (409). Emits `incident.resolved`, `incident.reopened` or ' +
      '`incident.updated`. While an incident that was entered after the fact stays resolved, no ' +
      'event is emitted unless `notifySubscribers` is true.',
    permission: 'incidents:write',
    action: 'UPDATE',
    bodyLimit: INCIDENT_BODY_LIMIT,
    params: IdParams,
    body: NewIncidentUpdate,
    reply: PostedUpdate,
  },
  amendUpdate: {
    route: 'PATCH /incidents/{id}/updates/{updateId}',
    summary: 'Edit an incident update',
    description:
      'Changes the message or the displayed time without a notification. Updates stay in the ' +
      'order in which they were posted. Raises the `version` of the incident, to which ' +
      '`If-Match` refers.',
    permission: 'incidents:write',
    bodyLimit: INCIDENT_BODY_LIMIT,
    params: UpdateParams,
    body: IncidentUpdatePatch,
    reply: PostedUpdate,
  },
  removeUpdate: {
    route: 'DELETE /incidents/{id}/updates/{updateId}',
    summary: 'Delete an incident update',
    description:
      'No notification is sent, and the status of the incident does not change. 409 ' +
      '`invalid_state` for the only update. Raises the `version` of the incident, to which ' +
      '`If-Match` refers.',
    permission: 'incidents:write',
    params: UpdateParams,
    reply: Success,
  },
  reopen: {
    route: 'POST /incidents/{id}/reopen',
    summary: 'Reopen a resolved incident',
    description:
      'Clears `resolvedAt` and raises `reopenCount`. 409 `invalid_state` when the incident is ' +
      'not resolved. Emits `incident.reopened`.',
    permission: 'incidents:write',
    action: 'UPDATE',
    bodyLimit: INCIDENT_BODY_LIMIT,
    params: IdParams,
    body: Type.Object({
      status: Type.Optional(OneOf(openIncidentStatuses, { default: 'investigating' })),
      message: Type.Optional(Message),
      componentStatuses: Type.Optional(ComponentStatuses),
      nextUpdateAt: Type.Optional(NextUpdateAt),
      notifySubscribers: Type.Optional(Type.Boolean({ default: true })),
    }),
    reply: Incident,
  },
})

/** Component in an event, with the ids that a scope may contain. */
export const EventComponent = Type.Object({
  id: Id,
  name: Type.String(),
  status: ComponentStatus,
  isMuted: Type.Boolean(),
  /** Parent first, root last; empty when `packedAncestors` is present. */
  ancestorIds: Type.Array(Id),
})

/** Incident in events: its state after the change and its scope. */
export const IncidentEventData = Type.Object({
  id: Id,
  title: Type.String(),
  status: IncidentStatus,
  impact: Impact,
  /** Text of the event's update; empty without one. */
  message: Type.String(),
  components: Type.Array(EventComponent),
  /** Replaces all `ancestorIds` when they make the event too large; see `scopeIdsOf`. */
  packedAncestors: Type.Optional(Type.String()),
  startedAt: Timestamp,
  resolvedAt: Nullable(Timestamp),
  nextUpdateAt: Type.Optional(Nullable(Timestamp)),
  url: Nullable(Type.String()),
  /** Published pages that show the incident. */
  statusPageIds: Type.Array(Id),
  /** Content of each page, oldest page first; absent when no page shows the incident. */
  pages: Type.Optional(Type.Array(EventPage)),
  automatic: Type.Optional(AutomaticTexts),
  notifySubscribers: Type.Boolean(),
  /**
   * True when the event notifies as the creation does, but only destinations that have no
   * notification of the incident yet: a component was listed whose outage another one explains.
   */
  isCatchUp: Type.Optional(Type.Boolean()),
})
export type IncidentEventData = Static<typeof IncidentEventData>

const eventData = Type.Object({ incident: IncidentEventData })

export const incidentCreated = event('incident.created', ['core'], eventData)
export const incidentUpdated = event('incident.updated', ['core'], eventData)
export const incidentResolved = event('incident.resolved', ['core'], eventData)
export const incidentReopened = event('incident.reopened', ['core'], eventData)
/** Events that channels, subscribers and programs receive by default. */
export const incidentEvents = [
  incidentCreated,
  incidentUpdated,
  incidentResolved,
  incidentReopened,
] as const
/** Not selectable; pending deliveries of a deleted incident are cancelled. */
export const incidentDeleted = event('incident.deleted', ['core'], eventData)
/** Emitted once for each `nextUpdateAt` that passes without an update. */
export const incidentUpdateOverdue = event('incident.update-overdue', ['core'], eventData)
