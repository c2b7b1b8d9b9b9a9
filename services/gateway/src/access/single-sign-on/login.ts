/**
 * Login by the response of an identity provider: a session, or one 401 for every failure. Log and
 * audit entry contain the reason.
 */
import { type AppError, samlOperations, unauthorized } from '@status-page/contracts'
import {
  asLookup,
  newId,
  read,
  type Scope,
  transact,
  violatedUniqueConstraint,
} from '@status-page/postgres'
import { hashToken, sha256 } from '@status-page/secrets'
import { type Call, type Metrics, textFormats } from '@status-page/service'
import { releaseAddress } from '../../identity/email-verification/release.ts'
import { type AssertionClaims, validateSamlResponse } from '../../identity/saml/rules.ts'
import { type Sandbox, UNKNOWN_ADDRESS } from '../../identity/saml/sandbox.ts'
import { serviceProviderUrls } from '../../identity/saml/service-provider.ts'
import * as store from '../../identity/saml/store.ts'
import type { SessionOptions } from '../../identity/sessions/sessions.ts'
import {
  beginSession,
  endReplacedSessions,
  presentedTokenHash,
  userActorOf,
} from '../../identity/sessions/sessions.ts'
import { markEmailVerified } from '../../identity/users/account-store.ts'
import { membershipCreationOutcome } from '../../identity/users/membership-rules.ts'
import { insertMembership } from '../../identity/users/membership-store.ts'
import { accountAudit } from '../../identity/users/rules.ts'
import { readOrganization } from '../organization/store.ts'
import { memberById } from '../rights/member-store.ts'
import { lockRights, roleByReference } from '../rights/role-store.ts'
import {
  admitSamlLogin,
  mayAuthenticateRole,
  type SamlAdmission,
  ssoFailureAudit,
} from './admission.ts'
import { readBrowserToken } from './browser-cookie.ts'

type ConsumeCall = Call<typeof samlOperations.consume>

export interface LoginOptions extends SessionOptions {
  sandbox: Sandbox
  baseUrl: string
  metrics: Pick<Metrics, 'countRefusal'>
}

export const MAX_MESSAGE_BYTES = 256 * 1024

/** Refused login; the reason goes to log and audit, never to the response. */
class LoginRefused extends Error {
  readonly reason: string

  constructor(reason: string) {
    super(reason)
    this.name = 'LoginRefused'
    this.reason = reason
  }
}

/** Returns the token of the new session. */
export const consumeSamlResponse = async (
  call: ConsumeCall,
  options: LoginOptions,
): Promise<string> => {
  const { database } = options
  const organization = await asLookup(database, (systemScope) =>
    store.organizationBySlug(systemScope, call.params.orgSlug),
  )
  const provider =
    organization === null
      ? null
      : await read(database, organization.id, store.providerOfOrganization)
  if (organization === null || !provider?.isEnabled) throw failedLogin()
  const target: SsoTarget = { organization, provider }
  try {
    const claims = await claimsOf(call, target, options)
    return await openSession(call, target, claims, options)
  } catch (error) {
    if (!(error instanceof LoginRefused)) throw error
    call.log.info({ reason: error.reason, organizationId: organization.id }, 'SSO login rejected')
    options.metrics.countRefusal({ operation: samlOperations.consume.id, reason: 'sso_login' })
    await transact(database, { organizationId: organization.id, actor: call.actor }, async () => ({
      result: null,
      events: [],
      audit: [ssoFailureAudit(provider.idpEntityId, error.reason)],
    }))
    throw failedLogin()
  }
}

const failedLogin = (): AppError => unauthorized('The login through the identity provider failed')

interface SsoTarget {
  organization: store.OrganizationName
  provider: store.ProviderRow
}

/**
 * Validates the message as the response to this browser's request, and consumes request and
 * assertion.
 */
const claimsOf = async (
  call: ConsumeCall,
  { organization, provider }: SsoTarget,
  { database, sandbox, baseUrl }: LoginOptions,
): Promise<AssertionClaims> => {
  const token = readBrowserToken(call.headers.cookie as string | undefined)
  const browserHash = token === null ? null : hashToken(token)
  const hasRequest =
    browserHash !== null &&
    (await read(database, organization.id, (scope) => store.hasOpenRequest(scope, browserHash)))
  // Checked before the message is parsed, so that messages without a request cost almost nothing.
  if (!hasRequest) throw new LoginRefused('no_request')
  const { certificates, idpEntityId, attributeMapping } = provider
  const text = decodeMessage(call.body.SAMLResponse ?? '')
  const task = { kind: 'response' as const, text, certificates }
  const inspected = await sandbox.inspect<'response'>(task, call.actor.ipAddress ?? UNKNOWN_ADDRESS)
  if (!inspected.ok) throw new LoginRefused(inspected.reason)
  const addresses = serviceProviderUrls(baseUrl, organization.slug)
  return transact(
    database,
    { organizationId: organization.id, actor: call.actor },
    async (scope) => {
      const expected = { ...addresses, idpEntityId, attributeMapping, now: scope.now }
      const verdict = validateSamlResponse(inspected.value, expected)
      if (!verdict.ok) throw new LoginRefused(verdict.reason)
      const { claims } = verdict
      if (!(await store.consumeRequest(scope, { id: claims.requestId, browserHash }))) {
        throw new LoginRefused('unknown_request')
      }
      const { expiresAt } = claims
      if (
        !(await store.recordAssertion(scope, { idHash: sha256(claims.assertionId), expiresAt }))
      ) {
        throw new LoginRefused('replayed')
      }
      return { result: claims }
    },
  )
}

