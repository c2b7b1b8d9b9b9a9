/** Dependencies of the account pages. */
import type { Client } from '@status-page/service'
import type { AuthOptions } from '../identity/account/register.ts'
import type { SetupLink } from '../identity/setup/setup-link.ts'
import type { PendingLogin } from './pending-login.ts'

export interface AccountPageDeps {
  baseUrl: string
  account: AuthOptions
  setupLink: SetupLink
  pendingLogin: PendingLogin
  /** Null where no core is configured. */
  core: Client | null
  /** Drops the cached pages of the organization. */
  purgePages(organizationId: string): void
  /** `sign-in`, `pages`, or the slug of a status page. */
  rootPage: string
  /** Path that follows a login; of the dashboard, if this gateway serves it. */
  homePath: string
  /** Path that follows the creation of an account with an organization. */
  firstPath: string
}
