/** Deletion of an organization: what every service adds to its reactions and its due work. */
import { type Reaction, reaction } from '@status-page/bus'
import {
  emit,
  erasureCompleted,
  organizationDeleted,
  type ServiceName,
} from '@status-page/contracts'
import { type DueWork, type ErasurePart, erasureWork, requestErasure } from '@status-page/postgres'
import type { BaseConfig } from './config.ts'
import type { Resources } from './resources.ts'

export interface Erasure {
  reaction: Reaction
  work: DueWork
}

/** `parts` names every table of the service with `organization_id`, referencing tables first. */
export const erasureOf = (
  { service, config, database, logger }: ErasureResources,
  parts: readonly ErasurePart[],
): Erasure => ({
  reaction: erasureReaction(service),
  work: erasureWork({
    database,
    parts,
    settleSeconds: config.ERASURE_SETTLE_SECONDS,
    receipt: (organizationId, deletedRows) =>
      emit(
        erasureCompleted,
        { id: organizationId, version: 1 },
        { organizationId, service, deletedRows },
      ),
    logger,
  }),
})

type ErasureResources = Pick<
  Resources<Pick<BaseConfig, 'ERASURE_SETTLE_SECONDS'>>,
  'service' | 'config' | 'database' | 'logger'
>

const erasureReaction = (service: ServiceName): Reaction =>
  reaction({
    consumer: `${service}-erasure`,
    on: [organizationDeleted],
    afterErasure: true,
    async handle(scope) {
      await requestErasure(scope)
      return { result: null, events: [], audit: [] }
    },
  })