const base64 = /^[A-Za-z0-9+/\s]+={0,2}\s*$/

const decodeMessage = (base64Text: string): string => {
  if (!base64.test(base64Text)) throw new LoginRefused('encoding')
  const bytes = Buffer.from(base64Text, 'base64')
  if (bytes.length > MAX_MESSAGE_BYTES) throw new LoginRefused('size')
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new LoginRefused('encoding')
  }
}

interface SsoUser extends store.SamlUser {
  /** Kind of a first login; null for an identity that the provider has authenticated before. */
  admission: SamlAdmission | null
  /** Unverified account that loses the address; null when there is none. */
  claimedFrom: string | null
}

const openSession = async (
  call: ConsumeCall,
  target: SsoTarget,
  claims: AssertionClaims,
  options: LoginOptions,
): Promise<string> => {
  const { database } = options
  const organizationId = target.organization.id
  const user = await resolveUser(target, claims, options)
  const actor = userActorOf(call, user.id)
  const { claimedFrom } = user
  if (claimedFrom !== null && !(await releaseAddress(database, claimedFrom, call.actor))) {
    throw new LoginRefused('foreign_account')
  }
  const token = await transact(database, { organizationId, actor }, async (scope) => {
    const outcome = await storeUser(scope, target, claims, user)
    await store.markSsoLogin(scope, user.id)
    const token = await beginSession(scope, { userId: user.id, actor, method: 'sso' })
    return {
      result: token,
      events: outcome.events,
      audit: [...outcome.audit, accountAudit('auth.sso_login', user)],
    }
  }).catch((error: unknown) => {
    // Two concurrent first logins: the second fails, and a retry finds the member created by the
    // first.
    throw violatedUniqueConstraint(error) === null ? error : new LoginRefused('concurrent')
  })
  await endReplacedSessions(user.id, presentedTokenHash(call, options), options)
  return token
}

const resolveUser = async (
  { organization, provider }: SsoTarget,
  claims: AssertionClaims,
  { database }: LoginOptions,
): Promise<SsoUser> => {
  const { idpEntityId } = provider
  const known = await read(database, organization.id, (scope) =>
    store.userByNameId(scope, { idpEntityId, nameId: claims.nameId }),
  )
  if (known !== null) return { ...known, admission: null, claimedFrom: null }
  const email = claims.email === null ? null : mailboxOf(claims.email)
  if (email === null) throw new LoginRefused('mail')
  const domain = email.slice(email.lastIndexOf('@') + 1)
  const policies = await read(database, organization.id, async (scope) => ({
    isDomainVerified: await store.isDomainVerified(scope, domain),
    allowedEmailDomains: (await readOrganization(scope)).allowedEmailDomains,
  }))
  const account = await asLookup(database, (systemScope) => store.userByEmail(systemScope, email))
  const organizationIds = account?.organizationIds ?? null
  const organizationId = organization.id
  const isVerified = account?.isVerified ?? false
  const verdict = admitSamlLogin({
    ...policies,
    organizationId,
    domain,
    organizationIds,
    isVerified,
  })
  if (!verdict.ok) throw new LoginRefused(verdict.reason)
  const { admission } = verdict
  const isOwn = account !== null && admission !== 'claimed_address'
  if (isOwn) return { ...account, admission, claimedFrom: null }
  const person = { id: newId(), email, name: nameOf(claims, email) }
  return { ...person, admission, claimedFrom: account?.id ?? null }
}

const mailboxOf = (text: string): string | null => textFormats.mailbox?.canonical?.(text) ?? null

const MAX_NAME_LENGTH = 100

/**
 * Name of a new user in the form of the contract; the local part of the address without a valid
 * one.
 */
const nameOf = ({ name }: AssertionClaims, email: string): string => {
  const format = textFormats['one-line']
  const text = name === null ? null : (format?.canonical?.(name) ?? name)
  const isName = text !== null && text !== '' && format?.accepts(text)
  return isName ? [...text].slice(0, MAX_NAME_LENGTH).join('') : email.slice(0, email.indexOf('@'))
}

/**
 * Creates account, membership and identity of a first login; for any login, checks that the
 * provider may authenticate the member's role.
 */
const storeUser = async (
  scope: Scope,
  { provider }: SsoTarget,
  { nameId }: AssertionClaims,
  { admission, claimedFrom: _, ...person }: SsoUser,
): Promise<ReturnType<typeof membershipCreationOutcome>> => {
  const { idpEntityId, defaultRole } = provider
  const userId = person.id
  await lockRights(scope)
  const isNewAccount = admission === 'new_account' || admission === 'claimed_address'
  if (isNewAccount) await store.insertUser(scope, person)
  if (admission === 'new_member') await store.removePassword(scope, userId)
  // The organization has verified the domain, so its provider proves the address.
  if (admission !== null) await markEmailVerified(scope, userId)
  const outcome =
    isNewAccount || admission === 'new_member'
      ? await join(scope, person, defaultRole)
      : { events: [], audit: [] }
  const member = await memberById(scope, userId)
  if (member === null || !mayAuthenticateRole(provider, member.role)) throw new LoginRefused('role')
  if (admission !== null) await store.insertIdentity(scope, { idpEntityId, nameId, userId })
  return outcome
}

const join = async (scope: Scope, person: store.SamlUser, role: string) => {
  if ((await roleByReference(scope, role)) === null) throw new LoginRefused('role')
  const membershipId = newId()
  const { id: userId, email, name } = person
  await insertMembership(scope, { id: membershipId, userId, role })
  return membershipCreationOutcome({ membershipId, userId, email, name, role })
}
