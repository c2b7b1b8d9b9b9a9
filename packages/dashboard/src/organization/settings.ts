/** Settings of an organization as values of a form. */
import type { OrganizationData } from './queries.ts'

export const limitNames = [
  'perChannel',
  'perSubscriber',
  'webhookPerSubscriber',
  'webhookPerOrganization',
] as const
export type LimitName = (typeof limitNames)[number]

export interface OrganizationValues extends Record<LimitName, string> {
  name: string
  require2FA: boolean
  ssoEnforced: boolean
  /** Domains, one per line. */
  domains: string
}

export const valuesOf = (organization: OrganizationData): OrganizationValues => {
  const { name, require2FA, ssoEnforced, allowedEmailDomains, notificationLimits } = organization
  const limits = limitNames.map((limit) => [limit, String(notificationLimits[limit])])
  const domains = allowedEmailDomains.join('\n')
  return {
    name,
    require2FA,
    ssoEnforced,
    domains,
    ...(Object.fromEntries(limits) as Record<LimitName, string>),
  }
}

/** Domains of the text, each once. */
export const domainsOf = (text: string): string[] => [
  ...new Set(text.split(/[\s,;]+/).filter((line) => line !== '')),
]

/** Body of the request with the changed values only. */
export const patchOf = (changes: Partial<OrganizationValues>) => {
  const { name, require2FA, ssoEnforced, domains } = changes
  const limits = limitNames.flatMap((limit) => {
    const value = changes[limit]
    return value === undefined ? [] : [[limit, Number(value)]]
  })
  return {
    ...(name !== undefined && { name }),
    ...(require2FA !== undefined && { require2FA }),
    ...(ssoEnforced !== undefined && { ssoEnforced }),
    ...(domains !== undefined && { allowedEmailDomains: domainsOf(domains) }),
    ...(limits.length > 0 && { notificationLimits: Object.fromEntries(limits) }),
  }
}
