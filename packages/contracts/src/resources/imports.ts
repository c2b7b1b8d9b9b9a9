/** Import from another status page: documents in the format of the source. */
import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { operationsOf } from '../operation.ts'
import { HttpUrl, Id, Nullable, OneOf, Timestamp } from '../scalars.ts'
import { componentStatuses } from './component-status.ts'
import { Slug } from './status-pages.ts'
import { ImportReport, MAX_CSV_BYTES } from './subscribers.ts'

const MAX_COMPONENTS = 5_000
const MAX_INCIDENTS = 5_000
const MAX_TEMPLATES = 500
const MAX_METRICS = 1_000
const MAX_UPDATES = 500
const MAX_SOURCE_TEXT = 200_000
/** Length of a hundred addresses with some space. */
const MAX_IP_RESTRICTIONS = 8_000
export const MAX_IMPORT_WARNINGS = 100

const SourceId = Type.String({ minLength: 1, maxLength: 64 })
/**
 * Text of the source. Markup, control characters and excess length are removed on import; larger
 * texts are rejected.
 */
const SourceText = Type.String({ maxLength: MAX_SOURCE_TEXT })
const optionalNullable = <Schema extends TSchema>(schema: Schema) => Type.Optional(Nullable(schema))

/** Colour of Statuspage: three or six hexadecimal digits, usually without `#`. */
const SourceColour = optionalNullable(Type.String({ maxLength: 32 }))
const Flag = optionalNullable(Type.Boolean())

/** Image of a page: URLs of its sizes, or one URL. */
const SourceImage = Type.Optional(
  Type.Unknown({
    description:
      'Image at the source: an object with its https URL in `original_url`, `normal_url`, ' +
      '`retina_url` or `url`, or that URL. Stored as an upload',
  }),
)

/** Page of either API; only the v1 API has the fields after `time_zone`. */
const SourcePage = Type.Object({
  id: SourceId,
  name: SourceText,
  url: Type.Optional(
    Nullable(
      Type.String({
        maxLength: MAX_SOURCE_TEXT,
        description: 'URL of the status page; in the v1 API, which has `subdomain`, of the website',
      }),
    ),
  ),
  time_zone: optionalNullable(SourceText),
  subdomain: optionalNullable(SourceText),
  domain: Type.Optional(
    Nullable(
      Type.String({ maxLength: MAX_SOURCE_TEXT, description: 'Custom domain; not imported' }),
    ),
  ),
  transactional_logo: SourceImage,
  favicon_logo: SourceImage,
  page_description: optionalNullable(SourceText),
  support_url: optionalNullable(SourceText),
  hidden_from_search: Flag,
  viewers_must_be_team_members: Flag,
  ip_restrictions: optionalNullable(Type.String({ maxLength: MAX_IP_RESTRICTIONS })),
  allow_email_subscribers: Flag,
  allow_sms_subscribers: Flag,
  allow_webhook_subscribers: Flag,
  allow_rss_atom_feeds: Flag,
  css_link_color: SourceColour,
  css_greens: SourceColour,
  css_yellows: SourceColour,
  css_oranges: SourceColour,
  css_reds: SourceColour,
  css_blues: SourceColour,
})

