/** Operations of status pages. */
import {
  invalid,
  listReply,
  notFound,
  statusPageOperations as on,
  orNotFound,
  REDACTED,
  type StatusPage,
  successReply,
} from '@status-page/contracts'
import { asLookup, type Database, newId, type Scope } from '@status-page/postgres'
import type { Authenticator, Passwords } from '@status-page/secrets'
import { type Call, createRoutes, type Route } from '@status-page/service'
import { findComponents } from '../components/store.ts'
import { saveWithdrawnAddresses } from '../subscribers/erased-addresses.ts'
import { subscriberDeletedEvent } from '../subscribers/rules.ts'
import { removeSubscribersOfPage } from '../subscribers/store.ts'
import { domainTakenError } from './settings/custom-domain.ts'
import {
  auditPage,
  changePage,
  createPage,
  listedComponentIds,
  pageEvent,
  presentPage,
} from './settings/rules.ts'
import * as store from './settings/store.ts'

interface StatusPageDeps {
  database: Database
  baseUrl: string
  /** Host name of BASE_URL. */
  ownHost: string
  passwords: Passwords
  /** Keys the hashes of addresses that only their owner may subscribe again. */
  erasedAddress: Authenticator
}

export const statusPageRoutes = (deps: StatusPageDeps): Route[] =>
  createRoutes(on, {
    list: ({ query, read }) =>
      read(async (scope) => {
        const { rows, total } = await store.listPages(scope, query)
        return listReply(
          query,
          total,
          rows.map((row) => presentPage(row, deps.baseUrl)),
        )
      }),

    create: (call) => create(deps, call),

    read: ({ params, read }) =>
      read(async (scope) => {
        const [row] = await store.findPages(scope, [params.id])
        if (row === undefined) throw notFound()
        return presentPage(row, deps.baseUrl)
      }),

    update: (call) => update(deps, call),

    remove: ({ params, change }) =>
      change(async (scope) => {
        const row = orNotFound(await store.lockPage(scope, params.id))
        const bound = await removeSubscribersOfPage(scope, row.id)
        await saveWithdrawnAddresses(deps.erasedAddress, scope, bound)
        await store.removePage(scope, row.id)
        const deleted = { ...row, version: row.version + 1 }
        return {
          result: successReply,
          events: [
            pageEvent('deleted', deleted, deps.baseUrl),
            ...bound.map(subscriberDeletedEvent),
          ],
          audit: [auditPage('delete', row, row)],
        }
      }),
  })

const create = async (deps: StatusPageDeps, call: Call<typeof on.create>): Promise<StatusPage> => {
  const { baseUrl, ownHost, passwords } = deps
  const { body } = call
  await validateFreeDomain(deps, body.customDomain, null)
  const passwordHash = await hashOf(passwords, body.password, null)
  return call.change(async (scope) => {
    const { organizationId, now } = scope
    const known = await knownIds(scope, listedComponentIds(body))
    const circumstances = { known, passwordHash, ownHost, now }
    const row = createPage({ id: newId(), organizationId, body }, circumstances)
    await store.insertPage(scope, row)
    return {
      result: presentPage(row, baseUrl),
      events: [pageEvent('created', row, baseUrl)],
      audit: [auditPage('create', null, row)],
    }
  })
}

const update = async (deps: StatusPageDeps, call: Call<typeof on.update>): Promise<StatusPage> => {
  const { baseUrl, ownHost, passwords } = deps
  const { params, body } = call
  const [stored] = await call.read((scope) => store.findPages(scope, [params.id]))
  if (stored === undefined) throw notFound()
  await validateFreeDomain(deps, body.customDomain, stored.id)
  const passwordHash = await hashOf(passwords, body.password, stored.passwordHash)
  return call.change(async (scope) => {
    const before = orNotFound(await store.lockPage(scope, params.id))
    const known = await knownIds(scope, listedComponentIds(body))
    const after = changePage(before, body, { known, passwordHash, ownHost, now: scope.now })
    if (after !== before) await store.savePage(scope, after)
    const result = presentPage(after, baseUrl)
    if (after.version === before.version) return { result, events: [], audit: [] }
    return {
      result,
      events: [pageEvent('updated', after, baseUrl)],
      audit: [auditPage('update', before, after)],
    }
  })
}

/** Rejects a domain on which another page is active; an unverified claim reserves nothing. */
const validateFreeDomain = async (
  { database }: StatusPageDeps,
  domain: string | null | undefined,
  pageId: string | null,
): Promise<void> => {
  if (domain === null || domain === undefined) return
  const isTaken = await asLookup(database, (systemScope) =>
    store.isDomainActiveElsewhere(systemScope, domain, pageId),
  )
  if (isTaken) throw domainTakenError()
}

/** Hash of a new password; undefined when the password is unchanged. */
const hashOf = async (
  passwords: Passwords,
  given: string | null | undefined,
  stored: string | null,
): Promise<string | null | undefined> => {
  if (given === undefined || given === null) return given
  if (given === REDACTED && stored === null) {
    throw invalid({ field: 'password', message: 'password must be given in full' })
  }
  const isSame = stored !== null && (given === REDACTED || (await passwords.matches(given, stored)))
  return isSame ? undefined : passwords.hash(given)
}

const knownIds = async (scope: Scope, ids: readonly string[]): Promise<Set<string>> =>
  new Set((await findComponents(scope, ids)).keys())
