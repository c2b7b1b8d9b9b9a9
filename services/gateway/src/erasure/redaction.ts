/** Personal texts leave the audit log and the stored events of an organization. */
import { type Reaction, reaction } from '@status-page/bus'
import { accountErased, subscriberErased, systemActor } from '@status-page/contracts'
import { change, type Database, inJson, redactPlumbing, type Scope } from '@status-page/postgres'
import type { Sealer } from '@status-page/secrets'
import { sql } from 'drizzle-orm'

const BATCH_ROWS = 1_000

export interface PersonalTexts {
  /** Entries about these lose the entity's name. */
  entityIds: readonly string[]
  /** Entries of this user lose address and program. */
  userId: string | null
  email: string
}

/** In batches of their own transactions; a repeat finds nothing. */
export const redactAuditLog = async (
  database: Database,
  organizationId: string,
  texts: PersonalTexts,
): Promise<void> => {
  for (;;) {
    const changed = await change(
      database,
      { organizationId, actor: systemActor },
      async (scope) => ({ result: await redactBatch(scope, texts), events: [], audit: [] }),
    )
    if (changed < BATCH_ROWS) return
  }
}

const redactBatch = async (
  { tx }: Scope,
  { entityIds, userId, email }: PersonalTexts,
): Promise<number> => {
  const [row] = await tx.execute<{ changed: number }>(sql`
    SELECT redact_audit(${sql.param([...entityIds])}::text[], ${userId}::uuid, ${inJson(email)},
      ${BATCH_ROWS}) AS changed`)
  return row?.changed ?? 0
}

export const erasedAddressReaction = (sealer: Sealer): Reaction =>
  reaction({
    consumer: 'gateway-erased-addresses',
    on: [subscriberErased, accountErased],
    async beforehand(database, { organizationId, aggregate, data }) {
      const email = opened(sealer, organizationId, aggregate.id, data.sealedAddress)
      const texts =
        'userId' in data
          ? { entityIds: [data.userId], userId: data.userId, email }
          : { entityIds: data.subscriberIds, userId: null, email }
      await redactAuditLog(database, organizationId, texts)
    },
    async handle(scope, { aggregate, data }) {
      const { organizationId } = scope
      await redactPlumbing(scope, opened(sealer, organizationId, aggregate.id, data.sealedAddress))
      return { result: null, events: [], audit: [] }
    },
  })

const opened = (sealer: Sealer, organizationId: string, recordId: string, sealed: string) =>
  sealer.open(sealed, { organizationId, purpose: 'erased-address', recordId })
