/**
 * Acceptance of an invitation: the token of the mail creates one membership. A new user sets name
 * and password. A user with an account proves it with their own session, so that a mail alone never
 * grants access to an account. An account without any membership is re-entered with a new password,
 * and with a code when it has a second factor.
 */
import {
  conflict,
  type Identity,
  type Issue,
  invitationAcceptOperations,
  throwIssues,
  unauthorized,
} from '@status-page/contracts'
import {
  asLookup,
  newId,
  type Scope,
  transact,
  violatedUniqueConstraint,
} from '@status-page/postgres'
import { hashToken } from '@status-page/secrets'
import { type Call, createRoutes, type Route, rawReply } from '@status-page/service'
import { releaseAddress } from '../../identity/email-verification/release.ts'
import { recordEmergencyLogin } from '../../identity/saml/enforcement.ts'
import { isSessionAlive } from '../../identity/sessions/session-cookie.ts'
import { type SessionMethod, sessionByHash } from '../../identity/sessions/session-store.ts'
import {
  beginSession,
  endReplacedSessions,
  presentedTokenHash,
  userActorOf,
} from '../../identity/sessions/sessions.ts'
import type { AccountOptions } from '../../identity/sessions/verify-password.ts'
import { verifyTwoFactorCode } from '../../identity/two-factor/code.ts'
import {
  codeRefusalOf,
  codeRequiredError,
  commitThenThrowRefusal,
  toCodeRefusal,
  wrongCodeError,
} from '../../identity/two-factor/refusal.ts'
import {
  type Account,
  accountByEmail,
  insertAccount,
  lockAccount,
  markEmailVerified,
  reopenAccount,
} from '../../identity/users/account-store.ts'
import { membershipCreationOutcome } from '../../identity/users/membership-rules.ts'
import { insertMembership, membershipsOf } from '../../identity/users/membership-store.ts'
import {
  admitsPasswordLogin,
  identityReplyOf,
  validatePassword,
} from '../../identity/users/rules.ts'
import { enforcesSingleSignOn, readOrganization } from '../organization/store.ts'
import { isMember } from '../rights/member-store.ts'
import { lockRights } from '../rights/role-store.ts'
import { unusableTokenError, validateDomain } from './rules.ts'
import { invitationByToken, lockUsableInvitation, markInvitationAccepted } from './store.ts'

type AcceptCall = Call<typeof invitationAcceptOperations.accept>

const KNOWN_USER_STATUS = 200

export const acceptInvitationRoutes = (options: AccountOptions): Route[] =>
  createRoutes(invitationAcceptOperations, {
    async accept(call) {
      const { identity, isNewAccount } = await accept(call, options)
      if (isNewAccount) return identity
      const body = JSON.stringify(identity)
      return rawReply({ status: KNOWN_USER_STATUS, contentType: JSON_TYPE, body })
    },
  })

export interface Accepted {
  identity: Identity
  isNewAccount: boolean
  /** True when the organization admits the user through its identity provider only. */
  isSsoRequired: boolean
}

/** Creates the membership, and a session where the proof is enough for one. */
export const accept = async (call: AcceptCall, options: AccountOptions): Promise<Accepted> => {
  const acceptance = await resolveAcceptance(call, options)
  const { claimedFrom, isSsoRequired } = acceptance
  const { database } = options
  if (claimedFrom !== null && !(await releaseAddress(database, claimedFrom, call.actor))) {
    throw notLoggedIn()
  }
  const { identity, token } = await acceptMembership(call, acceptance, options)
  if (token !== null) {
    await endReplacedSessions(acceptance.user.id, presentedTokenHash(call, options), options)
    call.addCookie(options.cookie.set(token))
    call.addCookie(options.device.set(identity.user.email))
  }
  return { identity, isNewAccount: acceptance.passwordHash !== null, isSsoRequired }
}

/** Invitation as its page shows it, with the input that its acceptance needs. */
export interface InvitationOffer {
  email: string
  organizationName: string
  /**
   * `join`: nothing; `register`: name and password; `login`: a session of the invited account;
   * `login-or-register`: either, as the account never verified its address.
   */
  needs: 'join' | 'register' | 'login' | 'login-or-register'
}

