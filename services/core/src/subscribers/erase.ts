/** Erasure of a mail address: deletes its subscribers; every service then takes it out of its tables. */
import {
  emit,
  type Outcome,
  subscriberErased,
  subscriberErasureOperations,
} from '@status-page/contracts'
import { newId, type Scope } from '@status-page/postgres'
import { type Authenticator, type Sealer, sha256 } from '@status-page/secrets'
import { type Route, route } from '@status-page/service'
import { and, eq, sql } from 'drizzle-orm'
import {
  erasedAddresses,
  type SubscriberRow,
  subscriberConfirmations,
  subscribers,
} from '../tables.ts'
import { auditSubscriber, subscriberDeletedEvent } from './rules.ts'

export interface ErasureDeps {
  sealer: Sealer
  /** Keys the hashes of erased addresses. */
  erasedAddress: Authenticator
}

export const subscriberErasureRoutes = (deps: ErasureDeps): Route[] =>
  route(subscriberErasureOperations, {
    erase: ({ body, change }) => change((scope) => eraseAddress(deps, scope, body.email)),
  })

const eraseAddress = async (
  { sealer, erasedAddress }: ErasureDeps,
  scope: Scope,
  email: string,
): Promise<Outcome<{ success: true; subscribers: number }>> => {
  const rows = await deleteByAddress(scope, email)
  await saveErased(scope, erasedAddress.mac(email))
  const id = newId()
  const context = {
    organizationId: scope.organizationId,
    purpose: 'erased-address',
    recordId: id,
  } as const
  const erased = emit(
    subscriberErased,
    { id, version: 1 },
    {
      subscriberIds: rows.map((row) => row.id),
      sealedAddress: sealer.seal(email, context),
    },
  )
  const nameless = rows.map((row) => ({ ...row, address: '' }))
  return {
    result: { success: true, subscribers: rows.length },
    events: [...nameless.map(subscriberDeletedEvent), erased],
    audit: nameless.map((row) => ({ ...auditSubscriber('delete', row, row), entityName: null })),
  }
}

/** On every page. Questions that wait for an answer go with their subscriber. */
const deleteByAddress = async (
  { tx, organizationId }: Scope,
  email: string,
): Promise<SubscriberRow[]> => {
  const addressDigest = sha256(email)
  await tx
    .delete(subscriberConfirmations)
    .where(
      and(
        eq(subscriberConfirmations.organizationId, organizationId),
        eq(subscriberConfirmations.addressDigest, addressDigest),
      ),
    )
  return tx
    .delete(subscribers)
    .where(
      and(
        eq(subscribers.organizationId, organizationId),
        eq(subscribers.type, 'email'),
        eq(subscribers.addressDigest, addressDigest),
      ),
    )
    .returning()
}

const saveErased = async ({ tx, now, organizationId }: Scope, addressHash: string) => {
  await tx
    .insert(erasedAddresses)
    .values({ organizationId, addressHash, erasedAt: now })
    .onConflictDoNothing()
}

/** Nearly every organization has none, so that an import need not hash its rows. */
export const hasErased = async ({ tx, organizationId }: Scope): Promise<boolean> => {
  const rows = await tx
    .select({ organizationId: erasedAddresses.organizationId })
    .from(erasedAddresses)
    .where(eq(erasedAddresses.organizationId, organizationId))
    .limit(1)
  return rows.length > 0
}

/** Hashes that belong to erased addresses. */
export const erasedAmong = async (
  { tx, organizationId }: Scope,
  hashes: readonly string[],
): Promise<Set<string>> => {
  const { addressHash } = erasedAddresses
  if (hashes.length === 0) return new Set()
  const rows = await tx
    .select({ addressHash })
    .from(erasedAddresses)
    .where(
      and(
        eq(erasedAddresses.organizationId, organizationId),
        sql`${addressHash} = ANY (${sql.param([...hashes])}::text[])`,
      ),
    )
  return new Set(rows.map((row) => row.addressHash))
}
