/**
 * Password check of a page. Attempts are counted per page, because an attacker may use many
 * addresses.
 */
import { AppError, notFound, unauthorized } from '@status-page/contracts'
import { write } from '@status-page/postgres'
import type { Passwords } from '@status-page/secrets'
import { isOnCustomDomain } from '../settings/links.ts'
import { findPage, type PageAccessDeps, type PageAccessRequest } from './page-access.ts'
import { countPasswordAttempt, removePasswordAttempt } from './store.ts'

/** Limits correct passwords too; visitors who are already admitted have the cookie. */
const MAX_FAILURES = 100
const WINDOW_MS = 15 * 60_000
const SECOND_MS = 1_000

export interface PasswordAccessDeps extends PageAccessDeps {
  passwords: Passwords
}

/** Checks the password and returns the cookies that admit the visitor. */
export const grantPageAccess = async (
  deps: PasswordAccessDeps,
  call: PageAccessRequest & { body: { password: string } },
): Promise<string[]> => {
  const { slug } = call.params
  const { page, now } = await findPage(deps, slug)
  if (page?.visibility !== 'password') throw notFound()
  const waitMs = await write(deps.database, page, async (scope) => {
    const { attempts, windowStartedAt } = await countPasswordAttempt(scope, page.id, WINDOW_MS)
    if (attempts <= MAX_FAILURES) return null
    return windowStartedAt.getTime() + WINDOW_MS - scope.now.getTime()
  })
  if (waitMs !== null) throw tooManyFailures(waitMs)
  const isCorrect = await deps.passwords.matches(call.body.password, page.passwordHash)
  if (!isCorrect) throw unauthorized('The password is incorrect')
  await write(deps.database, page, (scope) => removePasswordAttempt(scope, page.id))
  return deps.cookie.set(page, now, { slug, isOwnDomain: isOnCustomDomain(call.headers) })
}

const tooManyFailures = (waitMs: number): AppError => {
  const retryAfter = Math.max(1, Math.ceil(waitMs / SECOND_MS))
  const details = {
    limit: MAX_FAILURES,
    window: `${WINDOW_MS / SECOND_MS}s`,
    retryAfter,
    bucket: 'page access',
  }
  const message = `Too many incorrect passwords for this page, retry in ${retryAfter} s`
  return new AppError('RATE_LIMIT_EXCEEDED', message, details, {
    'retry-after': String(retryAfter),
  })
}
