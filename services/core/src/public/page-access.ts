/**
 * Access control of status pages: JSON, feeds, badges and HTML all pass through here. Callers
 * without access get the 404 of an unknown slug after the same statements, or a password prompt.
 */
import { notFound, unauthorized } from '@status-page/contracts'
import { asLookup, type Database, read, type Scope } from '@status-page/postgres'
import { type Call, type RawReply, withTurnsOf } from '@status-page/service'
import { allComponents } from '../components/store.ts'
import { findPages, type GatedPage, publishedBySlug } from '../status-pages/store.ts'
import type { StatusPageRow } from '../tables.ts'
import { admission, type Visitor } from './admission.ts'
import { type PublicResponse, privateReply, publicReply, renderResponse } from './caching.ts'
import type { PageCookie } from './page-cookie.ts'
import { type ShownComponent, shownComponents } from './projection.ts'

export interface GateDeps {
  database: Database
  baseUrl: string
  cookie: PageCookie
}

/** Published page in its organization's scope, with the components that it shows. */
export interface PageView {
  scope: Scope
  page: StatusPageRow
  shown: ReadonlyMap<string, ShownComponent>
  baseUrl: string
}

export type PageCall = Pick<Call, 'caller' | 'actor' | 'headers'> & { params: { slug: string } }

/**
 * Runs `work` for an admitted visitor; the visibility of the page decides how the response is
 * cached.
 */
export const withPageAccess = async (
  deps: GateDeps,
  call: PageCall,
  work: (view: PageView) => Promise<PublicResponse>,
): Promise<RawReply> => {
  const { database, baseUrl } = deps
  const { slug } = call.params
  const found = await enterPage(deps, call)
  const { page, rendered } = await withTurnsOf(found.organizationId, async () => {
    const { page, response } = await read(database, found.organizationId, async (scope) => {
      const [page] = await findPages(scope, [found.id])
      // The page may have changed since it was found.
      if (page === undefined || !page.isPublished || page.slug !== slug) throw notFound()
      assertAdmitted(page, visitorOf(deps, call, scope.now))
      return { page, response: await work(await viewOf(scope, page, baseUrl)) }
    })
    return { page, rendered: await renderResponse(response) }
  })
  return page.visibility === 'public'
    ? publicReply(rendered, page, call.headers['if-none-match'])
    : privateReply(rendered, page)
}

/** Page view without an access check, for callers that were admitted and for the static export. */
export const viewOf = async (
  scope: Scope,
  page: StatusPageRow,
  baseUrl: string,
): Promise<PageView> => {
  const list = shownComponents(page, await allComponents(scope))
  return { scope, page, shown: new Map(list.map((one) => [one.component.id, one])), baseUrl }
}

/** Returns the page when the visitor has access, and throws the refusal otherwise. */
export const enterPage = async (deps: GateDeps, call: PageCall): Promise<GatedPage> => {
  const { page, now } = await findPage(deps, call.params.slug)
  return assertAdmitted(page, visitorOf(deps, call, now))
}

export const findPage = (
  { database }: Pick<GateDeps, 'database'>,
  slug: string,
): Promise<{ page: GatedPage | undefined; now: Date }> =>
  asLookup(database, async (systemScope) => ({
    page: await publishedBySlug(systemScope, slug),
    now: systemScope.now,
  }))

const assertAdmitted = (page: GatedPage | undefined, visitor: Visitor): GatedPage => {
  const verdict = page === undefined ? 'hidden' : admission(page, visitor)
  if (page === undefined || verdict === 'hidden') throw notFound()
  if (verdict === 'password') throw unauthorized('Password required')
  return page
}

const visitorOf = ({ cookie }: GateDeps, call: PageCall, now: Date): Visitor => {
  const { organizationId, grants } = call.caller
  return {
    memberOf: grants.kind === 'session' ? organizationId : null,
    address: call.actor.ipAddress,
    hasProvenPassword: (page) => cookie.isValid(call.headers.cookie, page, now),
  }
}
