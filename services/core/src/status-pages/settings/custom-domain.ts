/**
 * State of a custom domain: claimed, verified, lost. Pure. A page is served on its domain when the
 * CNAME record points to this service and the TXT record has the organization's token; the CNAME
 * alone proves nothing, since all tenants share the target. A failed lookup changes nothing.
 */
import { invalid } from '@status-page/contracts'
import type { CnameLookupResult, TextLookupResult } from '@status-page/outbound'
import { sha256 } from '@status-page/secrets'
import type { StatusPageRow } from '../../tables.ts'
import { DOMAIN_TAKEN, TakenError } from './duplicates.ts'

const MINUTE_MS = 60_000
export const LOOKUP_INTERVAL_MS = 10 * MINUTE_MS
/** Time to publish the records of a pending domain, or to restore those of an active one. */
export const VERIFICATION_TIMEOUT_MS = 72 * 60 * MINUTE_MS

export const verificationRecordName = (domain: string): string => `_status-page.${domain}`

/**
 * Value of the TXT record, by organization and domain. Not a secret: it proves that the domain's
 * owner published a record for this organization, and is useless to others.
 */
export const verificationToken = (organizationId: string, domain: string): string =>
  sha256(JSON.stringify(['custom-domain', organizationId, domain]))

/** DNS records of a domain from one round of lookups. */
export interface DomainDnsRecords {
  alias: CnameLookupResult
  text: TextLookupResult
}

export const domainTakenError = () => new TakenError('customDomain', DOMAIN_TAKEN)

export type DomainState = Pick<
  StatusPageRow,
  'customDomain' | 'customDomainStatus' | 'customDomainMissingSince' | 'customDomainDueAt'
>

export const noDomain: DomainState = {
  customDomain: null,
  customDomainStatus: 'none',
  customDomainMissingSince: null,
  customDomainDueAt: null,
}

/**
 * Claims the domain of a request. `given` undefined leaves it unchanged; the same name again
 * repeats the lookup at once.
 */
export const claimDomain = (
  state: DomainState,
  given: string | null | undefined,
  { now, ownHost }: { now: Date; ownHost: string },
): DomainState => {
  if (given === undefined) return pick(state)
  if (given === null) return noDomain
  if (given === ownHost || given.endsWith(`.${ownHost}`)) {
    const message = 'customDomain must not be a name of this installation'
    throw invalid({ field: 'customDomain', message })
  }
  const isActive = given === state.customDomain && state.customDomainStatus === 'active'
  if (isActive) return { ...pick(state), customDomainDueAt: now }
  return {
    customDomain: given,
    customDomainStatus: 'pending',
    customDomainMissingSince: now,
    customDomainDueAt: now,
  }
}

/** True when one of the TXT records has the token of the organization. */
export const isProvedBy = (text: TextLookupResult, token: string): boolean =>
  text.isAnswered && text.texts.some((record) => record.trim() === token)

/** Result of a DNS lookup for a pending or active domain. */
export const validateDomain = (
  state: DomainState,
  { alias, text }: DomainDnsRecords,
  { now, ownHost, token }: { now: Date; ownHost: string; token: string },
): DomainState => {
  const next = { ...pick(state), customDomainDueAt: new Date(now.getTime() + LOOKUP_INTERVAL_MS) }
  const isOurs = alias.isAnswered && alias.target === ownHost
  const isProved = isProvedBy(text, token)
  if (isOurs && isProved) {
    return { ...next, customDomainStatus: 'active', customDomainMissingSince: null }
  }
  const isMissing = (alias.isAnswered && !isOurs) || (text.isAnswered && !isProved)
  const since = state.customDomainMissingSince ?? (isMissing ? now : null)
  const isGivenUp = since !== null && now.getTime() - since.getTime() >= VERIFICATION_TIMEOUT_MS
  if (!isGivenUp) return { ...next, customDomainMissingSince: since }
  return {
    ...next,
    customDomainStatus: 'failed',
    customDomainMissingSince: null,
    customDomainDueAt: null,
  }
}

const pick = (state: DomainState): DomainState => ({
  customDomain: state.customDomain,
  customDomainStatus: state.customDomainStatus,
  customDomainMissingSince: state.customDomainMissingSince,
  customDomainDueAt: state.customDomainDueAt,
})
