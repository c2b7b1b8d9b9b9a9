/** What is taken over from another status page: its documents are read in the shape that it gives them. */
import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { operation } from '../operation.ts'
import { Nullable, OneOf, Timestamp } from '../scalars.ts'
import { componentStatuses } from './components.ts'
import { ImportReport, MAX_CSV_BYTES } from './subscribers.ts'

const MAX_COMPONENTS = 5_000
const MAX_INCIDENTS = 5_000
const MAX_UPDATES = 500
const MAX_SOURCE_TEXT = 200_000
export const MAX_IMPORT_WARNINGS = 100

const SourceId = Type.String({ minLength: 1, maxLength: 64 })
/** Markup, control characters and over-long text are brought into our bounds; what is absurd is refused. */
const SourceText = Type.String({ maxLength: MAX_SOURCE_TEXT })
const optionalNullable = <Schema extends TSchema>(schema: Schema) => Type.Optional(Nullable(schema))

const SourceComponent = Type.Object({
  id: SourceId,
  name: SourceText,
  description: optionalNullable(SourceText),
  status: Type.Optional(OneOf(componentStatuses)),
  position: optionalNullable(Type.Integer({ minimum: 0 })),
  group: optionalNullable(Type.Boolean()),
  group_id: optionalNullable(SourceId),
})

const SourceGroup = Type.Object({
  id: SourceId,
  name: SourceText,
  description: optionalNullable(SourceText),
  position: optionalNullable(Type.Integer({ minimum: 0 })),
  components: optionalNullable(Type.Array(Type.Unknown(), { maxItems: MAX_COMPONENTS })),
})

/** Of incidents and of maintenances, which share one shape there. */
export const sourceStatuses = [
  'investigating',
  'identified',
  'monitoring',
  'resolved',
  'postmortem',
  'scheduled',
  'in_progress',
  'verifying',
  'completed',
] as const

const SourceUpdate = Type.Object({
  id: SourceId,
  status: OneOf(sourceStatuses),
  body: optionalNullable(SourceText),
  created_at: Timestamp,
  display_at: optionalNullable(Timestamp),
  affected_components: optionalNullable(
    Type.Array(
      Type.Object({
        code: SourceId,
        new_status: Type.Optional(OneOf(componentStatuses)),
      }),
      { maxItems: MAX_COMPONENTS },
    ),
  ),
})

const SourceIncident = Type.Object({
  id: SourceId,
  name: SourceText,
  status: OneOf(sourceStatuses),
  impact: optionalNullable(OneOf(['none', 'minor', 'major', 'critical', 'maintenance'])),
  created_at: Timestamp,
  updated_at: optionalNullable(Timestamp),
  started_at: optionalNullable(Timestamp),
  resolved_at: optionalNullable(Timestamp),
  scheduled_for: optionalNullable(Timestamp),
  scheduled_until: optionalNullable(Timestamp),
  incident_updates: optionalNullable(Type.Array(SourceUpdate, { maxItems: MAX_UPDATES })),
  components: optionalNullable(
    Type.Array(Type.Object({ id: SourceId }), { maxItems: MAX_COMPONENTS }),
  ),
})

/**
 * Documents of Statuspage's public v2 interface (`summary.json` as it is) or lists of its v1 one, in one
 * object. Times are RFC 3339.
 */
export const StatuspageDocuments = Type.Object({
  components: Type.Optional(Type.Array(SourceComponent, { maxItems: MAX_COMPONENTS })),
  component_groups: Type.Optional(Type.Array(SourceGroup, { maxItems: MAX_COMPONENTS })),
  incidents: Type.Optional(Type.Array(SourceIncident, { maxItems: MAX_INCIDENTS })),
  scheduled_maintenances: Type.Optional(Type.Array(SourceIncident, { maxItems: MAX_INCIDENTS })),
  subscribers_csv: Type.Optional(
    Type.String({
      maxLength: MAX_CSV_BYTES,
      description:
        'A header with `email` or `phone_number`, and optionally `components`: ids there, ' +
        'separated by `;`',
    }),
  ),
})
export type StatuspageDocuments = Static<typeof StatuspageDocuments>

const Counts = Type.Object({
  created: Type.Integer(),
  updated: Type.Integer({ description: 'Got updates that are new at the source' }),
  unchanged: Type.Integer({ description: 'Known from an earlier import' }),
})

export const StatuspageReport = Type.Object({
  dryRun: Type.Boolean(),
  components: Counts,
  incidents: Counts,
  maintenances: Counts,
  subscribers: Nullable(ImportReport),
  warnings: Type.Array(Type.Object({ field: Type.String(), message: Type.String() }), {
    maxItems: MAX_IMPORT_WARNINGS,
    description: 'What did not fit and was brought into bounds; the first 100',
  }),
})
export type StatuspageReport = Static<typeof StatuspageReport>

export const importOperations = {
  statuspage: operation({
    id: 'imports.statuspage',
    service: 'core',
    method: 'POST',
    path: '/imports/statuspage',
    status: 200,
    summary: 'Take over components, incidents, maintenances and subscribers of a Statuspage',
    description:
      'All or nothing, and as often as you like: what was imported before is known by its id ' +
      'there and stays as it is here, but for updates of incidents and maintenances that are ' +
      'new. Groups become parent components. Nobody is notified of what is imported. ' +
      '`dryRun=true` only reports. Needs also the permission to create each kind that the ' +
      'documents hold. Event: `component.created` for each new component.',
    permission: 'config:write',
    bucket: 'import',
    query: Type.Object({ dryRun: Type.Optional(Type.Boolean({ default: false })) }),
    body: StatuspageDocuments,
    bodyLimit: MAX_CSV_BYTES,
    idempotencyKey: false,
    reply: StatuspageReport,
  }),
}
