/** Routes of the account pages. */
import { accountPageOperations } from '@status-page/contracts'
import { createRoutes, type Route } from '@status-page/service'
import { alertAndDraftHandlers } from './alerts-and-drafts.ts'
import type { AccountPageDeps } from './deps.ts'
import { homeHandlers } from './home.ts'
import { invitationHandlers } from './invitation.ts'
import { newPageHandlers } from './new-page.ts'
import { pageOverviewHandlers } from './page-overview.ts'
import { passwordHandlers } from './password.ts'
import { registrationHandlers } from './registration.ts'
import { setupHandlers } from './setup.ts'
import { signInHandlers } from './sign-in.ts'
import { ssoHandlers } from './sso.ts'
import { twoFactorHandlers } from './two-factor.ts'
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
    ...ssoHandlers(deps),
    ...twoFactorHandlers(deps),
    ...newPageHandlers(deps),
    ...pageOverviewHandlers(deps),
    ...alertAndDraftHandlers(deps),
  })
