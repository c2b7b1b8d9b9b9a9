/** Whether people can log in through the organization's identity provider, the one fact that policies ask. */
import type { Scope } from '@status-page/postgres'

/** No organization has a provider until SAML settings exist. */
export const hasEnabledProvider = async (_scope: Scope): Promise<boolean> => false
