/** The shape that clients of Statuspage read, under the names and in the words that they know. */
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
  components: Type.Optional(Type.Array(Id, { description: 'Of a parent: its children' })),
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
    summary: 'All at once: status, components, what is open and what is planned',
    fields: { ...status, ...components, ...incidents, ...maintenances },
  }),
  status: document('status', { file: 'status', summary: 'The state of the page', fields: status }),
  components: document('components', {
    file: 'components',
    summary: 'The components that the page shows',
    fields: components,
  }),
  incidents: document('incidents', {
    file: 'incidents',
    summary: 'The newest 50 incidents',
    fields: incidents,
  }),
  unresolved: document('unresolved', {
    file: 'incidents/unresolved',
    summary: 'Incidents that are open',
    fields: incidents,
  }),
  maintenances: document('maintenances', {
    file: 'scheduled-maintenances',
    summary: 'The newest 50 maintenances',
    fields: maintenances,
  }),
  upcoming: document('upcoming', {
    file: 'scheduled-maintenances/upcoming',
    summary: 'Maintenances to come',
    fields: maintenances,
  }),
  active: document('active', {
    file: 'scheduled-maintenances/active',
    summary: 'Maintenances that are on',
    fields: maintenances,
  }),
}
