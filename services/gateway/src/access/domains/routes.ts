/** Domains over HTTP: claim, verification by a TXT record, and removal. */
import {
  domainOperations,
  listReply,
  notFound,
  orNotFound,
  successReply,
} from '@status-page/contracts'
import type { TextResolver } from '@status-page/outbound'
import { violatedUniqueConstraint } from '@status-page/postgres'
import { randomToken } from '@status-page/secrets'
import { createRoutes, type Route } from '@status-page/service'
import {
  domainAlreadyListed,
  domainAudit,
  domainNotVerified,
  domainReplyOf,
  domainVerifiedElsewhere,
  hasVerificationRecord,
  txtRecordNameOf,
  txtRecordValueOf,
} from './rules.ts'
import * as store from './store.ts'

/** Unique key of the verified domains of all organizations. */
const VERIFIED_KEY = 'domains_verified_key'
const LOOKUP_TIMEOUT_MS = 5_000

export const domainRoutes = ({ resolver }: { resolver: TextResolver }): Route[] =>
  createRoutes(domainOperations, {
    async list(call) {
      const { rows, total } = await call.read((scope) => store.listDomains(scope, call.query))
      return listReply(call.query, total, rows.map(domainReplyOf))
    },

    create: (call) =>
      call.change(async (scope) => {
        const { domain } = call.body
        const row = await store.insertDomain(scope, {
          domain,
          txtValue: txtRecordValueOf(randomToken()),
        })
        if (row === null) throw domainAlreadyListed()
        const audit = [domainAudit('domain.create', row, { domain: { to: domain } })]
        return { result: domainReplyOf(row), events: [], audit }
      }),

    async verify(call) {
      const domain = call.params.domain.toLowerCase()
      const row = orNotFound(await call.read((scope) => store.domainByName(scope, domain)))
      if (row.verifiedAt !== null) return domainReplyOf(row)
      const records = await resolver.resolveText(txtRecordNameOf(domain), LOOKUP_TIMEOUT_MS)
      if (!hasVerificationRecord(records, row)) throw domainNotVerified(row)
      return call
        .change(async (scope) => {
          const verified = await store.setVerified(scope, domain)
          // The domain was removed during the DNS lookup.
          if (verified === null) throw notFound()
          const changes = { status: { from: 'pending', to: 'verified' } }
          const audit = [domainAudit('domain.update', verified, changes)]
          return { result: domainReplyOf(verified), events: [], audit }
        })
        .catch((error: unknown) => {
          throw violatedUniqueConstraint(error) === VERIFIED_KEY ? domainVerifiedElsewhere() : error
        })
    },

    remove: (call) =>
      call.change(async (scope) => ({
        result: successReply,
        events: [],
        audit: [
          domainAudit(
            'domain.delete',
            orNotFound(await store.deleteDomain(scope, call.params.domain.toLowerCase())),
          ),
        ],
      })),
  })
