/** Login: one 401 for whatever is wrong, and no session before password and code are both right. */
import {
  type AppError,
  type authOperations,
  type Identity,
  type twoFactorOperations,
  unauthorized,
} from '@status-page/contracts'
import type { SystemScope } from '@status-page/postgres'
import type { Call } from '@status-page/service'
import { doorOf, emergencyOf } from '../saml/enforcement.ts'
import { validateCode } from '../two-factor/code.ts'
import {
  type CodeRefusal,
  changeOrRefuse,
  codeRequired,
  refusalOf,
  refuse,
} from '../two-factor/refusal.ts'
import { type Account, lockAccount, markLogin } from './account-store.ts'
import { type AccountOptions, type Proven, provePassword, recordFailure } from './proof.ts'
import { aboutAccount, identityOf } from './rules.ts'
import {
  asUser,
  forgetEnded,
  keptBeside,
  presentedHash,
  type Renewed,
  renewSession,
} from './sessions.ts'
import type { Membership } from './store.ts'

type LoginCall = Call<typeof authOperations.login>

export const login = async (call: LoginCall, options: AccountOptions): Promise<Identity> => {
  const email = call.body.email.toLowerCase()
  const proven = await provePassword(call, { email, password: call.body.password }, options)
  const membership = proven === null ? null : openDoor(call, proven, options)
  if (proven === null || membership === null) throw wrongLogin()
  const { account, token, ended } = await enter(call, { ...proven, membership }, options)
  call.addCookie(options.cookie.set(token))
  if (options.device.read(call.headers.cookie as string | undefined, email) === null) {
    call.addCookie(options.device.set(email))
  }
  await forgetEnded(ended, options)
  const { organizationId: id, organizationName: name, slug, role } = membership
  return identityOf(account, { id, name, slug }, role)
}

export const checkTwoFactor = async (
  call: Call<typeof twoFactorOperations.check>,
  options: AccountOptions,
): Promise<{ twoFactorRequired: boolean }> => {
  const { email, password } = call.body
  const proven = await provePassword(call, { email: email.toLowerCase(), password }, options)
  if (proven === null || openDoor(call, proven, options) === null) throw wrongLogin()
  return { twoFactorRequired: proven.account.twoFactorEnabled }
}

/** Where every organization of the account asks for its provider, a right password is a wrong login. */
const openDoor = (call: Call, proven: Proven, { database }: AccountOptions): Membership | null => {
  const door = doorOf(proven.memberships, proven.account)
  if (door === null) recordFailure(call, database, proven)
  return door
}

/** The code is used up, the old sessions end and the new one begins in one commit. */
const enter = async (
  call: LoginCall,
  proven: Proven,
  options: AccountOptions,
): Promise<Renewed & { account: Account }> => {
  const { membership } = proven
  const { organizationId } = membership
  const actor = asUser(call, proven.account.id)
  return changeOrRefuse(options.database, { organizationId, actor }, async (systemScope) => {
    const account = await lockAccount(systemScope, proven.account.id)
    // A password that was changed while it was compared opens nothing any more.
    const isProven = account?.passwordHash === proven.account.passwordHash
    if (account === null || !isProven || doorOf([membership], account) === null) {
      return refuse(wrongLogin())
    }
    const refused = await refusedCode(systemScope, call, account, options)
    if (refused !== null) return refused
    await markLogin(systemScope, account.id)
    const renewed = await renewSession(systemScope, {
      userId: account.id,
      organizationId,
      presented: presentedHash(call, options),
      actor,
      method: 'password' as const,
      keep: keptBeside.login,
    })
    const { events, changes } = await emergencyOf(systemScope, membership, actor)
    const audit = [{ ...aboutAccount('auth.login', account), changes }]
    return { result: { ...renewed, account }, audit, events }
  })
}

const refusedCode = async (
  systemScope: SystemScope,
  { body, actor, log }: LoginCall,
  account: Account,
  { sealer }: AccountOptions,
): Promise<CodeRefusal | null> => {
  const asked = { userId: account.id, code: body.code }
  const verdict = await validateCode(systemScope, asked, { sealer, log })
  if (verdict.outcome === 'missing') return refuse(codeRequired())
  return refusalOf(verdict, { account, actor, now: systemScope.now, wrong: wrongLogin })
}

const wrongLogin = (): AppError => unauthorized('The e-mail address, password or code is incorrect')
