/**
 * Deletion of an organization and erasure of a mail address: event handlers and job of every
 * service.
 */
import { type EventHandler, eventHandler } from '@status-page/bus'
import {
  accountErased,
  draftEvent,
  erasureCompleted,
  organizationDeleted,
  type ServiceName,
  subscriberErased,
} from '@status-page/contracts'
import {
  type Database,
  type ErasurePart,
  erasureJob,
  type Job,
  type PersonalTexts,
  redactSharedTables,
  requestErasure,
} from '@status-page/postgres'
import type { Sealer } from '@status-page/secrets'
import type { BaseConfig } from './config.ts'
import type { Resources } from './resources.ts'

export interface Erasure {
  handler: EventHandler
  job: Job
}

/**
 * Creates handler and job; `parts` lists every table of the service with `organization_id`,
 * referencing tables first.
 */
export const createErasure = (
  { service, config, database, logger }: ErasureResources,
  parts: readonly ErasurePart[],
): Erasure => ({
  handler: erasureHandler(service),
  job: erasureJob({
    database,
    parts,
    settleSeconds: config.ERASURE_SETTLE_SECONDS,
    receipt: (organizationId, deletedRows) =>
      draftEvent(
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

const erasureHandler = (service: ServiceName): EventHandler =>
  eventHandler({
    consumer: `${service}-erasure`,
    on: [organizationDeleted],
    afterErasure: true,
    async handle(scope) {
      await requestErasure(scope)
    },
  })

/** Erased address and the subscribers that had it; none for the address of an account. */
export interface ErasedAddress extends PersonalTexts {
  organizationId: string
  subscriberIds: readonly string[]
}

export interface ErasedAddressOptions {
  service: ServiceName
  sealer: Sealer
  /**
   * Erases the address from the service's own tables, in bounded batches; runs again after a crash.
   */
  eraseOwn?(database: Database, erased: ErasedAddress): Promise<void>
}

/** Removes an erased address from the tables of the service and its stored events and responses. */
export const erasedAddressHandler = ({
  service,
  sealer,
  eraseOwn,
}: ErasedAddressOptions): EventHandler =>
  eventHandler({
    consumer: `${service}-erased-addresses`,
    on: [subscriberErased, accountErased],
    async prepare(database, { organizationId, aggregate, data }) {
      const context = { organizationId, purpose: 'erased-address', recordId: aggregate.id } as const
      const email = sealer.open(data.sealedAddress, context)
      const userId = 'userId' in data ? data.userId : null
      const subscriberIds = 'userId' in data ? [] : data.subscriberIds
      const entityIds = 'userId' in data ? [data.userId] : data.subscriberIds
      const erased = { organizationId, email, entityIds, userId, subscriberIds }
      await eraseOwn?.(database, erased)
      await redactSharedTables(database, organizationId, erased)
    },
    async handle() {},
  })
