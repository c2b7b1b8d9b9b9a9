/** What config-sync asks integrations: all definitions, and to change many as one. */
import { type Static, Type } from '@sinclair/typebox'
import { operation } from '../operation.ts'
import { Id, Nullable, OneOf } from '../scalars.ts'
import { BatchMode } from './component-batches.ts'
import { integrationTypes } from './integrations.ts'

const MAX_BATCH_CHANGES = 5_000
const BATCH_BODY_LIMIT = 5 * 1024 * 1024

/** By field; secrets are sealed to the integration (purpose `integration`), or the marker to keep one. */
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

/** Null: whichever it has. */
const Version = Nullable(Type.Integer({ minimum: 1 }))

/** Changes that become true together or not at all. */
export const IntegrationBatch = Type.Object({
  /** A batch that has taken effect answers its repeat and does nothing. */
  id: Id,
  mode: BatchMode,
  /** It undoes this batch: without having taken effect that one never will, and this does nothing. */
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
  /** 409 `version_mismatch` where it is at another version, or gone. */
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
   * 409 `in_use` while a METRIC component is measured through it, but where it undoes: then it is kept. One
   * that is gone is as removed.
   */
  remove: Type.Array(Type.Object({ id: Id, version: Version }), { maxItems: MAX_BATCH_CHANGES }),
})
export type IntegrationBatch = Static<typeof IntegrationBatch>

export const integrationBatchOperations = {
  definitions: operation({
    id: 'integration-batches.definitions',
    service: 'integrations',
    method: 'GET',
    path: '/internal/integrations/definitions',
    base: 'root',
    status: 200,
    summary: 'Definitions of all integrations',
    permission: 'caller',
    callers: ['config-sync'],
    reply: Type.Object({ data: Type.Array(IntegrationDefinition) }),
  }),
  apply: operation({
    id: 'integration-batches.apply',
    service: 'integrations',
    method: 'POST',
    path: '/internal/integrations/batches',
    base: 'root',
    status: 200,
    summary: 'Change many integrations as one',
    permission: 'caller',
    callers: ['config-sync'],
    bodyLimit: BATCH_BODY_LIMIT,
    body: IntegrationBatch,
    reply: Type.Object({
      isRepeat: Type.Boolean(),
      /** Names of those that an undo left: components came to be measured through them. */
      kept: Type.Array(Type.String()),
    }),
  }),
}
