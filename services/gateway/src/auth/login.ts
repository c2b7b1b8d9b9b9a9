/** Login: counted before the password is looked at, and one 401 for whatever is wrong with it. */
import { AppError, type authOperations, type Identity, unauthorized } from '@status-page/contracts'
import { change, crossLookup, type Database } from '@status-page/postgres'
import { sha256 } from '@status-page/secrets'
import type { Call } from '@status-page/service'
import { attempt, FAILURE_WINDOW_MS, MAX_FAILURES } from './login-delay.ts'
import type { AuthOptions } from './routes.ts'
import { aboutAccount, identityOf } from './rules.ts'
import { asUser, beginSession, endEarlier, presentedHash } from './sessions.ts'
import * as store from './store.ts'

type LoginCall = Call<typeof authOperations.login>

const SECOND_MS = 1_000

export const login = async (call: LoginCall, options: AuthOptions): Promise<Identity> => {
  const { database } = options
  const email = call.body.email.toLowerCase()
  // Known or not: whether an address has an account shows neither here nor in the time it takes.
  const failureKey = sha256(email)
  await countAttempt(database, failureKey)
  const { account, membership } = await crossLookup(database, async (crossing) => {
    const account = await store.accountByEmail(crossing, email)
    const [membership] = account === null ? [] : await store.membershipsOf(crossing, account.id)
    return { account, membership }
  })
  const isRight = await options.passwords.matches(call.body.password, account?.passwordHash ?? null)
  if (account === null || membership === undefined || !isRight) {
    if (account !== null && membership !== undefined) {
      recordFailure(call, database, account, membership)
    }
    throw unauthorized('The e-mail address, password or code is wrong')
  }
  await endEarlier(account.id, presentedHash(call, options), options)
  await crossLookup(database, (crossing) => store.forgetFailures(crossing, failureKey))
  const { organizationId } = membership
  const token = await change(
    database,
    { organizationId, actor: asUser(call, account.id) },
    async (scope) => ({
      result: await beginSession(scope, account.id),
      events: [],
      audit: [aboutAccount('auth.login', account)],
    }),
  )
  call.setHeader('set-cookie', options.cookie.set(token))
  const { organizationName: name, slug, role } = membership
  return identityOf(account, { id: organizationId, name, slug }, role)
}

const countAttempt = async (database: Database, key: string): Promise<void> => {
  const judged = await crossLookup(database, async (crossing) => {
    const verdict = attempt(await store.lockFailures(crossing, key), crossing.now)
    if (verdict.allowed) await store.saveFailures(crossing, key, verdict.next)
    return verdict
  })
  if (!judged.allowed) throw tooManyFailures(judged.retryAfterMs)
}

const tooManyFailures = (retryAfterMs: number): AppError => {
  const retryAfter = Math.max(1, Math.ceil(retryAfterMs / SECOND_MS))
  return new AppError(
    'RATE_LIMIT_EXCEEDED',
    `Too many failed logins, retry in ${retryAfter} s`,
    {
      limit: MAX_FAILURES,
      window: `${FAILURE_WINDOW_MS / SECOND_MS}s`,
      retryAfter,
      bucket: 'account',
    },
    { 'retry-after': String(retryAfter) },
  )
}

/** Not awaited: the answer for a known account would take longer than that for an unknown one. */
const recordFailure = (
  call: LoginCall,
  database: Database,
  account: store.Account,
  { organizationId }: store.Membership,
): void => {
  const actor = { ...call.actor, type: 'user' as const }
  change(database, { organizationId, actor }, async () => ({
    result: null,
    events: [],
    audit: [aboutAccount('auth.login_failed', account)],
  })).catch((error: unknown) => call.log.error({ err: error }, 'failed login was not recorded'))
}
