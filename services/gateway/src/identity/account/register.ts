/**
 * Registration: an account, its organization and its first session are created in one transaction.
 */
import { randomBytes } from 'node:crypto'
import { type authOperations, conflict, forbidden, type Identity } from '@status-page/contracts'
import {
  asLookup,
  newId,
  type Scope,
  transact,
  violatedUniqueConstraint,
} from '@status-page/postgres'
import type { Call } from '@status-page/service'
import { requestVerification } from '../email-verification/request.ts'
import {
  beginSession,
  endReplacedSessions,
  presentedTokenHash,
  userActorOf,
} from '../sessions/sessions.ts'
import type { AccountOptions } from '../sessions/verify-password.ts'
import type { SetupLink } from '../setup/setup-link.ts'
import { consumeNonce } from '../setup/store.ts'
import { accountByEmail, insertAccount } from '../users/account-store.ts'
import * as store from '../users/membership-store.ts'
import {
  identityReplyOf,
  organizationSlugFrom,
  registrationOutcome,
  validatePassword,
} from '../users/rules.ts'

/**
 * Attempts after the first append a random suffix, so that a second collision is practically
 * impossible.
 */
const SLUG_ATTEMPTS = 5
const SLUG_SUFFIX_BYTES = 3

export interface AuthOptions extends AccountOptions {
  isRegistrationOpen: boolean
}

type RegisterCall = Call<typeof authOperations.register>

export const register = async (call: RegisterCall, options: AuthOptions): Promise<Identity> => {
  if (!options.isRegistrationOpen) {
    throw forbidden('registration_closed', 'Registration is closed')
  }
  // The link for the first account ends with any account.
  return createOwner(call, options, async (scope) => {
    await consumeNonce(scope)
  })
}

/** Registers the first account by the token of the set-up link, also while registration is closed. */
export const registerFirstOwner = async (
  call: RegisterCall,
  { token, link }: { token: string; link: SetupLink },
  options: AccountOptions,
): Promise<Identity> => {
  await link.verify(token)
  return createOwner(call, options, (scope) => link.consume(scope, token))
}

/** `before` runs first in the transaction that creates the account. */
const createOwner = async (
  call: RegisterCall,
  options: AccountOptions,
  before: (scope: Scope) => Promise<void>,
): Promise<Identity> => {
  const { email, password, name, organizationName } = call.body
  validatePassword({ email, password, isCommon: await options.isCommon(password) })
  const { database } = options
  const existing = await asLookup(database, (systemScope) => accountByEmail(systemScope, email))
  if (existing !== null) throw duplicateAddress()
  const passwordHash = await options.passwords.hash(password)
  const id = newId()
  const user = { id, email, name, twoFactorEnabled: false }
  const organizationId = newId()
  const { identity, token } = await transact(
    database,
    { organizationId, actor: userActorOf(call, id) },
    async (scope) => {
      await before(scope)
      await insertAccount(scope, { id, email, name, passwordHash, emailVerifiedAt: null })
      const slug = await insertWithFreeSlug(scope, organizationName)
      const membershipId = newId()
      await store.insertMembership(scope, { id: membershipId, userId: id, role: 'OWNER' })
      const organization = { id: organizationId, name: organizationName, slug }
      const outcome = registrationOutcome(
        identityReplyOf(user, organization, 'OWNER'),
        membershipId,
      )
      const result = {
        identity: outcome.result,
        token: await beginSession(scope, { userId: id, actor: call.actor }),
      }
      const mail = await requestVerification(scope, user, { organizationId, ...options })
      return { ...outcome, result, events: [...outcome.events, mail] }
    },
  ).catch((error: unknown) => {
    throw violatedUniqueConstraint(error) === 'users_email_key' ? duplicateAddress() : error
  })
  await endReplacedSessions(id, presentedTokenHash(call, options), options)
  call.addCookie(options.cookie.set(token))
  call.addCookie(options.device.set(email))
  return identity
}

const duplicateAddress = () =>
  conflict('duplicate', 'An account with this e-mail address already exists')

const insertWithFreeSlug = async (scope: Scope, name: string): Promise<string> => {
  const base = organizationSlugFrom(name)
  for (let tries = 0; tries < SLUG_ATTEMPTS; tries++) {
    const slug = tries === 0 ? base : `${base}-${randomBytes(SLUG_SUFFIX_BYTES).toString('hex')}`
    if (await store.insertOrganization(scope, { id: scope.organizationId, name, slug })) return slug
  }
  throw new Error('no free slug was found')
}
