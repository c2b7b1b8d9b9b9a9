/** Public data in the format of Statuspage's API, for its clients. */
import { type Static, type TProperties, Type } from '@sinclair/typebox'
import { operationsOf } from '../operation.ts'
import { Id, Nullable, OneOf, Timestamp } from '../scalars.ts'
import { ComponentStatus, componentStatuses } from './component-status.ts'
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
      body: Type.String({ description: 'Markdown as written' }),
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

const document = <Fields extends TProperties>(file: string, summary: string, fields: Fields) => ({
  route: `GET /public/status/{slug}/api/v2/${file}.json` as const,
  summary,
  permission: 'public' as const,
  bucket: 'public read' as const,
  params: Type.Object({ slug: Type.String({ maxLength: 63 }) }),
  reply: Type.Object({ page: Page, ...fields }),
})

export const statuspageOperations = operationsOf('core', 'statuspage', {
  summary: document(
    'summary',
    'Read a summary: status, components, open incidents and maintenances',
    { ...status, ...components, ...incidents, ...maintenances },
  ),
  status: document('status', 'Read the status of the page', status),
  components: document('components', 'List the components of the page', components),
  incidents: document('incidents', 'List the latest 50 incidents', incidents),
  unresolved: document('incidents/unresolved', 'List unresolved incidents', incidents),
  maintenances: document('scheduled-maintenances', 'List the latest 50 maintenances', maintenances),
  upcoming: document('scheduled-maintenances/upcoming', 'List upcoming maintenances', maintenances),
  active: document('scheduled-maintenances/active', 'List active maintenances', maintenances),
})
