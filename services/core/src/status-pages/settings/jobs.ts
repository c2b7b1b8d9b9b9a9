/**
 * Job that looks up the CNAME and TXT records of pending and active custom domains every ten
 * minutes.
 */
import { AppError, systemActor } from '@status-page/contracts'
import type { AliasResolver } from '@status-page/outbound'
import { asWorker, type Database, hasDueRow, type Job, transact } from '@status-page/postgres'
import {
  type DomainDnsRecords,
  LOOKUP_INTERVAL_MS,
  validateDomain,
  verificationToken,
} from './custom-domain.ts'
import { lookUpDnsRecords } from './dns-records.ts'
import { applyDomainLookup, auditPage, pageEvent } from './rules.ts'
import { type DueDomain, leaseDueDomains, lockPage, savePage } from './store.ts'

const POLL_MS = 30_000
/** Lookups in parallel; further domains follow in the next batch. */
const BATCH = 32

interface DomainDeps {
  database: Database
  baseUrl: string
  /** Host name of BASE_URL. */
  ownHost: string
  resolver: AliasResolver
}

export const customDomainJob = (deps: DomainDeps): Job => ({
  name: 'custom-domains',
  intervalMs: POLL_MS,
  due: hasDueRow('status_pages', 'custom_domain_due_at'),
  async run() {
    const due = await asWorker(deps.database, (systemScope) => {
      const nextAt = new Date(systemScope.now.getTime() + LOOKUP_INTERVAL_MS)
      return leaseDueDomains(systemScope, { limit: BATCH, nextAt })
    })
    const results = await Promise.allSettled(due.map((domain) => lookUpDomain(deps, domain)))
    const failed = results.find(({ status }) => status === 'rejected')
    if (failed !== undefined) throw (failed as PromiseRejectedResult).reason
    return due.length
  },
})

const withoutEvents = { result: undefined }

const lookUpDomain = async (deps: DomainDeps, domain: DueDomain) => {
  const records = await lookUpDnsRecords(deps.resolver, domain.customDomain)
  await settle(deps, domain, records).catch((error: unknown) => {
    if (!(error instanceof AppError && error.code === 'CONFLICT')) throw error
    // While another page is active on the domain, this claim counts as unverified.
    return settle(deps, domain, noRecords)
  })
}

const noRecords: DomainDnsRecords = {
  alias: { isAnswered: true, target: null },
  text: { isAnswered: true, texts: [] },
}

const settle = (deps: DomainDeps, domain: DueDomain, records: DomainDnsRecords) => {
  const { database, baseUrl, ownHost } = deps
  const { id, organizationId, customDomain } = domain
  return transact(database, { organizationId, actor: systemActor }, async (scope) => {
    const before = await lockPage(scope, id)
    // The page was deleted, or its domain given up or changed, in the meantime.
    if (before?.customDomain !== customDomain || before.customDomainDueAt === null)
      return withoutEvents
    const token = verificationToken(organizationId, customDomain)
    const verdict = validateDomain(before, records, { now: scope.now, ownHost, token })
    const after = applyDomainLookup(before, verdict, scope.now)
    if (after === before) return withoutEvents
    await savePage(scope, after)
    if (after.version === before.version) return withoutEvents
    return {
      result: undefined,
      events: [pageEvent('updated', after, baseUrl)],
      audit: [auditPage('update', before, after)],
    }
  })
}
