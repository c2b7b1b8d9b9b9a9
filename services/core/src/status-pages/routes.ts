/** Operations of status pages. */
import {
  invalid,
  listReply,
  type NewStatusPage,
  notFound,
  type Outcome,
  statusPageOperations as on,
  orNotFound,
  REDACTED,
  type StatusPage,
  successReply,
} from '@status-page/contracts'
import { asLookup, type Database, newId, type Scope } from '@status-page/postgres'
import {
  type Passwords,
  pagePasswordContext,
  pagePasswordDigest,
  type Sealer,
} from '@status-page/secrets'
import { type Call, createRoutes, type Route } from '@status-page/service'
import { findComponents } from '../components/store.ts'
import { addPage, deletePage, type PageChangeDeps, updatePage } from './changes.ts'
import { type CustomDomainCheckDeps, checkCustomDomain } from './check-custom-domain.ts'
import { previewPage } from './html/page-preview.ts'
import { domainTakenError } from './settings/custom-domain.ts'
import {
  changePage,
  checkVersion,
  createPage,
  listedComponentIds,
  presentPage,
  type StoredPassword,
} from './settings/rules.ts'
import * as store from './settings/store.ts'

export interface StatusPageDeps extends PageChangeDeps, CustomDomainCheckDeps {
  database: Database
  passwords: Passwords
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

    preview: (call) => previewPage(deps, call),

    checkCustomDomain: (call) => checkCustomDomain(deps, call),

    remove: ({ params, change }) =>
      change(async (scope) => {
        const row = orNotFound(await store.lockPage(scope, params.id))
        return { result: successReply, ...(await deletePage(scope, row, deps)) }
      }),
  })

const create = async (deps: StatusPageDeps, call: Call<typeof on.create>): Promise<StatusPage> => {
  const { body } = call
  const create = await pageCreation(deps, body)
  return call.change((scope) => create(scope, body))
}

/**
 * Checks the domain and hashes the password of a new page outside of the transaction; returns the
 * function that creates the page in it.
 */
export const pageCreation = async (
  deps: StatusPageDeps,
  { customDomain, password }: Pick<NewStatusPage, 'customDomain' | 'password'>,
) => {
  const { baseUrl, ownHost, passwords } = deps
  await validateFreeDomain(deps, customDomain, null)
  const passwordHash = await hashOf(passwords, password, null)
  return async (scope: Scope, body: NewStatusPage): Promise<Outcome<StatusPage>> => {
    const { organizationId, now } = scope
    const known = await knownIds(scope, listedComponentIds(body))
    const id = newId()
    const given = { text: password, hash: passwordHash }
    const stored = storedPassword(deps.sealer, { organizationId, id }, given)
    const input = { id, organizationId, body, managedByConfig: false }
    const row = createPage(input, { known, password: stored, ownHost, now })
    return { result: presentPage(row, baseUrl), ...(await addPage(scope, row, deps)) }
  }
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
    checkVersion(before, call.ifMatch)
    const known = await knownIds(scope, listedComponentIds(body))
    const given = { text: body.password, hash: passwordHash }
    const password = storedPassword(deps.sealer, before, given)
    const after = changePage(before, body, { known, password, ownHost, now: scope.now })
    const drafts = await updatePage(scope, { before, row: after }, deps)
    return { result: presentPage(after, baseUrl), ...drafts }
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

/** `hash` is that of the text; null removes the password, undefined leaves it unchanged. */
const storedPassword = (
  sealer: Sealer,
  { organizationId, id }: { organizationId: string; id: string },
  { text, hash }: { text: string | null | undefined; hash: string | null | undefined },
): StoredPassword | null | undefined => {
  if (hash === undefined || hash === null) return hash
  const digest = pagePasswordDigest(id, text ?? '')
  const context = pagePasswordContext(organizationId, id)
  return { passwordHash: hash, passwordDigest: sealer.seal(digest, context) }
}

const knownIds = async (scope: Scope, ids: readonly string[]): Promise<Set<string>> =>
  new Set((await findComponents(scope, ids)).keys())
