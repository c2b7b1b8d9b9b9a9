/** Domains over HTTP: claim one, prove it by a TXT record, give it up. */
import { domainOperations, listReply, notFound, success } from '@status-page/contracts'
import type { TextResolver } from '@status-page/outbound'
import { duplicateOf } from '@status-page/postgres'
import { randomToken } from '@status-page/secrets'
import { type Route, route } from '@status-page/service'
import {
  aboutDomain,
  claimed,
  isProof,
  notProved,
  provedElsewhere,
  replyOf,
  txtNameOf,
  txtValueOf,
} from './rules.ts'
import * as store from './store.ts'

/** Unique key of the proved domains of all organizations. */
const PROVED_KEY = 'domains_verified_key'
const LOOKUP_TIMEOUT_MS = 5_000

export const domainRoutes = ({ resolver }: { resolver: TextResolver }): Route[] =>
  route(domainOperations, {
    async list(call) {
      const { rows, total } = await call.read((scope) => store.listDomains(scope, call.query))
      return listReply(call.query, total, rows.map(replyOf))
    },

    create: (call) =>
      call.change(async (scope) => {
        const { domain } = call.body
        const row = await store.insertDomain(scope, { domain, txtValue: txtValueOf(randomToken()) })
        if (row === null) throw claimed()
        const audit = [aboutDomain('domain.create', row, { domain: { to: domain } })]
        return { result: replyOf(row), events: [], audit }
      }),

    async verify(call) {
      const domain = call.params.domain.toLowerCase()
      const row = await call.read((scope) => store.domainByName(scope, domain))
      if (row === null) throw notFound()
      if (row.verifiedAt !== null) return replyOf(row)
      const records = await resolver.resolveText(txtNameOf(domain), LOOKUP_TIMEOUT_MS)
      if (!isProof(records, row)) throw notProved(row)
      return call
        .change(async (scope) => {
          const proved = await store.setVerified(scope, domain)
          // Given up while the record was looked for.
          if (proved === null) throw notFound()
          const changes = { status: { from: 'pending', to: 'verified' } }
          const audit = [aboutDomain('domain.update', proved, changes)]
          return { result: replyOf(proved), events: [], audit }
        })
        .catch((error: unknown) => {
          throw duplicateOf(error) === PROVED_KEY ? provedElsewhere() : error
        })
    },

    remove: (call) =>
      call.change(async (scope) => {
        const gone = await store.deleteDomain(scope, call.params.domain.toLowerCase())
        if (gone === null) throw notFound()
        return { result: success, events: [], audit: [aboutDomain('domain.delete', gone)] }
      }),
  })
