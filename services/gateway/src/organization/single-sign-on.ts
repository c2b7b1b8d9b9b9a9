/** Whether people can log in through the organization's identity provider, the one fact that policies ask. */
import type { Scope } from '@status-page/postgres'
import { providerOf } from '../saml/store.ts'

export const hasEnabledProvider = async (scope: Scope): Promise<boolean> =>
  (await providerOf(scope))?.isEnabled === true
