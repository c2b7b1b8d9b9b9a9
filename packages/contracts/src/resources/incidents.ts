// biome-ignore-all lint/style/noExcessiveLinesPerFile: one noun is one file, and this one is the story of the product
/** Incidents: what went wrong, for whom, and what people were told. */
import { type Static, Type } from '@sinclair/typebox'
import { event } from '../event.ts'
import { include, listOf, listQuery, Search, TimeRange } from '../listing.ts'
import { operation } from '../operation.ts'
import { Id, IdParams, LongText, Nullable, OneLine, OneOf, Success, Timestamp } from '../scalars.ts'
import { ComponentStatus } from './components.ts'

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

const MAX_MESSAGE = 25_000
const MAX_COMPONENTS = 500
export const MAX_INCIDENT_UPDATES = 500
const INCIDENT_BODY_LIMIT = 1024 * 1024

const ComponentIds = Type.Array(Id, { maxItems: MAX_COMPONENTS, uniqueItems: true })
const ComponentStatuses = Type.Record(Id, OneOf(incidentComponentStatuses), {
  maxProperties: MAX_COMPONENTS,
})
const Message = LongText(MAX_MESSAGE)

export const NewIncident = Type.Object({
  title: OneLine(255),
  status: Type.Optional(OneOf(incidentStatuses, { default: 'investigating' })),
  impact: Type.Optional(OneOf(impacts, { default: 'minor' })),
  message: Type.Optional(LongText(MAX_MESSAGE)),
  componentIds: Type.Optional(ComponentIds),
  componentStatuses: Type.Optional(ComponentStatuses),
  startedAt: Type.Optional(Timestamp),
  notifySubscribers: Type.Optional(
    Type.Boolean({ default: true, description: 'False: only channels get the event' }),
  ),
})
export type NewIncident = Static<typeof NewIncident>

export const NewIncidentUpdate = Type.Object({
  status: Type.Optional(IncidentStatus),
  message: Type.Optional(Message),
  componentStatuses: Type.Optional(ComponentStatuses),
  notifySubscribers: Type.Optional(Type.Boolean({ default: true })),
})
export type NewIncidentUpdate = Static<typeof NewIncidentUpdate>

/** status, message and componentStatuses append an update. */
export const IncidentPatch = Type.Object({
  title: Type.Optional(OneLine(255)),
  impact: Type.Optional(Impact),
  startedAt: Type.Optional(Timestamp),
  componentIds: Type.Optional(ComponentIds),
  status: Type.Optional(IncidentStatus),
  message: Type.Optional(Message),
  componentStatuses: Type.Optional(ComponentStatuses),
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
  message: Type.String({ description: 'The newest update' }),
  components: Type.Array(AffectedComponent),
  source: OneOf(incidentSources),
  isAutoCreated: Type.Boolean(),
  triggerComponentId: Nullable(Id),
  autoResolved: Type.Boolean(),
  startedAt: Timestamp,
  resolvedAt: Nullable(Timestamp),
  reopenedAt: Nullable(Timestamp),
  reopenCount: Type.Integer(),
  version: Type.Integer({ description: 'For If-Match' }),
  url: Nullable(Type.String({ description: 'On the oldest published page that shows it' })),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  updates: Type.Optional(Type.Array(IncidentUpdate)),
})
export type Incident = Static<typeof Incident>

const incidentIncludes = include(['updates'])

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
      '`createdAt`. `include=updates` adds the updates, newest first.',
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
      'added to `componentIds` and show that status at once. Event: `incident.created`, ' +
      'also where it is created as resolved.',
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
      '`status`, `message` and `componentStatuses` append an update. One request sends one ' +
      'event: `incident.reopened`, else `incident.resolved`, else `incident.updated`; none ' +
      'where nothing changed.',
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
    reply: Type.Composite([IncidentUpdate, Type.Object({ incident: Incident })]),
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
      notifySubscribers: Type.Optional(Type.Boolean({ default: true })),
    }),
    reply: Incident,
  }),
}

/** The incident as its listeners need it: the state after the change, and whom it concerns. */
export const IncidentFact = Type.Object({
  id: Id,
  title: Type.String(),
  status: IncidentStatus,
  impact: Impact,
  /** Text of the update that this event is about; empty when it had none. */
  message: Type.String(),
  components: Type.Array(
    Type.Object({
      id: Id,
      name: Type.String(),
      status: ComponentStatus,
      isMuted: Type.Boolean(),
      /** Parent first, root last. */
      ancestorIds: Type.Array(Id),
    }),
  ),
  startedAt: Timestamp,
  resolvedAt: Nullable(Timestamp),
  url: Nullable(Type.String()),
  /** Published pages that show it. */
  statusPageIds: Type.Array(Id),
  notifySubscribers: Type.Boolean(),
})
export type IncidentFact = Static<typeof IncidentFact>

const about = Type.Object({ incident: IncidentFact })

export const incidentCreated = event({
  kind: 'incident.created',
  producers: ['core'],
  selectableBy: 'subscriber',
  data: about,
})
export const incidentUpdated = event({
  kind: 'incident.updated',
  producers: ['core'],
  selectableBy: 'subscriber',
  data: about,
})
export const incidentResolved = event({
  kind: 'incident.resolved',
  producers: ['core'],
  selectableBy: 'subscriber',
  data: about,
})
export const incidentReopened = event({
  kind: 'incident.reopened',
  producers: ['core'],
  selectableBy: 'channel',
  data: about,
})
/** Not selectable: waiting deliveries of a deleted incident are dropped. */
export const incidentDeleted = event({
  kind: 'incident.deleted',
  producers: ['core'],
  selectableBy: 'nobody',
  data: about,
})
