/** Confirmation of an e-mail address by its owner, in a session of the account. */
import { type accountPageOperations, emailOperations } from '@status-page/contracts'
import { fillPlaceholders, html } from '@status-page/html'
import { asLookup } from '@status-page/postgres'
import { hashToken } from '@status-page/secrets'
import type { Call, Handlers, RawReply } from '@status-page/service'
import { resendVerification, verify } from '../identity/email-verification/routes.ts'
import { isVerification } from '../identity/email-verification/store.ts'
import { accountById } from '../identity/users/account-store.ts'
import { apiCallOf } from './api-call.ts'
import type { AccountPageDeps } from './deps.ts'
import {
  accountPage,
  basePathOf,
  invalidLinkPage,
  isolated,
  isTokenRefusal,
  redirectBelow,
} from './document.ts'
import { ACCOUNT_PATH, pathWithNext, visitorOf } from './visitor.ts'

type Ops = typeof accountPageOperations
type Verification = Pick<
  Handlers<Ops>,
  'confirmEmail' | 'submitConfirmEmail' | 'resendVerification'
>

const verifyCall = apiCallOf(emailOperations.verify)
const pathOf = (token: string) => `/confirm-email/${encodeURIComponent(token)}`

export const verificationHandlers = (deps: AccountPageDeps): Verification => ({
  confirmEmail: (call) => confirmPage(deps, call),

  async resendVerification(call) {
    if (!visitorOf(deps, call).isSignedIn) return redirectBelow(deps.baseUrl, '/sign-in')
    await resendVerification(call as never, deps.account)
    return redirectBelow(deps.baseUrl, `${ACCOUNT_PATH}?notice=sent`)
  },

  async submitConfirmEmail(call) {
    const visitor = visitorOf(deps, call)
    const { token } = call.params
    if (!visitor.isSignedIn) return toLogin(deps, token)
    try {
      await verify(verifyCall(call, { token }), deps.account)
    } catch (error) {
      if (isTokenRefusal(error)) return invalidLinkPage(visitor)
      throw error
    }
    return redirectBelow(deps.baseUrl, `${ACCOUNT_PATH}?notice=email`)
  },
})

const confirmPage = async (
  deps: AccountPageDeps,
  call: Call<Ops['confirmEmail']>,
): Promise<RawReply> => {
  const visitor = visitorOf(deps, call)
  const { token } = call.params
  const { userId } = call.actor
  if (userId === null) return toLogin(deps, token)
  const account = await asLookup(deps.account.database, async (systemScope) =>
    (await isVerification(systemScope, { userId, tokenHash: hashToken(token) }))
      ? accountById(systemScope, userId)
      : null,
  )
  if (account === null) return invalidLinkPage(visitor)
  const { title, intro, submit } = visitor.texts.verify
  return accountPage(visitor, {
    title,
    content: html`<p class="q">${fillPlaceholders(intro, isolated(account.email))}</p>
<form method="post" action="${basePathOf(deps.baseUrl)}${pathOf(token)}"><button class="b">${submit}</button></form>`,
  })
}

const toLogin = ({ baseUrl }: AccountPageDeps, token: string): RawReply =>
  redirectBelow(baseUrl, pathWithNext('/sign-in', pathOf(token)))
