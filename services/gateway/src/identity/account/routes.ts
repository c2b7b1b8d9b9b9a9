/** Accounts and sessions over HTTP: register, login, logout, me. */
import { authOperations, successReply } from '@status-page/contracts'
import { createRoutes, type Route } from '@status-page/service'
import { login, logout } from '../login/login.ts'
import { getMe } from './me.ts'
import { type AuthOptions, register } from './register.ts'
import { updateAccount } from './update-account.ts'

export const authRoutes = (options: AuthOptions): Route[] =>
  createRoutes(authOperations, {
    register: (call) => register(call, options),
    login: (call) => login(call, options),
    async logout(call) {
      await logout(call, options)
      return successReply
    },
    me: (call) => getMe(call, options),
    async updateMe(call) {
      await updateAccount(call, options)
      return successReply
    },
  })
