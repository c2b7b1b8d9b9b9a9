/** Incidents: what went wrong, for whom, and what people were told. */
import { type Static, Type } from '@sinclair/typebox'
import { event } from '../event.ts'
import { include, listOf, listQuery, Search, TimeRange } from '../listing.ts'
import { operation } from '../operation.ts'
import {
  documented,
  Id,
  IdParams,
  LongText,
  Nullable,
  OneLine,
  OneOf,
  Success,
  Timestamp,
} from '../scalars.ts'
import { AutomaticTexts } from './automatic-texts.ts'
import { ComponentStatus } from './components.ts'
import { EventPage } from './event-pages.ts'
import { Postmortem } from './postmortems.ts'

export const incidentStatuses = ['investigating', 'identified', 'monitoring', 'resolved'] as const
export type IncidentStatus = (typeof incidentStatuses)[number]
export const IncidentStatus = OneOf(incidentStatuses)

export const impacts = ['minor', 'major', 'critical'] as const
export type Impact = (typeof impacts)[number]
export const Impact = OneOf(impacts)

/** What an incident may say of a component. */
export const incidentComponentStatuses = [
  'operational',
  'degraded_performance',
  'partial_outage',
  'major_outage',
] as const
export type IncidentComponentStatus = (typeof incidentComponentStatuses)[number]

export const MAX_INCIDENT_TITLE = 255
export const MAX_INCIDENT_MESSAGE = 25_000
export const MAX_INCIDENT_COMPONENTS = 500
export const MAX_INCIDENT_UPDATES = 500
/** With what the checks note: beyond it each note replaces their oldest one. */
export const MAX_NOTED_UPDATES = 1_000
export const INCIDENT_BODY_LIMIT = 1024 * 1024
const MAX_VARIABLES = 50

export const ComponentIds = Type.Array(Id, {
  maxItems: MAX_INCIDENT_COMPONENTS,
  uniqueItems: true,
})
export const ComponentStatuses = Type.Record(Id, OneOf(incidentComponentStatuses), {
  maxProperties: MAX_INCIDENT_COMPONENTS,
})
const Message = LongText(MAX_INCIDENT_MESSAGE)

const NextUpdateAt = Nullable({
  ...Timestamp,
  description: 'When people are promised the next update; in the future, null for no promise',
})

/** Without `default`: what is left out comes from the template, if one is named. */
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
  nextUpdateAt: Type.Optional(NextUpdateAt),
  templateId: Type.Optional(
    Type.String({ ...Id, description: 'Fields of this body win over those of the template' }),
  ),
  variables: Type.Optional(
    Type.Record(Type.String(), OneLine(MAX_INCIDENT_TITLE), {
      maxProperties: MAX_VARIABLES,
      description: 'By name, for the `{{name}}` of the template',
    }),
  ),
  notifySubscribers: Type.Optional(
    Type.Boolean({ default: true, description: 'False: only channels get the event' }),
  ),
})
export type NewIncident = Static<typeof NewIncident>

export const NewIncidentUpdate = documented(
  Type.Object({
    status: Type.Optional(IncidentStatus),
    message: Type.Optional(Message),
    componentStatuses: Type.Optional(ComponentStatuses),
    nextUpdateAt: Type.Optional(NextUpdateAt),
    notifySubscribers: Type.Optional(Type.Boolean({ default: true })),
  }),
  { anyOf: [{ required: ['status'] }, { required: ['message'] }] },
)
export type NewIncidentUpdate = Static<typeof NewIncidentUpdate>

export const IncidentUpdatePatch = Type.Object({
  message: Type.Optional(Message),
  displayAt: Type.Optional(
    Type.String({ ...Timestamp, description: 'The time that readers see; not in the future' }),
  ),
})
export type IncidentUpdatePatch = Static<typeof IncidentUpdatePatch>

/** status, message and componentStatuses append an update. */
export const IncidentPatch = Type.Object({
  title: Type.Optional(OneLine(MAX_INCIDENT_TITLE)),
  impact: Type.Optional(Impact),
  startedAt: Type.Optional(Timestamp),
  componentIds: Type.Optional(ComponentIds),
  status: Type.Optional(IncidentStatus),
  message: Type.Optional(Message),
  componentStatuses: Type.Optional(ComponentStatuses),
  nextUpdateAt: Type.Optional(NextUpdateAt),
  notifySubscribers: Type.Optional(Type.Boolean({ default: true })),
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
  message: Type.String({ description: 'Of the newest update that has one' }),
  components: Type.Array(AffectedComponent),
  source: OneOf(incidentSources),
  isAutoCreated: Type.Boolean(),
  triggerComponentId: Nullable(Id),
  autoResolved: Type.Boolean(),
  startedAt: Timestamp,
  resolvedAt: Nullable(Timestamp),
  reopenedAt: Nullable(Timestamp),
  reopenCount: Type.Integer(),
  nextUpdateAt: Nullable(Timestamp),
  isUpdateOverdue: Type.Boolean({ description: '`nextUpdateAt` has passed without an update' }),
  version: Type.Integer({ description: 'For If-Match' }),
  url: Nullable(
    Type.String({
      description:
        'On the oldest published public page that shows it; where none does, on the oldest ' +
        'published page that shows it',
    }),
  ),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  updates: Type.Optional(Type.Array(IncidentUpdate)),
  postmortem: Type.Optional(Nullable(Postmortem)),
})
export type Incident = Static<typeof Incident>

