/**
 * Access control of status pages: JSON, feeds, badges and HTML all pass through here. Callers
 * without access get the 404 of an unknown slug after the same statements, or a password prompt.
 */
import { notFound, unauthorized } from '@status-page/contracts'
import { asLookup, type Database, read, type Scope } from '@status-page/postgres'
import { type Call, type RawReply, withTurnsOf } from '@status-page/service'
import { listAllComponents } from '../../components/store.ts'
import type { StatusPageRow } from '../../tables.ts'
import { type ShownComponent, shownComponents } from '../settings/shown-components.ts'
import { findPages, findPublishedPage, type PageForAccessCheck } from '../settings/store.ts'
import { decideAdmission, type Visitor } from './admission.ts'
import { type PublicResponse, privateReply, publicReply, renderResponse } from './caching.ts'
import type { PageCookie } from './page-cookie.ts'

export interface PageAccessDeps {
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

export type PageAccessRequest = Pick<Call, 'caller' | 'actor' | 'headers'> & {
  params: { slug: string }
}

/**
 * Runs `work` for an admitted visitor; the visibility of the page decides how the response is
 * cached.
 */
export const withPageAccess = async (
  deps: PageAccessDeps,
  call: PageAccessRequest,
  work: (view: PageView) => Promise<PublicResponse>,
): Promise<RawReply> => {
  const { database, baseUrl } = deps
  const { slug } = call.params
  const found = await requirePageAccess(deps, call)
  const { page, rendered } = await withTurnsOf(found.organizationId, async () => {
    const { page, response } = await read(database, found.organizationId, async (scope) => {
      const [page] = await findPages(scope, [found.id])
      // The page may have changed since it was found.
      if (page === undefined || !page.isPublished || page.slug !== slug) throw notFound()
      assertAdmitted(page, visitorOf(deps, call, scope.now))
      return { page, response: await work(await createPageView(scope, page, baseUrl)) }
    })
    return { page, rendered: await renderResponse(response) }
  })
  return page.visibility === 'public'
    ? publicReply(rendered, page, call.headers['if-none-match'])
    : privateReply(rendered, page)
}

/** Page view without an access check, for callers that were admitted and for the static export. */
export const createPageView = async (
  scope: Scope,
  page: StatusPageRow,
  baseUrl: string,
): Promise<PageView> => {
  const list = shownComponents(page, await listAllComponents(scope))
  return {
    scope,
    page,
    shown: new Map(list.map((shownComponent) => [shownComponent.component.id, shownComponent])),
    baseUrl,
  }
}

/** Returns the page when the visitor has access, and throws the refusal otherwise. */
export const requirePageAccess = async (
  deps: PageAccessDeps,
  call: PageAccessRequest,
): Promise<PageForAccessCheck> => {
  const { page, now } = await findPage(deps, call.params.slug)
  return assertAdmitted(page, visitorOf(deps, call, now))
}

export const findPage = (
  { database }: Pick<PageAccessDeps, 'database'>,
  slug: string,
): Promise<{ page: PageForAccessCheck | undefined; now: Date }> =>
  asLookup(database, async (systemScope) => ({
    page: await findPublishedPage(systemScope, slug),
    now: systemScope.now,
  }))

const assertAdmitted = (
  page: PageForAccessCheck | undefined,
  visitor: Visitor,
): PageForAccessCheck => {
  const verdict = page === undefined ? 'hidden' : decideAdmission(page, visitor)
  if (page === undefined || verdict === 'hidden') throw notFound()
  if (verdict === 'password') throw unauthorized('Password required')
  return page
}

const visitorOf = ({ cookie }: PageAccessDeps, call: PageAccessRequest, now: Date): Visitor => {
  const { organizationId, grants } = call.caller
  return {
    memberOf: grants.kind === 'session' ? organizationId : null,
    address: call.actor.ipAddress,
    hasProvenPassword: (page) => cookie.isValid(call.headers.cookie, page, now),
  }
}
