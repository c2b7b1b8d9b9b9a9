/** Accounts and sessions over HTTP: register, login, logout, me. */
import { authOperations, success } from '@status-page/contracts'
import { type Route, route } from '@status-page/service'
import { login } from './login.ts'
import { me } from './me.ts'
import type { Passwords } from './passwords.ts'
import { register } from './register.ts'
import { endSession, type SessionOptions } from './sessions.ts'

export interface AuthOptions extends SessionOptions {
  passwords: Passwords
  isRegistrationOpen: boolean
}

export const authRoutes = (options: AuthOptions): Route[] =>
  route(authOperations, {
    register: (call) => register(call, options),
    login: (call) => login(call, options),
    async logout(call) {
      await endSession(call, options)
      call.setHeader('set-cookie', options.cookie.clear())
      call.setHeader('clear-site-data', '"cookies", "storage"')
      return success
    },
    me: (call) => me(call, options.database),
  })