/** A posted update with the incident as it is since. */
const PostedUpdate = Type.Composite([IncidentUpdate, Type.Object({ incident: Incident })])

const UpdateParams = Type.Object({ id: Id, updateId: Id })

const incidentIncludes = include(['updates', 'postmortem'])

export const incidentOperations = {
  list: operation({
    id: 'incidents.list',
    service: 'core',
    method: 'GET',
    path: '/incidents',
    status: 200,
    summary: 'List incidents',
    description:
      '`resolved`, `status` and `impact` narrow it down; `from` and `to` look at ' +
      '`createdAt`. `include=updates` adds the updates, newest first; `include=postmortem` ' +
      'adds the postmortem, or null. 400 names `pageSize` where what `include` adds to a page of ' +
      'several incidents is more than 16 MiB.',
    permission: 'incidents:read',
    query: listQuery(
      ['createdAt', 'updatedAt', 'startedAt', 'resolvedAt', 'impact', 'status', 'title'],
      {
        status: Type.Optional(IncidentStatus),
        impact: Type.Optional(Impact),
        resolved: Type.Optional(Type.Boolean()),
        componentId: Type.Optional(Id),
        search: Search,
        ...TimeRange,
        include: incidentIncludes,
      },
    ),
    reply: listOf(Incident),
  }),
  create: operation({
    id: 'incidents.create',
    service: 'core',
    method: 'POST',
    path: '/incidents',
    status: 201,
    summary: 'Open an incident',
    description:
      'The message becomes the first update. Components named in `componentStatuses` are ' +
      'added to `componentIds` and show that status at once. `templateId` fills in what the ' +
      'body leaves out; every `{{name}}` of a text that it takes over needs one of ' +
      '`variables`. Event: `incident.created`, also where it is created as resolved.',
    permission: 'incidents:write',
    bucket: 'incident create',
    bodyLimit: INCIDENT_BODY_LIMIT,
    body: NewIncident,
    reply: Incident,
  }),
  read: operation({
    id: 'incidents.read',
    service: 'core',
    method: 'GET',
    path: '/incidents/{id}',
    status: 200,
    summary: 'Read an incident',
    permission: 'incidents:read',
    params: IdParams,
    query: Type.Object({ include: incidentIncludes }),
    reply: Incident,
  }),
  update: operation({
    id: 'incidents.update',
    service: 'core',
    method: 'PATCH',
    path: '/incidents/{id}',
    status: 200,
    summary: 'Change an incident',
    description:
      '`status`, `message` and `componentStatuses` append an update; a status and a message as ' +
      'they are append none. One request sends one ' +
      'event: `incident.reopened`, else `incident.resolved`, else `incident.updated`; none ' +
      'where nothing changed. An update and a resolution end the promise of `nextUpdateAt`, ' +
      'unless the former gives another.',
    permission: 'incidents:write',
    bodyLimit: INCIDENT_BODY_LIMIT,
    params: IdParams,
    body: IncidentPatch,
    reply: Incident,
  }),
  remove: operation({
    id: 'incidents.remove',
    service: 'core',
    method: 'DELETE',
    path: '/incidents/{id}',
    status: 200,
    summary: 'Delete an incident without telling anybody',
    description:
      'Removes the incident and what it says of components. Waiting notifications are ' +
      'dropped.',
    permission: 'incidents:write',
    params: IdParams,
    reply: Success,
  }),
  addUpdate: operation({
    id: 'incidents.addUpdate',
    service: 'core',
    method: 'POST',
    path: '/incidents/{id}/updates',
    status: 201,
    summary: 'Post an update',
    description:
      '`status` or `message` is needed; at most 500 updates (409). The four statuses may ' +
      'follow in any order. Resolving ends what the incident says of its components. ' +
      'Event: `incident.resolved`, `incident.reopened` or `incident.updated`.',
    permission: 'incidents:write',
    action: 'UPDATE',
    bodyLimit: INCIDENT_BODY_LIMIT,
    params: IdParams,
    body: NewIncidentUpdate,
    reply: PostedUpdate,
  }),
  amendUpdate: operation({
    id: 'incidents.amendUpdate',
    service: 'core',
    method: 'PATCH',
    path: '/incidents/{id}/updates/{updateId}',
    status: 200,
    summary: 'Correct the message or the time of an update',
    description:
      "Nobody is told. Updates stay in the order of posting. Raises the incident's `version`, " +
      'which `If-Match` names.',
    permission: 'incidents:write',
    bodyLimit: INCIDENT_BODY_LIMIT,
    params: UpdateParams,
    body: IncidentUpdatePatch,
    reply: PostedUpdate,
  }),
  removeUpdate: operation({
    id: 'incidents.removeUpdate',
    service: 'core',
    method: 'DELETE',
    path: '/incidents/{id}/updates/{updateId}',
    status: 200,
    summary: 'Delete an update',
    description:
      'Nobody is told, and the incident keeps its status. The only update cannot be deleted ' +
      "(409 `invalid_state`). Raises the incident's `version`, which `If-Match` names.",
    permission: 'incidents:write',
    params: UpdateParams,
    reply: Success,
  }),
  reopen: operation({
    id: 'incidents.reopen',
    service: 'core',
    method: 'POST',
    path: '/incidents/{id}/reopen',
    status: 200,
    summary: 'Reopen a resolved incident',
    description:
      '409 `invalid_state` where it is not resolved. Clears `resolvedAt`, raises ' +
      '`reopenCount`. Event: `incident.reopened`.',
    permission: 'incidents:write',
    action: 'UPDATE',
    bodyLimit: INCIDENT_BODY_LIMIT,
    params: IdParams,
    body: Type.Object({
      status: Type.Optional(
        OneOf(['investigating', 'identified', 'monitoring'], { default: 'investigating' }),
      ),
      message: Type.Optional(Message),
      componentStatuses: Type.Optional(ComponentStatuses),
      nextUpdateAt: Type.Optional(NextUpdateAt),
      notifySubscribers: Type.Optional(Type.Boolean({ default: true })),
    }),
    reply: Incident,
  }),
}

