/** Lookup of the DNS records of a custom domain at the request of a user. */
import {
  type CustomDomainCheck,
  conflict,
  notFound,
  type Outcome,
  type statusPageOperations as on,
} from '@status-page/contracts'
import type { AliasResolver } from '@status-page/outbound'
import type { Scope } from '@status-page/postgres'
import type { Call } from '@status-page/service'
import { updatePage } from './changes.ts'
import {
  claimDomain,
  type DomainDnsRecords,
  validateDomain,
  verificationToken,
} from './settings/custom-domain.ts'
import { checkedRecords, lookUpDnsRecords } from './settings/dns-records.ts'
import { applyDomainLookup } from './settings/rules.ts'
import * as store from './settings/store.ts'

export interface CustomDomainCheckDeps {
  baseUrl: string
  /** Host name of BASE_URL. */
  ownHost: string
  resolver: AliasResolver
}

/** The lookup is outside of the transaction, so that a slow DNS server holds no connection. */
export const checkCustomDomain = async (
  deps: CustomDomainCheckDeps,
  { params, read, change }: Call<typeof on.checkCustomDomain>,
): Promise<CustomDomainCheck> => {
  const [page] = await read((scope) => store.findPages(scope, [params.id]))
  if (page === undefined) throw notFound()
  const domain = page.customDomain
  if (domain === null) throw noDomainError()
  const records = await lookUpDnsRecords(deps.resolver, domain)
  return change((scope) => applyLookup(deps, scope, { id: page.id, domain, records }))
}

const noDomainError = () => conflict('invalid_state', 'The status page has no custom domain')

const applyLookup = async (
  deps: CustomDomainCheckDeps,
  scope: Scope,
  { id, domain, records }: { id: string; domain: string; records: DomainDnsRecords },
): Promise<Outcome<CustomDomainCheck>> => {
  const before = await store.lockPage(scope, id)
  if (before === undefined) throw notFound()
  if (before.customDomain !== domain) throw noDomainError()
  const token = verificationToken(before.organizationId, domain)
  const context = { now: scope.now, ownHost: deps.ownHost, token }
  const isFailed = before.customDomainStatus === 'failed'
  const claimed = isFailed ? claimDomain(before, domain, context) : before
  const row = applyDomainLookup(before, validateDomain(claimed, records, context), scope.now)
  return {
    result: {
      customDomainStatus: row.customDomainStatus,
      ...checkedRecords(domain, records, context),
    },
    ...(await updatePage(scope, { before, row }, deps)),
  }
}
