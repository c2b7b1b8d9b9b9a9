/**
 * Confirmation of a subscription: the token of the link, or the code, proves ownership of the
 * address.
 */
import { type Actor, invalid, type SubscriptionConfirmation } from '@status-page/contracts'
import { type Database, type Scope, transact } from '@status-page/postgres'
import { type Authenticator, equalInConstantTime, hashToken, sha256 } from '@status-page/secrets'
import { confirmationCodeDigest } from '../../subscribers/confirmation/confirmation-request.ts'
import { MAX_CODE_ATTEMPTS } from '../../subscribers/confirmation/rules.ts'
import * as store from '../../subscribers/confirmation/store.ts'
import { removeErasedAddresses } from '../../subscribers/erased-addresses.ts'
import { auditSubscriber, confirmSubscriber, subscriberEvent } from '../../subscribers/rules.ts'
import { lockSubscriber, saveSubscriber } from '../../subscribers/store.ts'
import type { ConfirmationRow, SubscriberRow } from '../../tables.ts'

export interface ConfirmDeps {
  database: Database
  /** Keys the hashes of addresses that only their owner may subscribe again. */
  erasedAddress: Authenticator
}

export const confirmSubscription = (
  deps: ConfirmDeps,
  { token, phone, code }: SubscriptionConfirmation,
  actor: Actor,
): Promise<SubscriberRow> => {
  if (token !== undefined) return confirmByToken(deps, token, actor)
  if (phone !== undefined && code !== undefined) {
    return confirmByCode(deps, { phone, code }, actor)
  }
  throw invalid({ field: 'token', message: 'token, or phone and code, is required' })
}

const invalidSecret = (field: 'token' | 'code') =>
  invalid({ field, message: `${field} is incorrect or has expired` })

const confirmByToken = async (
  deps: ConfirmDeps,
  token: string,
  actor: Actor,
): Promise<SubscriberRow> => {
  const confirmation = await store.findConfirmationByToken(deps.database, hashToken(token))
  const confirmed = confirmation && (await confirmIfValid(deps, confirmation, actor, () => true))
  if (!confirmed) throw invalidSecret('token')
  return confirmed
}

/**
 * Several organizations may wait for a code of the same phone; a wrong code counts for all of them.
 */
const confirmByCode = async (
  deps: ConfirmDeps,
  { phone, code }: { phone: string; code: string },
  actor: Actor,
): Promise<SubscriberRow> => {
  const isValid = ({ id, secretDigest, tries }: ConfirmationRow) =>
    tries < MAX_CODE_ATTEMPTS && equalInConstantTime(secretDigest, confirmationCodeDigest(id, code))
  for (const confirmation of await store.findConfirmationByPhone(deps.database, sha256(phone))) {
    const confirmed = await confirmIfValid(deps, confirmation, actor, isValid)
    if (confirmed !== null) return confirmed
  }
  throw invalidSecret('code')
}

/** Null when the code is wrong, which is counted, or when the confirmation was already used. */
const confirmIfValid = (
  deps: ConfirmDeps,
  { id, organizationId, subscriberId }: store.ConfirmationRequest,
  actor: Actor,
  isValid: (confirmation: ConfirmationRow) => boolean,
): Promise<SubscriberRow | null> =>
  transact(deps.database, { organizationId, actor }, async (scope) => {
    // The lock on the subscriber also serializes requests and confirmations.
    const before = await lockSubscriber(scope, subscriberId)
    const confirmation = await store.findConfirmation(scope, id)
    if (before === undefined || confirmation === undefined) return unchanged
    if (!isValid(confirmation)) {
      await store.countCodeAttempt(scope, id)
      return unchanged
    }
    return accept(deps, scope, before, confirmation, actor)
  })

const unchanged = { result: null }

const accept = async (
  { erasedAddress }: ConfirmDeps,
  scope: Scope,
  before: SubscriberRow,
  { componentIds, events, webhookSecret, source }: ConfirmationRow,
  { ipAddress }: Actor,
) => {
  const selection = { componentIds, events, webhookSecret, source }
  const after = confirmSubscriber(before, selection, { address: ipAddress, at: scope.now })
  await saveSubscriber(scope, after)
  await store.removeConfirmations(scope, after.id, null)
  await removeErasedAddresses(scope, erasedAddress.accepted(after.address))
  return {
    result: after,
    events: [subscriberEvent('updated', after)],
    audit: [auditSubscriber('update', before, after)],
  }
}

/** Pending confirmation of a link; null when the link is invalid, expired or used. */
export const findPendingConfirmation = async (
  database: Database,
  token: string,
): Promise<store.ConfirmationRequest | null> =>
  (await store.findConfirmationByToken(database, hashToken(token))) ?? null
