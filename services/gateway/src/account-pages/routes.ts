/** Routes of the account pages. */
import { accountPageOperations } from '@status-page/contracts'
import { createRoutes, type Route } from '@status-page/service'
import type { AccountPageDeps } from './deps.ts'
import { homeHandlers } from './home.ts'
import { invitationHandlers } from './invitation.ts'
import { passwordHandlers } from './password.ts'
import { registrationHandlers } from './registration.ts'
import { setupHandlers } from './setup.ts'
import { signInHandlers } from './sign-in.ts'
import { verificationHandlers } from './verification.ts'

export const accountPageRoutes = (deps: AccountPageDeps): Route[] =>
  createRoutes(accountPageOperations, {
    ...homeHandlers(deps),
    ...setupHandlers(deps),
    ...signInHandlers(deps),
    ...registrationHandlers(deps),
    ...invitationHandlers(deps),
    ...passwordHandlers(deps),
    ...verificationHandlers(deps),
  })
