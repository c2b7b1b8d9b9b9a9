/**
 * Erasure of a mail address: deletes its subscribers; every service then deletes it from its
 * tables.
 */
import {
  draftEvent,
  type Outcome,
  subscriberErased,
  subscriberErasureOperations,
} from '@status-page/contracts'
import { newId, type Scope } from '@status-page/postgres'
import { type Authenticator, type Sealer, sha256 } from '@status-page/secrets'
import { createRoutes, type Route } from '@status-page/service'
import { and, eq } from 'drizzle-orm'
import { type SubscriberRow, subscriberConfirmations, subscribers } from '../tables.ts'
import { saveErasedAddresses } from './erased-addresses.ts'
import { auditSubscriber, subscriberDeletedEvent } from './rules.ts'

export interface ErasureDeps {
  sealer: Sealer
  /** Keys the hashes of erased addresses. */
  erasedAddress: Authenticator
}

export const subscriberErasureRoutes = (deps: ErasureDeps): Route[] =>
  createRoutes(subscriberErasureOperations, {
    erase: ({ body, change }) => change((scope) => eraseAddress(deps, scope, body.email)),
  })

const eraseAddress = async (
  { sealer, erasedAddress }: ErasureDeps,
  scope: Scope,
  email: string,
): Promise<Outcome<{ success: true; subscribers: number }>> => {
  const rows = await deleteByAddress(scope, email)
  await saveErasedAddresses(scope, [erasedAddress.mac(email)])
  const id = newId()
  const context = {
    organizationId: scope.organizationId,
    purpose: 'erased-address',
    recordId: id,
  } as const
  const erased = draftEvent(
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

/** Deletes the address on every page; pending confirmations are deleted with their subscriber. */
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
