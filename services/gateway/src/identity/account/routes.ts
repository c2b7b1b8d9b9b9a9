/** Accounts and sessions over HTTP: register, login, logout, me. */
import { authOperations, successReply } from '@status-page/contracts'
import { createRoutes, type Route } from '@status-page/service'
import { login } from '../login/login.ts'
import { endSession } from '../sessions/sessions.ts'
import { getMe } from './me.ts'
import { type AuthOptions, register } from './register.ts'

export const authRoutes = (options: AuthOptions): Route[] =>
  createRoutes(authOperations, {
    register: (call) => register(call, options),
    login: (call) => login(call, options),
    async logout(call) {
      await endSession(call, options)
      call.addCookie(options.cookie.clear())
      // The value "cookies" would also delete the device cookie and cookies of sibling hosts.
      call.setHeader('clear-site-data', '"cache", "storage"')
      return successReply
    },
    me: (call) => getMe(call, options),
  })
