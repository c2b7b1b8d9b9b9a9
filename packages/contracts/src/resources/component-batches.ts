/**
 * Internal operations of core for config-sync: read all definitions, and change many components and
 * other resources in one transaction.
 */
import { type Static, Type } from '@sinclair/typebox'
import { operationsOf } from '../operation.ts'
import { Id, Nullable, OneOf } from '../scalars.ts'
import { CheckSettings, ComponentPatch, componentTypes, NewComponent } from './components.ts'
import {
  CoreDefinitionChanges,
  coreDefinitionTypes,
  definitionPageOf,
  MemberAddress,
  ResourceDefinition,
} from './definitions.ts'
import { UpstreamSettings } from './vendor-status.ts'

/** Definitions per page, so that a reply stays small. */
export const MAX_DEFINITIONS_PER_PAGE = 250

/** Maximum number of changes: the limits of a document plus the components that pruning deletes. */
const MAX_BATCH_CHANGES = 5_000
const BATCH_BODY_LIMIT = 5 * 1024 * 1024

/**
 * Definition of a component, with the fields that a document can contain; values of secret headers
 * are encrypted.
 */
export const ComponentDefinition = Type.Object({
  id: Id,
  version: Type.Integer(),
  name: Type.String(),
  type: OneOf(componentTypes),
  description: Nullable(Type.String()),
  isEnabled: Type.Boolean(),
  isMuted: Type.Boolean(),
  parentComponentId: Nullable(Id),
  dependsOn: Type.Array(Id),
  icon: Nullable(Type.String()),
  showIconOnStatusPage: Type.Boolean(),
  order: Type.Integer(),
  managedByConfig: Type.Boolean(),
  endpoint: Nullable(CheckSettings),
  metric: Nullable(
    Type.Object({
      integrationId: Id,
      query: Type.String(),
      pollingInterval: Type.Integer(),
      warningThreshold: Nullable(Type.Number()),
      criticalThreshold: Nullable(Type.Number()),
    }),
  ),
  upstream: Nullable(UpstreamSettings),
})
export type ComponentDefinition = Static<typeof ComponentDefinition>

const Version = Type.Integer({ minimum: 1 })

/**
 * `validate` evaluates the batch by stored data alone, `dry-run` also by DNS and other services;
 * neither stores anything.
 */
export const batchModes = ['validate', 'dry-run', 'apply'] as const
export type BatchMode = (typeof batchModes)[number]
export const BatchMode = OneOf(batchModes)

/**
 * Changes that are applied in one transaction. Values of secret headers are encrypted for the
 * component (purpose `component-header`), or the marker, which leaves the stored value unchanged.
 */
export const ComponentBatch = Type.Object({
  /** A repeated batch with the id of an applied one returns its reply and changes nothing. */
  id: Id,
  mode: BatchMode,
  /** Components to create, parents before children. */
  create: Type.Array(Type.Object({ id: Id, component: NewComponent }), {
    maxItems: MAX_BATCH_CHANGES,
  }),
  /**
   * Components to update. 409 `version_mismatch` when a component has another version or is
   * deleted.
   */
  update: Type.Array(Type.Object({ id: Id, version: Version, patch: ComponentPatch }), {
    maxItems: MAX_BATCH_CHANGES,
  }),
  remove: Type.Array(Type.Object({ id: Id, version: Version }), { maxItems: MAX_BATCH_CHANGES }),
  /**
   * Changes of other resources of core. They may refer to components that the batch creates, and to
   * members and notification channels of which core has no event yet.
   */
  definitions: Type.Optional(CoreDefinitionChanges),
})
export type ComponentBatch = Static<typeof ComponentBatch>

export const componentBatchOperations = operationsOf('core', 'component-batches', {
  definitions: {
    route: 'GET /internal/components/definitions',
    base: 'root',
    summary: 'List the definitions of all components',
    permission: 'caller',
    callers: ['config-sync'],
    query: Type.Object({ after: Type.Optional(Id) }),
    reply: Type.Object({ data: Type.Array(ComponentDefinition), next: Nullable(Id) }),
  },
  otherDefinitions: {
    route: 'GET /internal/definitions',
    base: 'root',
    summary: 'List the definitions of other resources',
    permission: 'caller',
    callers: ['config-sync'],
    query: Type.Object({ type: OneOf(coreDefinitionTypes), after: Type.Optional(Id) }),
    reply: definitionPageOf(ResourceDefinition),
  },
  members: {
    route: 'GET /internal/members',
    base: 'root',
    summary: 'List the addresses of all members',
    permission: 'caller',
    callers: ['config-sync'],
    query: Type.Object({ after: Type.Optional(Id) }),
    reply: definitionPageOf(MemberAddress),
  },
  apply: {
    route: 'POST /internal/components/batches',
    base: 'root',
    summary: 'Change components and other resources in one transaction',
    permission: 'caller',
    callers: ['config-sync'],
    bodyLimit: BATCH_BODY_LIMIT,
    body: ComponentBatch,
    reply: Type.Object({ isRepeat: Type.Boolean() }),
  },
})
