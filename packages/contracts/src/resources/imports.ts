/** Import from another status page: documents in the format of the source. */
import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { operationsOf } from '../operation.ts'
import { Nullable, OneOf, Timestamp } from '../scalars.ts'
import { componentStatuses } from './components.ts'
import { ImportReport, MAX_CSV_BYTES } from './subscribers.ts'

const MAX_COMPONENTS = 5_000
const MAX_INCIDENTS = 5_000
const MAX_UPDATES = 500
const MAX_SOURCE_TEXT = 200_000
export const MAX_IMPORT_WARNINGS = 100

const SourceId = Type.String({ minLength: 1, maxLength: 64 })
/**
 * Text of the source. Markup, control characters and excess length are removed on import; larger
 * texts are rejected.
 */
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

/** Statuses of incidents and maintenances, which share one format at the source. */
export const statuspageEventStatuses = [
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
  status: OneOf(statuspageEventStatuses),
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
  status: OneOf(statuspageEventStatuses),
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
 * Documents of Statuspage's public v2 API (`summary.json` unchanged) or lists of its v1 API, in one
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
        'CSV with a header of `email` or `phone_number`, and optionally `components`: ids of the ' +
        'source, separated by `;`',
    }),
  ),
})
export type StatuspageDocuments = Static<typeof StatuspageDocuments>

const Counts = Type.Object({
  created: Type.Integer(),
  updated: Type.Integer({ description: 'Existing entries that received new updates' }),
  unchanged: Type.Integer({ description: 'Entries of an earlier import without changes' }),
})

export const StatuspageReport = Type.Object({
  dryRun: Type.Boolean(),
  components: Counts,
  incidents: Counts,
  maintenances: Counts,
  subscribers: Nullable(ImportReport),
  warnings: Type.Array(Type.Object({ field: Type.String(), message: Type.String() }), {
    maxItems: MAX_IMPORT_WARNINGS,
    description: 'Values that were adjusted to the limits of this service; the first 100',
  }),
})
export type StatuspageReport = Static<typeof StatuspageReport>

export const importOperations = operationsOf('core', 'imports', {
  statuspage: {
    route: 'POST /imports/statuspage',
    summary: 'Import a page from Statuspage',
    description:
      'Imports components, incidents, maintenances and subscribers; all of them or none. An ' +
      'import can be repeated: entries of earlier imports are recognized by their source id ' +
      'and stay unchanged, except that incidents and maintenances get new updates. Groups ' +
      'become parent components. No notifications are sent. `dryRun=true` only reports. The ' +
      'caller also needs the permission to create each kind of resource in the documents. ' +
      'Emits `component.created` for each new component.',
    permission: 'config:write',
    bucket: 'import',
    query: Type.Object({ dryRun: Type.Optional(Type.Boolean({ default: false })) }),
    body: StatuspageDocuments,
    bodyLimit: MAX_CSV_BYTES,
    idempotencyKey: false,
    reply: StatuspageReport,
  },
})
