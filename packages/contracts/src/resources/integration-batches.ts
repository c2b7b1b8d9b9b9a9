/**
 * Internal operations of integrations for config-sync: read all definitions, and change many
 * integrations in one transaction.
 */
import { type Static, Type } from '@sinclair/typebox'
import { operationsOf } from '../operation.ts'
import { Id, Nullable, OneOf } from '../scalars.ts'
import { BatchMode } from './component-batches.ts'
import { integrationTypes } from './integrations.ts'

const MAX_BATCH_CHANGES = 5_000
const BATCH_BODY_LIMIT = 5 * 1024 * 1024

/**
 * Configuration by field; secrets are encrypted (purpose `integration`), or the marker, which
 * leaves the stored value unchanged.
 */
const SealedConfig = Type.Record(
  Type.String(),
  Type.Union([Type.String(), Type.Integer(), Type.Null()]),
)

export const IntegrationDefinition = Type.Object({
  id: Id,
  version: Type.Integer(),
  name: Type.String(),
  type: OneOf(integrationTypes),
  isEnabled: Type.Boolean(),
  managedByConfig: Type.Boolean(),
  config: SealedConfig,
})
export type IntegrationDefinition = Static<typeof IntegrationDefinition>

/** Expected version; null accepts any. */
const Version = Nullable(Type.Integer({ minimum: 1 }))

/** Changes of integrations that are applied in one transaction. */
export const IntegrationBatch = Type.Object({
  /** A repeated batch with the id of an applied one returns its reply and changes nothing. */
  id: Id,
  mode: BatchMode,
  /**
   * Batch that this one undoes. When that batch has not been applied, it is blocked and this one
   * changes nothing.
   */
  undoes: Nullable(Id),
  create: Type.Array(
    Type.Object({
      id: Id,
      integration: Type.Object({
        name: Type.String(),
        type: OneOf(integrationTypes),
        isEnabled: Type.Optional(Type.Boolean()),
        config: SealedConfig,
      }),
    }),
    { maxItems: MAX_BATCH_CHANGES },
  ),
  /**
   * Integrations to update. 409 `version_mismatch` when an integration has another version or is
   * deleted.
   */
  update: Type.Array(
    Type.Object({
      id: Id,
      version: Version,
      patch: Type.Object({
        isEnabled: Type.Optional(Type.Boolean()),
        config: Type.Optional(SealedConfig),
      }),
    }),
    { maxItems: MAX_BATCH_CHANGES },
  ),
  /**
   * Integrations to delete. 409 `in_use` while a METRIC component uses one; an undo leaves it in
   * place instead. A missing integration counts as deleted.
   */
  remove: Type.Array(Type.Object({ id: Id, version: Version }), { maxItems: MAX_BATCH_CHANGES }),
})
export type IntegrationBatch = Static<typeof IntegrationBatch>

export const integrationBatchOperations = operationsOf('integrations', 'integration-batches', {
  definitions: {
    route: 'GET /internal/integrations/definitions',
    base: 'root',
    summary: 'List the definitions of all integrations',
    permission: 'caller',
    callers: ['config-sync'],
    reply: Type.Object({ data: Type.Array(IntegrationDefinition) }),
  },
  apply: {
    route: 'POST /internal/integrations/batches',
    base: 'root',
    summary: 'Change integrations in one transaction',
    permission: 'caller',
    callers: ['config-sync'],
    bodyLimit: BATCH_BODY_LIMIT,
    body: IntegrationBatch,
    reply: Type.Object({
      isRepeat: Type.Boolean(),
      /**
       * Names of integrations that an undo left in place, because components have begun to use
       * them.
       */
      retained: Type.Array(Type.String()),
    }),
  },
})
