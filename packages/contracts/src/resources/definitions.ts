/**
 * Definitions of resources that a configuration document can contain next to components and
 * integrations, and their changes, as config-sync exchanges them with the owning service.
 */
import { type Static, type TObject, type TSchema, Type } from '@sinclair/typebox'
import { event } from '../event.ts'
import { operationsOf } from '../operation.ts'
import { Id, Nullable, OneOf } from '../scalars.ts'
import { IncidentTemplatePatch, NewIncidentTemplate } from './incident-templates.ts'
import { MaintenanceTemplatePatch, NewMaintenanceTemplate } from './maintenance-templates.ts'
import { NewOncallSchedule, OncallSchedulePatch } from './oncall.ts'
import { NewSla, SlaPatch } from './sla.ts'
import { NewStatusPage, StatusPagePatch } from './status-pages.ts'

/** Definitions per page of a reply. */
export const MAX_DEFINITIONS_PER_REPLY = 50
/** Members or channels per page of a reply. */
export const MAX_REFERENCES_PER_REPLY = 1_000
/** Maximum number of changes of one kind. */
const MAX_CHANGES = 2_000
/** Length of a SHA-256 hash in hexadecimal. */
const HASH_LENGTH = 64
/** Maximum length of an encrypted hash or digest. */
const MAX_SEALED = 500

/** Hash of a definition; a change of a definition with another hash is rejected. */
export const DefinitionEtag = Type.String({ minLength: HASH_LENGTH, maxLength: HASH_LENGTH })

export const ResourceDefinition = Type.Object({
  id: Id,
  etag: DefinitionEtag,
  managedByConfig: Type.Boolean(),
  /** Every field of the body that creates the resource; secrets are encrypted or absent. */
  fields: Type.Record(Type.String(), Type.Unknown()),
})
export type ResourceDefinition = Static<typeof ResourceDefinition>

/**
 * Changes of one kind. 409 `version_mismatch` when a resource that is updated or removed has
 * another definition or was deleted.
 */
const definitionChangesOf = <Body extends TSchema, Patch extends TSchema>(
  body: Body,
  patch: Patch,
) =>
  Type.Object({
    create: Type.Array(Type.Object({ id: Id, value: body }), { maxItems: MAX_CHANGES }),
    update: Type.Array(Type.Object({ id: Id, etag: DefinitionEtag, value: patch }), {
      maxItems: MAX_CHANGES,
    }),
    remove: Type.Array(Type.Object({ id: Id, etag: DefinitionEtag }), { maxItems: MAX_CHANGES }),
  })

/** Changes of any kind; the operation validates the values by the schemas of the kind. */
export interface DefinitionChanges {
  create: { id: string; value: unknown }[]
  update: { id: string; etag: string; value: unknown }[]
  remove: { id: string; etag: string }[]
}

/** Password of a page in a batch: slow hash and digest, each encrypted for the page. */
export const SealedPagePassword = Type.Object({
  hash: Type.String({ maxLength: MAX_SEALED }),
  digest: Type.String({ maxLength: MAX_SEALED }),
})
export type SealedPagePassword = Static<typeof SealedPagePassword>

const password = Type.Optional(Nullable(SealedPagePassword))

export const NewPageDefinition = Type.Unsafe<
  Omit<NewStatusPage, 'password'> & Static<TObject<{ password: typeof password }>>
>({ ...NewStatusPage, properties: { ...NewStatusPage.properties, password } })
export type NewPageDefinition = Static<typeof NewPageDefinition>

const pagePatch = StatusPagePatch as unknown as TObject

export const PageDefinitionPatch = Type.Unsafe<
  Omit<StatusPagePatch, 'password'> & Static<TObject<{ password: typeof password }>>
>({ ...pagePatch, properties: { ...pagePatch.properties, password } })
export type PageDefinitionPatch = Static<typeof PageDefinitionPatch>

/** Changes of the resources of core, by resource type. */
export const CoreDefinitionChanges = Type.Object({
  status_page: Type.Optional(definitionChangesOf(NewPageDefinition, PageDefinitionPatch)),
  incident_template: Type.Optional(definitionChangesOf(NewIncidentTemplate, IncidentTemplatePatch)),
  maintenance_template: Type.Optional(
    definitionChangesOf(NewMaintenanceTemplate, MaintenanceTemplatePatch),
  ),
  sla: Type.Optional(definitionChangesOf(NewSla, SlaPatch)),
  oncall_schedule: Type.Optional(definitionChangesOf(NewOncallSchedule, OncallSchedulePatch)),
})
export type CoreDefinitionChanges = Static<typeof CoreDefinitionChanges>

export const coreDefinitionTypes = [
  'status_page',
  'incident_template',
  'maintenance_template',
  'sla',
  'oncall_schedule',
] as const satisfies readonly (keyof CoreDefinitionChanges)[]
export type CoreDefinitionType = (typeof coreDefinitionTypes)[number]

/**
 * Emitted when a resource was created, updated or deleted that has no other events of these
 * changes. Each change is an aggregate with a single event.
 */
export const definitionChanged = event(
  'definition.changed',
  ['core'],
  Type.Object({ definition: Type.Object({ id: Id, resourceType: OneOf(coreDefinitionTypes) }) }),
)

/** Resource types of all definitions; notifier owns the channels. */
export const definitionTypes = [...coreDefinitionTypes, 'notification_channel'] as const
export type DefinitionType = (typeof definitionTypes)[number]

/** Member as a document names one. */
export const MemberAddress = Type.Object({ userId: Id, email: Type.String() })
export type MemberAddress = Static<typeof MemberAddress>

/** Page of a list by id; `next` is the id to continue after. */
export const definitionPageOf = <Item extends TSchema>(item: Item) =>
  Type.Object({ data: Type.Array(item), next: Nullable(Id) })

/** Internal operation of notifier for config-sync: the channels that a document can refer to. */
export const channelReferenceOperations = operationsOf('notifier', 'channel-references', {
  list: {
    route: 'GET /internal/notification-channels',
    base: 'root',
    summary: 'List the names of all notification channels',
    permission: 'caller',
    callers: ['config-sync'],
    query: Type.Object({ after: Type.Optional(Id) }),
    reply: definitionPageOf(Type.Object({ id: Id, name: Type.String() })),
  },
})
