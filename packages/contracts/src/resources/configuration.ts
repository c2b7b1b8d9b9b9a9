/** Configuration as code: one YAML document says what components and integrations there are to be. */
import { type Static, Type } from '@sinclair/typebox'
import { event } from '../event.ts'
import { listOf, listQuery } from '../listing.ts'
import { DEFAULT_BODY_LIMIT, operation } from '../operation.ts'
import { Id, IdParams, Nullable, OneOf, Timestamp } from '../scalars.ts'

export const configResourceTypes = ['component_group', 'component', 'integration'] as const
export type ConfigResourceType = (typeof configResourceTypes)[number]

const named = {
  resourceType: OneOf(configResourceTypes),
  resourceName: Type.String(),
}

const fields = Type.Array(Type.String(), {
  description: 'Names of the fields that differ, as the document calls them; never values',
})

/** A resource that an apply made or deleted. */
export const ConfigEntry = Type.Object(named)
export type ConfigEntry = Static<typeof ConfigEntry>

export const ConfigUpdate = Type.Object({ ...named, fields })
export type ConfigUpdate = Static<typeof ConfigUpdate>

/** A problem of a document; `path` as `spec.components[2].url`, line and column from 1. */
export const ConfigProblem = Type.Object({
  path: Type.String(),
  line: Type.Integer(),
  column: Type.Integer(),
  message: Type.String(),
})
export type ConfigProblem = Static<typeof ConfigProblem>

export const Validated = Type.Object({
  valid: Type.Boolean(),
  warnings: Type.Array(Type.String()),
  errors: Type.Array(ConfigProblem),
})
export type Validated = Static<typeof Validated>

/** What an apply did, or with `dryRun` would do. */
export const Applied = Type.Object({
  applied: Type.Boolean({ description: 'False for a dry run' }),
  dryRun: Type.Boolean(),
  configVersion: Type.String(),
  created: Type.Array(ConfigEntry),
  updated: Type.Array(ConfigUpdate),
  deleted: Type.Array(ConfigEntry),
  unchanged: Type.Integer(),
  warnings: Type.Array(Type.String()),
})
export type Applied = Static<typeof Applied>

export const driftReasons = ['not_in_config', 'missing_in_system', 'modified'] as const
export type DriftReason = (typeof driftReasons)[number]

export const Drift = Type.Object({
  totalResources: Type.Integer(),
  managedByConfig: Type.Integer({ description: 'Made by an apply' }),
  manuallyCreated: Type.Integer(),
  drift: Type.Array(
    Type.Object({
      ...named,
      reason: OneOf(driftReasons, {
        description: 'Against the document that was applied last; a status is no drift',
      }),
      fields,
    }),
  ),
})
export type Drift = Static<typeof Drift>

export const configSources = ['api', 'git', 'rollback'] as const
export type ConfigSource = (typeof configSources)[number]

