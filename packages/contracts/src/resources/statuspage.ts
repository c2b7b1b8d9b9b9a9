/** Public data in the format of Statuspage's API, for its clients. */
import { type Static, type TProperties, Type } from '@sinclair/typebox'
import { operation } from '../operation.ts'
import { Id, Nullable, OneOf, Timestamp } from '../scalars.ts'
import { ComponentStatus, componentStatuses } from './components.ts'
import { indicators } from './public.ts'

const Page = Type.Object({
  id: Id,
  name: Type.String(),
  url: Type.String(),
  time_zone: Type.String(),
  updated_at: Timestamp,
})

const Status = Type.Object({ indicator: OneOf(indicators), description: Type.String() })

const Component = Type.Object({
  id: Id,
  name: Type.String(),
  status: ComponentStatus,
  created_at: Timestamp,
  updated_at: Timestamp,
  position: Type.Integer(),
  description: Nullable(Type.String()),
  showcase: Type.Boolean(),
  start_date: Type.String(),
  group_id: Nullable(Id),
  page_id: Id,
  group: Type.Boolean(),
  only_show_if_degraded: Type.Boolean(),
  components: Type.Optional(Type.Array(Id, { description: 'Children of a parent component' })),
})
export type StatuspageComponent = Static<typeof Component>

const incident = {
  id: Id,
  name: Type.String(),
  status: Type.String(),
  impact: OneOf(['minor', 'major', 'critical', 'maintenance']),
  created_at: Timestamp,
  updated_at: Timestamp,
  monitoring_at: Nullable(Timestamp),
  resolved_at: Nullable(Timestamp),
  shortlink: Type.String(),
  started_at: Timestamp,
  page_id: Id,
  components: Type.Array(Component),
  incident_updates: Type.Array(
    Type.Object({
      id: Id,
      status: Type.String(),
      body: Type.String(),
      incident_id: Id,
      created_at: Timestamp,
      updated_at: Timestamp,
      display_at: Timestamp,
      affected_components: Type.Array(
        Type.Object({
          code: Id,
          name: Type.String(),
          old_status: OneOf(componentStatuses),
          new_status: OneOf(componentStatuses),
        }),
      ),
    }),
  ),
}

const Incident = Type.Object(incident)
export type StatuspageIncident = Static<typeof Incident>

const Maintenance = Type.Object({
  ...incident,
  scheduled_for: Timestamp,
  scheduled_until: Timestamp,
})
export type StatuspageMaintenance = Static<typeof Maintenance>

const incidents = { incidents: Type.Array(Incident) }
const maintenances = { scheduled_maintenances: Type.Array(Maintenance) }
const components = { components: Type.Array(Component) }
const status = { status: Status }

const document = <const Name extends string, Fields extends TProperties>(
  name: Name,
  { file, summary, fields }: { file: string; summary: string; fields: Fields },
) =>
  operation({
    id: `statuspage.${name}`,
    service: 'core',
    method: 'GET',
    path: `/public/status/{slug}/api/v2/${file}.json`,
    status: 200,
    summary,
    permission: 'public',
    bucket: 'public read',
    params: Type.Object({ slug: Type.String({ maxLength: 63 }) }),
    reply: Type.Object({ page: Page, ...fields }),
  })

export const statuspageOperations = {
  summary: document('summary', {
    file: 'summary',
    summary: 'Read a summary: status, components, open incidents and maintenances',
    fields: { ...status, ...components, ...incidents, ...maintenances },
  }),
  status: document('status', {
    file: 'status',
    summary: 'Read the status of the page',
    fields: status,
  }),
  components: document('components', {
    file: 'components',
    summary: 'List the components of the page',
    fields: components,
  }),
  incidents: document('incidents', {
    file: 'incidents',
    summary: 'List the latest 50 incidents',
    fields: incidents,
  }),
  unresolved: document('unresolved', {
    file: 'incidents/unresolved',
    summary: 'List unresolved incidents',
    fields: incidents,
  }),
  maintenances: document('maintenances', {
    file: 'scheduled-maintenances',
    summary: 'List the latest 50 maintenances',
    fields: maintenances,
  }),
  upcoming: document('upcoming', {
    file: 'scheduled-maintenances/upcoming',
    summary: 'List upcoming maintenances',
    fields: maintenances,
  }),
  active: document('active', {
    file: 'scheduled-maintenances/active',
    summary: 'List active maintenances',
    fields: maintenances,
  }),
}