/** Returns null for a token that is unknown, used, withdrawn or expired. */
export const invitationOfferOf = async (
  call: Pick<Call, 'headers'>,
  token: string,
  options: AccountOptions,
): Promise<InvitationOffer | null> => {
  const found = await findInvited(hashToken(token), options)
  if (found === null) return null
  const { email, organizationName, account, isMemberSomewhere } = found
  const offer = { email, organizationName }
  if (account === null || !isMemberSomewhere) return { ...offer, needs: 'register' }
  if ((await methodOfOwnSession(call, account, options)) !== null)
    return { ...offer, needs: 'join' }
  return { ...offer, needs: account.emailVerifiedAt === null ? 'login-or-register' : 'login' }
}

const JSON_TYPE = 'application/json; charset=utf-8'

interface Acceptance {
  organizationId: string
  tokenHash: string
  user: Identity['user']
  isStored: boolean
  /** Hash of the new password; null when the user's password stays. */
  passwordHash: string | null
  /**
   * True when the proof is enough for a session; otherwise the user logs in through the identity
   * provider.
   */
  opensSession: boolean
  /** True when the organization admits the user through its identity provider only. */
  isSsoRequired: boolean
  /** Unverified account that loses the address; null when there is none. */
  claimedFrom: string | null
}

/** Invitation of a token with the account of its address. */
const findInvited = (tokenHash: string, { database }: Pick<AccountOptions, 'database'>) =>
  asLookup(database, async (systemScope) => {
    const invitation = await invitationByToken(systemScope, tokenHash)
    if (invitation === null) return null
    const account = await accountByEmail(systemScope, invitation.email)
    const others = account === null ? [] : await membershipsOf(systemScope, account.id)
    const ssoEnforced = await enforcesSingleSignOn(systemScope, invitation.organizationId)
    return { ...invitation, tokenHash, ssoEnforced, account, isMemberSomewhere: others.length > 0 }
  })

const resolveAcceptance = async (
  call: AcceptCall,
  options: AccountOptions,
): Promise<Acceptance> => {
  const tokenHash = hashToken(call.body.token)
  const found = await findInvited(tokenHash, options)
  if (found === null) throw unusableTokenError()
  const { account, isMemberSomewhere } = found
  if (account === null || !isMemberSomewhere) return acceptAsNewAccount(call, found, options)
  const method = await methodOfOwnSession(call, account, options)
  if (method === null) {
    // The token proves control of the mailbox, which this account never verified.
    const isClaimable = account.emailVerifiedAt === null && call.body.password !== undefined
    if (!isClaimable) throw notLoggedIn()
    const acceptance = await acceptAsNewAccount(call, { ...found, account: null }, options)
    return { ...acceptance, claimedFrom: account.id }
  }
  return {
    organizationId: found.organizationId,
    tokenHash,
    user: account,
    isStored: true,
    passwordHash: null,
    // An identity provider authenticates users for its own organization only.
    opensSession: opensWithPassword(found) && method === 'password',
    isSsoRequired: !opensWithPassword(found),
    claimedFrom: null,
  }
}

interface InvitedAccount {
  organizationId: string
  tokenHash: string
  email: string
  role: string
  ssoEnforced: boolean
  account: Account | null
}

const opensWithPassword = ({ ssoEnforced, role, account }: InvitedAccount): boolean =>
  admitsPasswordLogin({ ssoEnforced, role, hasTwoFactor: account?.twoFactorEnabled ?? false })

/** Accepts as a new account, or as an account without any membership. */
const acceptAsNewAccount = async (
  call: AcceptCall,
  found: InvitedAccount,
  options: AccountOptions,
): Promise<Acceptance> => {
  const { organizationId, tokenHash, email, account } = found
  const { name, password } = requireNameAndPassword(call)
  validatePassword({ email, password, isCommon: await options.isCommon(password) })
  if (account !== null) await verifyCode(call, account, organizationId, options)
  return {
    organizationId,
    tokenHash,
    user: {
      id: account?.id ?? newId(),
      email,
      name,
      twoFactorEnabled: account?.twoFactorEnabled ?? false,
    },
    isStored: account !== null,
    passwordHash: await options.passwords.hash(password),
    opensSession: opensWithPassword(found),
    isSsoRequired: !opensWithPassword(found),
    claimedFrom: null,
  }
}

