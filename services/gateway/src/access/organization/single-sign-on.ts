/** State of single sign-on for the policies of the organization. */
import type { Scope } from '@status-page/postgres'
import { providerOfOrganization } from '../../identity/saml/store.ts'

export const hasEnabledProvider = async (scope: Scope): Promise<boolean> =>
  (await providerOfOrganization(scope))?.isEnabled === true
