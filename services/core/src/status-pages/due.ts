/** Looks for the CNAMEs of custom domains: every ten minutes while a page waits for its own, or has it. */
import { systemActor } from '@status-page/contracts'
import type { AliasResolver } from '@status-page/outbound'
import { change, crossDue, type Database, type DueWork } from '@status-page/postgres'
import { judgeDomain, LOOKUP_INTERVAL_MS } from './custom-domain.ts'
import { auditPage, settleDomain, statePage } from './rules.ts'
import { type DueDomain, leaseDomains, lockPage, savePage } from './store.ts'

const POLL_MS = 30_000
/** Looked for side by side; the others come in the next batch, at once. */
const BATCH = 32
const LOOKUP_TIMEOUT_MS = 2_000

interface DomainDeps {
  database: Database
  baseUrl: string
  /** The host of it. */
  ownHost: string
  resolver: AliasResolver
}

export const customDomainWork = (deps: DomainDeps): DueWork => ({
  name: 'custom-domains',
  intervalMs: POLL_MS,
  async run() {
    const due = await crossDue(deps.database, (crossing) => {
      const nextAt = new Date(crossing.now.getTime() + LOOKUP_INTERVAL_MS)
      return leaseDomains(crossing, { limit: BATCH, nextAt })
    })
    await Promise.all(due.map((domain) => lookFor(deps, domain)))
    return due.length
  },
})

const nothing = { result: undefined, events: [], audit: [] }

const lookFor = async (deps: DomainDeps, domain: DueDomain) => {
  const { database, baseUrl, ownHost, resolver } = deps
  const { id, organizationId, customDomain } = domain
  const alias = await resolver.resolveAlias(customDomain, LOOKUP_TIMEOUT_MS)
  await change(database, { organizationId, actor: systemActor }, async (scope) => {
    const before = await lockPage(scope, id)
    // Deleted, given up or given another name meanwhile.
    if (before?.customDomain !== customDomain || before.customDomainDueAt === null) return nothing
    const verdict = judgeDomain(before, alias, { now: scope.now, ownHost })
    const after = settleDomain(before, verdict, scope.now)
    if (after === before) return nothing
    await savePage(scope, after)
    if (after.version === before.version) return nothing
    return {
      result: undefined,
      events: [statePage('updated', after, baseUrl)],
      audit: [auditPage('update', before, after)],
    }
  })
}
