/**
 * Configuration as code: one YAML document defines the components, integrations, status pages,
 * incident and maintenance templates, service levels, notification channels and on-call schedules
 * of an organization.
 */
import { type Static, Type } from '@sinclair/typebox'
import { event } from '../event.ts'
import { listOf, listQuery } from '../listing.ts'
import { DEFAULT_BODY_LIMIT, operationsOf } from '../operation.ts'
import { Id, IdParams, Nullable, OneOf, Timestamp } from '../scalars.ts'
import { definitionTypes } from './definitions.ts'

export const configResourceTypes = [
  'component_group',
  'component',
  'integration',
  ...definitionTypes,
] as const
export type ConfigResourceType = (typeof configResourceTypes)[number]

const named = {
  resourceType: OneOf(configResourceTypes),
  resourceName: Type.String(),
}

const fields = Type.Array(Type.String(), {
  description: 'Names of the changed fields, as in the document; never values',
})

/** Resource that an apply created or deleted. */
export const ConfigEntry = Type.Object(named)
export type ConfigEntry = Static<typeof ConfigEntry>

export const ConfigUpdate = Type.Object({ ...named, fields })
export type ConfigUpdate = Static<typeof ConfigUpdate>

/** Problem of a document; `path` as in `spec.components[2].url`, line and column start at 1. */
export const ConfigProblem = Type.Object({
  path: Type.String(),
  line: Type.Integer(),
  column: Type.Integer(),
  message: Type.String(),
})
export type ConfigProblem = Static<typeof ConfigProblem>

export const ConfigValidation = Type.Object({
  valid: Type.Boolean(),
  warnings: Type.Array(Type.String()),
  errors: Type.Array(ConfigProblem),
})
export type ConfigValidation = Static<typeof ConfigValidation>

/** Changes that an apply made, or would make with `dryRun`. */
export const ConfigApplyResult = Type.Object({
  applied: Type.Boolean({ description: 'False for a dry run' }),
  dryRun: Type.Boolean(),
  configVersion: Type.String(),
  created: Type.Array(ConfigEntry),
  updated: Type.Array(ConfigUpdate),
  deleted: Type.Array(ConfigEntry),
  unchanged: Type.Integer(),
  warnings: Type.Array(Type.String()),
})
export type ConfigApplyResult = Static<typeof ConfigApplyResult>

export const driftReasons = ['not_in_config', 'missing_in_system', 'modified'] as const
export type DriftReason = (typeof driftReasons)[number]

export const ConfigDrift = Type.Object({
  totalResources: Type.Integer(),
  managedByConfig: Type.Integer({ description: 'Number of resources that an apply created' }),
  manuallyCreated: Type.Integer(),
  drift: Type.Array(
    Type.Object({
      ...named,
      reason: OneOf(driftReasons, {
        description:
          'Difference to the latest applied document; a status is no drift. Status pages, ' +
          'templates, service levels, notification channels and on-call schedules that no apply ' +
          'created are compared when the document has their section',
      }),
      fields,
    }),
  ),
})
export type ConfigDrift = Static<typeof ConfigDrift>

export const configSources = ['api', 'git', 'rollback'] as const
export type ConfigSource = (typeof configSources)[number]

const versionFields = {
  id: Id,
  name: Type.String({ description: '`metadata.name` of the document' }),
  configVersion: Type.String({ description: '`metadata.configVersion` of the document' }),
  source: OneOf(configSources),
  commit: Nullable(Type.String({ description: 'Commit that contained the document' })),
  rollbackOf: Nullable(Id),
  appliedBy: Nullable(Id),
  changes: Type.Object({
    created: Type.Integer(),
    updated: Type.Integer(),
    deleted: Type.Integer(),
  }),
  createdAt: Timestamp,
  updatedAt: Timestamp,
}

/** Applied document; drift is measured against the latest one. */
export const ConfigurationVersion = Type.Object(versionFields)
export type ConfigurationVersion = Static<typeof ConfigurationVersion>

export const ConfigurationDocument = Type.Object({
  ...versionFields,
  document: Type.String({ description: 'YAML as applied, including comments' }),
})
export type ConfigurationDocument = Static<typeof ConfigurationDocument>

/** Number of stored versions per organization; older ones are deleted. */
export const MAX_CONFIG_VERSIONS = 100

/** Maximum size of a document, from every source. */
export const MAX_DOCUMENT_BYTES = DEFAULT_BODY_LIMIT

const Document = Type.String({ description: 'One YAML document of at most 256 KiB' })