/** A component in an event, with what a scope may name. */
export const EventComponent = Type.Object({
  id: Id,
  name: Type.String(),
  status: ComponentStatus,
  isMuted: Type.Boolean(),
  /** Parent first, root last; empty where `packedAncestors` is there. */
  ancestorIds: Type.Array(Id),
})

/** The incident as its listeners need it: the state after the change, and whom it concerns. */
export const IncidentEventData = Type.Object({
  id: Id,
  title: Type.String(),
  status: IncidentStatus,
  impact: Impact,
  /** Text of the update that this event is about; empty when it had none. */
  message: Type.String(),
  components: Type.Array(EventComponent),
  /** In the place of all `ancestorIds` where they make the event too large; see `scopeIdsOf`. */
  packedAncestors: Type.Optional(Type.String()),
  startedAt: Timestamp,
  resolvedAt: Nullable(Timestamp),
  nextUpdateAt: Type.Optional(Nullable(Timestamp)),
  url: Nullable(Type.String()),
  /** Published pages that show it. */
  statusPageIds: Type.Array(Id),
  /** What each of them shows, oldest page first; absent where no page shows it. */
  pages: Type.Optional(Type.Array(EventPage)),
  automatic: Type.Optional(AutomaticTexts),
  notifySubscribers: Type.Boolean(),
})
export type IncidentEventData = Static<typeof IncidentEventData>

const eventData = Type.Object({ incident: IncidentEventData })

export const incidentCreated = event({
  kind: 'incident.created',
  producers: ['core'],
  selectableBy: 'subscriber',
  data: eventData,
})
export const incidentUpdated = event({
  kind: 'incident.updated',
  producers: ['core'],
  selectableBy: 'subscriber',
  data: eventData,
})
export const incidentResolved = event({
  kind: 'incident.resolved',
  producers: ['core'],
  selectableBy: 'subscriber',
  data: eventData,
})
export const incidentReopened = event({
  kind: 'incident.reopened',
  producers: ['core'],
  selectableBy: 'channel',
  data: eventData,
})
/** Not selectable: waiting deliveries of a deleted incident are dropped. */
export const incidentDeleted = event({
  kind: 'incident.deleted',
  producers: ['core'],
  selectableBy: 'none',
  data: eventData,
})
/** Once for each promise of `nextUpdateAt` that passes without an update. */
export const incidentUpdateOverdue = event({
  kind: 'incident.update-overdue',
  producers: ['core'],
  selectableBy: 'channel-by-name',
  data: eventData,
})
