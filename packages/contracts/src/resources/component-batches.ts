/** What config-sync asks core: all definitions, and to change many components as one. */
import { type Static, Type } from '@sinclair/typebox'
import { operation } from '../operation.ts'
import { Id, Nullable, OneOf } from '../scalars.ts'
import {
  CheckHeader,
  ComponentEventData,
  ComponentPatch,
  componentTypes,
  NewComponent,
} from './components.ts'

/** Of all definitions, so that one answer stays small. */
export const MAX_DEFINITIONS = 250

/** The limits of a document, and what pruning may come to beside it. */
const MAX_BATCH_CHANGES = 5_000
const BATCH_BODY_LIMIT = 5 * 1024 * 1024

const { properties: endpointFields } = ComponentEventData.properties.endpoint.anyOf[0]

/** A component as it is defined: what a document may say of it; secret header values sealed. */
export const ComponentDefinition = Type.Object({
  id: Id,
  version: Type.Integer(),
  name: Type.String(),
  type: OneOf(componentTypes),
  description: Nullable(Type.String()),
  isEnabled: Type.Boolean(),
  isMuted: Type.Boolean(),
  parentComponentId: Nullable(Id),
  icon: Nullable(Type.String()),
  showIconOnStatusPage: Type.Boolean(),
  order: Type.Integer(),
  managedByConfig: Type.Boolean(),
  endpoint: Nullable(
    Type.Object({
      ...endpointFields,
      headers: Type.Array(CheckHeader),
      autoCreateIncident: Type.Boolean(),
      autoResolve: Type.Boolean(),
    }),
  ),
  metric: Nullable(
    Type.Object({
      integrationId: Id,
      query: Type.String(),
      pollingInterval: Type.Integer(),
      warningThreshold: Nullable(Type.Number()),
      criticalThreshold: Nullable(Type.Number()),
    }),
  ),
})
export type ComponentDefinition = Static<typeof ComponentDefinition>

const Version = Type.Integer({ minimum: 1 })

/** `judge` goes by the batch alone, `try` also looks up names; neither stores anything. */
export const batchModes = ['judge', 'try', 'apply'] as const
export type BatchMode = (typeof batchModes)[number]
export const BatchMode = OneOf(batchModes)

/**
 * Changes that become true together or not at all. Secret header values come sealed to the component
 * (purpose `component-header`) or as the marker, which keeps the stored one.
 */
export const ComponentBatch = Type.Object({
  /** A batch that has taken effect answers its repeat and does nothing. */
  id: Id,
  mode: BatchMode,
  /** Parents before children. */
  create: Type.Array(Type.Object({ id: Id, component: NewComponent }), {
    maxItems: MAX_BATCH_CHANGES,
  }),
  /** 409 `version_mismatch` where a component is at another version, or gone. */
  update: Type.Array(Type.Object({ id: Id, version: Version, patch: ComponentPatch }), {
    maxItems: MAX_BATCH_CHANGES,
  }),
  remove: Type.Array(Type.Object({ id: Id, version: Version }), { maxItems: MAX_BATCH_CHANGES }),
})
export type ComponentBatch = Static<typeof ComponentBatch>

export const componentBatchOperations = {
  definitions: operation({
    id: 'component-batches.definitions',
    service: 'core',
    method: 'GET',
    path: '/internal/components/definitions',
    base: 'root',
    status: 200,
    summary: 'Definitions of all components, by id',
    permission: 'caller',
    callers: ['config-sync'],
    query: Type.Object({ after: Type.Optional(Id) }),
    reply: Type.Object({ data: Type.Array(ComponentDefinition), next: Nullable(Id) }),
  }),
  apply: operation({
    id: 'component-batches.apply',
    service: 'core',
    method: 'POST',
    path: '/internal/components/batches',
    base: 'root',
    status: 200,
    summary: 'Change many components as one',
    permission: 'caller',
    callers: ['config-sync'],
    bodyLimit: BATCH_BODY_LIMIT,
    body: ComponentBatch,
    reply: Type.Object({ isRepeat: Type.Boolean() }),
  }),
}
