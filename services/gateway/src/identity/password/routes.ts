/** Passwords over HTTP: change with the current password, or reset by mail. */
import { passwordOperations, successReply } from '@status-page/contracts'
import { type Call, createRoutes, type Route } from '@status-page/service'
import { changeCredential, verifySessionUser } from '../login/credential-change.ts'
import type { AccountOptions } from '../sessions/verify-password.ts'
import { setPassword } from '../users/account-store.ts'
import { validatePassword } from '../users/rules.ts'
import { requestPasswordReset, resetPassword } from './reset.ts'
import { deleteResets } from './store.ts'

export const passwordRoutes = (options: AccountOptions): Route[] =>
  createRoutes(passwordOperations, {
    change: (call) => changePassword(call, options),
    forgot: (call) => requestPasswordReset(call, options),
    reset: (call) => resetPassword(call, options),
  })

const changePassword = async (
  call: Call<typeof passwordOperations.change>,
  options: AccountOptions,
): Promise<typeof successReply> => {
  const { currentPassword: password, newPassword } = call.body
  const { account } = await verifySessionUser(call, { password, field: 'currentPassword' }, options)
  const isCommon = await options.isCommon(newPassword)
  validatePassword({ email: account.email, password: newPassword, isCommon }, 'newPassword')
  const passwordHash = await options.passwords.hash(newPassword)
  await changeCredential(
    call,
    async (systemScope, { id }) => {
      await setPassword(systemScope, id, passwordHash)
      await deleteResets(systemScope, id)
      return { result: null, action: 'auth.password_change' }
    },
    options,
  )
  return successReply
}