const SourceDate = Type.String({ pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$' })

const SourceComponent = Type.Object({
  id: SourceId,
  name: SourceText,
  description: optionalNullable(SourceText),
  status: Type.Optional(OneOf(componentStatuses)),
  position: optionalNullable(Type.Integer({ minimum: 0 })),
  group: Flag,
  group_id: optionalNullable(SourceId),
  showcase: Type.Optional(
    Nullable(Type.Boolean({ description: 'False: the page shows no uptime of the component' })),
  ),
  only_show_if_degraded: Flag,
  start_date: Type.Optional(
    Nullable({ ...SourceDate, description: 'First day of the history; default: `created_at`' }),
  ),
  created_at: optionalNullable(Timestamp),
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
        code: Type.Optional(SourceId),
        old_status: optionalNullable(OneOf(componentStatuses)),
        new_status: optionalNullable(OneOf(componentStatuses)),
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
  postmortem_body: optionalNullable(SourceText),
  postmortem_published_at: optionalNullable(Timestamp),
})

/** Template of the v1 API. */
const SourceTemplate = Type.Object({
  id: SourceId,
  name: SourceText,
  title: optionalNullable(SourceText),
  body: optionalNullable(SourceText),
  update_status: optionalNullable(
    Type.String({ maxLength: 64, description: 'Templates of maintenances are not imported' }),
  ),
  components: optionalNullable(
    Type.Array(Type.Object({ id: SourceId }), { maxItems: MAX_COMPONENTS }),
  ),
})

/**
 * Documents of Statuspage's public v2 API (`summary.json` unchanged) or lists of its v1 API, in one
 * object. Times are RFC 3339.
 */
export const StatuspageDocuments = Type.Object({
  page: Type.Optional(SourcePage),
  components: Type.Optional(Type.Array(SourceComponent, { maxItems: MAX_COMPONENTS })),
  component_groups: Type.Optional(Type.Array(SourceGroup, { maxItems: MAX_COMPONENTS })),
  incidents: Type.Optional(Type.Array(SourceIncident, { maxItems: MAX_INCIDENTS })),
  scheduled_maintenances: Type.Optional(Type.Array(SourceIncident, { maxItems: MAX_INCIDENTS })),
  incident_templates: Type.Optional(Type.Array(SourceTemplate, { maxItems: MAX_TEMPLATES })),
  metrics: Type.Optional(
    Type.Array(Type.Unknown(), {
      maxItems: MAX_METRICS,
      description: 'Not imported; the report states their number',
    }),
  ),
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
  page: Nullable(
    Type.Object(
      {
        id: Nullable({ ...Id, description: 'Null for a page that a dry run would create' }),
        name: Type.String(),
        slug: Type.String(),
        url: Type.String(),
        isPublished: Type.Boolean(),
        isNew: Type.Boolean({ description: 'False for the page of an earlier import' }),
      },
      { description: 'Null without `page`, and for a page that was deleted after its import' },
    ),
  ),
  components: Counts,
  incidents: Counts,
  maintenances: Counts,
  incidentTemplates: Counts,
  subscribers: Nullable(ImportReport),
  warnings: Type.Array(Type.Object({ field: Type.String(), message: Type.String() }), {
    maxItems: MAX_IMPORT_WARNINGS,
    description:
      'Values that were adjusted to the limits of this service or not imported; the first 100',
  }),
})
export type StatuspageReport = Static<typeof StatuspageReport>

export const importOperations = operationsOf('core', 'imports', {
  statuspageDocuments: {
    route: 'POST /imports/statuspage/documents',
    summary: 'Read the documents of a page at Statuspage',
    description:
      'For clients that cannot read them themselves, such as browsers; `POST ' +
      '/imports/statuspage` takes the reply. `url` is the address of the page, whose public API ' +
      'has the latest 50 incidents and no colours. With an API key of Statuspage, which is used ' +
      'for this request only and sent to `api.statuspage.io` only, the reply is that of its v1 ' +
      'API; `url` can then also be `https://api.statuspage.io/v1/pages/{page_id}`, for a page ' +
      'that is not public. 400 with field `url` or `apiKey` when the documents cannot be read ' +
      'within 25 s, have more than 4 MiB or cannot be imported.',
    permission: 'config:write',
    bucket: 'bulk',
    idempotencyKey: false,
    body: Type.Object({
      url: HttpUrl,
      apiKey: Type.Optional(Type.String({ pattern: '^[\\x21-\\x7e]{1,256}$', writeOnly: true })),
    }),
    reply: StatuspageDocuments,
  },
  statuspage: {
    route: 'POST /imports/statuspage',
    summary: 'Import a page from Statuspage',
    description:
      'Imports page with logos, components, incidents, maintenances, incident templates and ' +
      'subscribers; all of them or none. Metrics and custom domains are not imported. An ' +
      'import can be repeated: entries of earlier imports are recognized by their source id ' +
      'and stay unchanged, except that incidents and maintenances get new updates. Groups ' +
      'become parent components. Statuses in incidents become the status history of their ' +
      'components, so that bars, uptime and service levels include them. HTML in messages ' +
      'becomes Markdown. The page redirects the addresses of the source, such as ' +
      '`/incidents/{id}` with an id of the source, to its own. No notifications are sent. ' +
      '`dryRun=true` only reports. The caller also needs the permission to create each kind of ' +
      'resource in the documents. 409 `duplicate` when `slug` is in use. Emits ' +
      '`component.created` for each new component and `status-page.created` for a new page.',
    permission: 'config:write',
    bucket: 'import',
    query: Type.Object({
      dryRun: Type.Optional(Type.Boolean({ default: false })),
      publish: Type.Optional(
        Type.Boolean({ default: false, description: 'Publishes a page that the import creates' }),
      ),
      slug: Type.Optional({
        ...Slug,
        description:
          'Slug of a page that the import creates. Default: the subdomain at the source, or the ' +
          'name; with a number when another page has it',
      }),
    }),
    body: StatuspageDocuments,
    bodyLimit: MAX_CSV_BYTES,
    idempotencyKey: false,
    reply: StatuspageReport,
  },
})