const dryRun = Type.Boolean({
  default: false,
  description: 'Return the changes without making them',
})

const LIMITS =
  'At most 1000 components, 200 groups, 50 integrations and 200 of each other kind; aliases, merge ' +
  'keys, tags and duplicate keys are not allowed.'

export const configurationOperations = operationsOf('config-sync', 'configuration', {
  validate: {
    route: 'POST /config/validate',
    summary: 'Validate a configuration document',
    description:
      'Validates the document alone and changes nothing. `errors` have a path, line and ' +
      'column; `warnings` list unknown variables and integrations, and references that ' +
      `are plain text, with their lines. 400 only for YAML that cannot be parsed. ${LIMITS}`,
    permission: 'config:read',
    action: 'VIEW',
    body: Document,
    bodyType: 'yaml',
    reply: ConfigValidation,
  },
  apply: {
    route: 'POST /config/apply',
    summary: 'Apply a configuration document',
    description:
      'Applies all changes or none. Resources are matched by name, status pages by `slug`; absent ' +
      'fields keep the stored value, and `status` is used only to create a component. Fields that ' +
      'hold ids in the API hold names: `component` and `components` names of components, `users` ' +
      'addresses of members, targets of an escalation `user:` with an address or `channel:` with ' +
      'the name of a channel, which the same document can create. Secrets of integrations, of ' +
      'notification channels and of component headers, and passwords of status pages, are ' +
      'references to variables. ' +
      'The caller also needs the permissions for the changed resources (403 names the missing one). 400 with `line` ' +
      'and `column` in `details.issues` for an invalid document, also for a slug or domain that ' +
      'is already in use; 409 `already_running` while ' +
      'another apply is running; 409 `version_mismatch` when a resource changed during the ' +
      'apply. Emits `configuration.applied`.',
    permission: 'config:write',
    action: 'UPDATE',
    bucket: 'bulk',
    query: Type.Object({
      dryRun,
      prune: Type.Boolean({
        default: false,
        description:
          'Delete resources that an earlier apply created and the document does not contain',
      }),
    }),
    body: Document,
    bodyType: 'yaml',
    reply: ConfigApplyResult,
  },
  export: {
    route: 'GET /config/export',
    summary: 'Export the configuration as a document',
    description:
      'Returns YAML that changes nothing when it is applied. Comments and order are those of ' +
      'the latest applied document where they still apply. A secret is exported as its ' +
      'variable reference, else as `***REDACTED***`, which keeps the stored value. Resources ' +
      'that a document cannot contain, such as components with equal names, are omitted and ' +
      'listed in comments that begin with `warnings:`. 409 `invalid_state` when the ' +
      'configuration exceeds the limits of a document.',
    permission: 'config:read',
    reply: Type.String(),
    produces: ['application/yaml'],
  },
  drift: {
    route: 'GET /config/drift',
    summary: 'Compare the configuration with the latest applied document',
    permission: 'config:read',
    reply: ConfigDrift,
  },
  versions: {
    route: 'GET /config/versions',
    summary: 'List applied documents',
    description: `The latest ${MAX_CONFIG_VERSIONS} documents, without their content.`,
    permission: 'config:read',
    query: listQuery(['createdAt'], { source: Type.Optional(OneOf(configSources)) }),
    reply: listOf(ConfigurationVersion),
  },
  readVersion: {
    route: 'GET /config/versions/{id}',
    summary: 'Read an applied document',
    permission: 'config:read',
    params: IdParams,
    reply: ConfigurationDocument,
  },
  rollback: {
    route: 'POST /config/versions/{id}/rollback',
    summary: 'Apply an earlier document again',
    description:
      'Like `POST /config/apply` with that document, but `prune` is true by default, so that ' +
      'resources created by later documents are deleted. Variables have their current values.',
    permission: 'config:write',
    action: 'UPDATE',
    bucket: 'bulk',
    params: IdParams,
    query: Type.Object({
      dryRun,
      prune: Type.Boolean({
        default: true,
        description: 'Delete resources that an apply created and the document does not contain',
      }),
    }),
    reply: ConfigApplyResult,
  },
})

/** Emitted when a document has been applied; contains counts only and nothing of the document. */
export const configurationApplied = event(
  'configuration.applied',
  ['config-sync'],
  Type.Object({
    configuration: Type.Object({
      id: Id,
      name: Type.String(),
      configVersion: Type.String(),
      source: OneOf(configSources),
      commit: Nullable(Type.String()),
      created: Type.Integer(),
      updated: Type.Integer(),
      deleted: Type.Integer(),
    }),
  }),
)