const versionFields = {
  id: Id,
  name: Type.String({ description: '`metadata.name`' }),
  configVersion: Type.String({ description: '`metadata.configVersion`' }),
  source: OneOf(configSources),
  commit: Nullable(Type.String({ description: 'Of the repository that it was read from' })),
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

/** A document that was applied; the newest one is what drift is measured against. */
export const ConfigurationVersion = Type.Object(versionFields)
export type ConfigurationVersion = Static<typeof ConfigurationVersion>

export const ConfigurationDocument = Type.Object({
  ...versionFields,
  document: Type.String({ description: 'The YAML as it was applied, comments included' }),
})
export type ConfigurationDocument = Static<typeof ConfigurationDocument>

/** Versions of an organization that are kept, newest first. */
export const MAX_CONFIG_VERSIONS = 100

/** Of a document, however it comes. */
export const MAX_DOCUMENT_BYTES = DEFAULT_BODY_LIMIT

const Document = Type.String({ description: 'One YAML document of at most 256 KiB' })

const dryRun = Type.Boolean({
  default: false,
  description: 'Say what would change, change nothing',
})

const LIMITS =
  'At most 1000 components, 200 groups and 50 integrations; no aliases, merge keys, tags or ' +
  'duplicate keys.'

export const configurationOperations = {
  validate: operation({
    id: 'configuration.validate',
    service: 'config-sync',
    method: 'POST',
    path: '/config/validate',
    status: 200,
    summary: 'Validate a configuration document',
    description:
      'Looks at the document alone and changes nothing: `errors` name path, line and column, ' +
      '`warnings` name variables and integrations that are not known yet, and references inside ' +
      'longer values, each with its line. 400 only where the ' +
      `YAML cannot be read. ${LIMITS}`,
    permission: 'config:read',
    action: 'VIEW',
    body: Document,
    bodyType: 'yaml',
    reply: Validated,
  }),
  apply: operation({
    id: 'configuration.apply',
    service: 'config-sync',
    method: 'POST',
    path: '/config/apply',
    status: 200,
    summary: 'Apply a configuration document',
    description:
      'All or nothing. Resources are matched by name; fields left out keep the stored value, and ' +
      '`status` acts only where a component is created. Needs also the permissions of what it ' +
      'changes (403 names the missing one). Problems are 400 with `line` and `column` in ' +
      '`details.issues`; 409 `already_running` while another apply runs, 409 `version_mismatch` ' +
      'where a resource was changed in the meantime. Event: `configuration.applied`.',
    permission: 'config:write',
    action: 'UPDATE',
    bucket: 'bulk',
    query: Type.Object({
      dryRun,
      prune: Type.Boolean({
        default: false,
        description: 'Delete what an earlier apply made and the document lacks',
      }),
    }),
    body: Document,
    bodyType: 'yaml',
    reply: Applied,
  }),
  export: operation({
    id: 'configuration.export',
    service: 'config-sync',
    method: 'GET',
    path: '/config/export',
    status: 200,
    summary: 'Export the configuration as a document',
    description:
      'What there is, as YAML that changes nothing when it is applied. Comments and order are ' +
      'those of the document that was applied last, where they still fit. A secret is the ' +
      'reference that it was set by, else `***REDACTED***`, which keeps the stored value. ' +
      'What a document cannot hold, such as components of one name, is left out and named in ' +
      'comments that begin with `warnings:`. 409 ' +
      '`invalid_state` where there is more than a document can hold.',
    permission: 'config:read',
    reply: Type.String(),
    produces: ['application/yaml'],
  }),
  drift: operation({
    id: 'configuration.drift',
    service: 'config-sync',
    method: 'GET',
    path: '/config/drift',
    status: 200,
    summary: 'Compare what there is with the document that was applied last',
    permission: 'config:read',
    reply: Drift,
  }),
  versions: operation({
    id: 'configuration.versions',
    service: 'config-sync',
    method: 'GET',
    path: '/config/versions',
    status: 200,
    summary: 'List the documents that were applied',
    description: `The newest ${MAX_CONFIG_VERSIONS} are kept.`,
    permission: 'config:read',
    query: listQuery(['createdAt'], { source: Type.Optional(OneOf(configSources)) }),
    reply: listOf(ConfigurationVersion),
  }),
  readVersion: operation({
    id: 'configuration.readVersion',
    service: 'config-sync',
    method: 'GET',
    path: '/config/versions/{id}',
    status: 200,
    summary: 'Read a document that was applied',
    permission: 'config:read',
    params: IdParams,
    reply: ConfigurationDocument,
  }),
  rollback: operation({
    id: 'configuration.rollback',
    service: 'config-sync',
    method: 'POST',
    path: '/config/versions/{id}/rollback',
    status: 200,
    summary: 'Apply an earlier document again',
    description:
      'As POST /config/apply with that document, and with `prune` unless it says otherwise: what ' +
      'later documents made goes. Variables are read as they are now.',
    permission: 'config:write',
    action: 'UPDATE',
    bucket: 'bulk',
    params: IdParams,
    query: Type.Object({
      dryRun,
      prune: Type.Boolean({
        default: true,
        description: 'Delete what an apply made and the document lacks',
      }),
    }),
    reply: Applied,
  }),
}

/** A document took effect; counts only, so that nothing of it travels. */
export const configurationApplied = event({
  kind: 'configuration.applied',
  producers: ['config-sync'],
  selectableBy: 'none',
  data: Type.Object({
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
})