/** Consumes the code before the membership is created; a failure in between costs one code. */
const verifyCode = (
  call: AcceptCall,
  { id }: Account,
  organizationId: string,
  { database, sealer }: AccountOptions,
): Promise<null> => {
  const actor = userActorOf(call, id)
  return commitThenThrowRefusal(database, { organizationId, actor }, async (systemScope) => {
    const account = await lockAccount(systemScope, id)
    if (account === null) return toCodeRefusal(unusableTokenError())
    const guess = { userId: id, code: call.body.code }
    const verdict = await verifyTwoFactorCode(systemScope, guess, { sealer, log: call.log })
    if (verdict.outcome === 'missing') return toCodeRefusal(codeRequiredError())
    const refused = codeRefusalOf(verdict, {
      account,
      actor,
      now: systemScope.now,
      wrongCode: wrongCodeError,
    })
    return refused ?? { result: null, audit: [] }
  })
}

const methodOfOwnSession = async (
  call: Pick<Call, 'headers'>,
  account: Account,
  options: AccountOptions,
): Promise<SessionMethod | null> => {
  const presented = presentedTokenHash(call, options)
  return asLookup(options.database, async (systemScope) => {
    const session = presented === null ? null : await sessionByHash(systemScope, presented)
    const isOwn = session?.userId === account.id && isSessionAlive(session, systemScope.now)
    return isOwn ? session.method : null
  })
}

const notLoggedIn = () => unauthorized('Log in as the invited user to accept')

const requireNameAndPassword = ({ body }: AcceptCall): { name: string; password: string } => {
  const { name, password } = body
  const issues: Issue[] = Object.entries({ name, password })
    .filter(([, value]) => value === undefined)
    .map(([field]) => ({ field, message: `${field} is required for a new account` }))
  throwIssues(issues)
  return { name: name as string, password: password as string }
}

const acceptMembership = (
  call: AcceptCall,
  acceptance: Acceptance,
  { database }: AccountOptions,
) => {
  const { organizationId, user } = acceptance
  return transact(
    database,
    { organizationId, actor: userActorOf(call, user.id) },
    async (scope) => {
      // Locked, so that the inviting user still holds the rights of the role.
      await lockRights(scope)
      const invitation = await lockUsableInvitation(scope, acceptance.tokenHash)
      if (invitation === null) throw unusableTokenError()
      const { id, name, slug, ssoEnforced, allowedEmailDomains } = await readOrganization(scope)
      validateDomain(user.email, allowedEmailDomains)
      if (await isMember(scope, user.email)) throw conflict('duplicate', 'Already a member')
      await storeAccount(scope, acceptance)
      const membershipId = newId()
      const { role } = invitation
      await insertMembership(scope, { id: membershipId, userId: user.id, role })
      await markInvitationAccepted(scope, invitation.id)
      const { token, events, changes } = await openSession(scope, call, acceptance, ssoEnforced)
      const identity = identityReplyOf(user, { id, name, slug }, role)
      const { id: userId, email } = user
      const member = { membershipId, userId, email, name: user.name, role }
      const outcome = membershipCreationOutcome(member, {
        invitationId: { to: invitation.id },
        ...changes,
      })
      return { ...outcome, result: { identity, token }, events: [...outcome.events, ...events] }
    },
  ).catch((error: unknown) => {
    throw violatedUniqueConstraint(error) === 'users_email_key'
      ? conflict('duplicate', 'Try again')
      : error
  })
}

/**
 * Begins a session; the token is null when the user has to log in through the identity provider.
 */
const openSession = async (
  scope: Scope,
  { actor }: AcceptCall,
  { user: { id: userId }, organizationId, opensSession }: Acceptance,
  ssoEnforced: boolean,
) => {
  if (!opensSession) return { token: null, events: [], changes: {} }
  const token = await beginSession(scope, { userId, actor })
  return { token, ...(await recordEmergencyLogin(scope, { organizationId, ssoEnforced }, actor)) }
}

const storeAccount = async (
  scope: Scope,
  { user, isStored, passwordHash }: Acceptance,
): Promise<void> => {
  const { id, email, name } = user
  // The token of the invitation arrived by mail, which verifies the address.
  if (passwordHash === null) await markEmailVerified(scope, id)
  else if (isStored) await reopenAccount(scope, { id, name, passwordHash })
  else await insertAccount(scope, { id, email, name, passwordHash, emailVerifiedAt: scope.now })
}
