/** Start page, and the page of the signed-in user, which links to the dashboard. */
import {
  type AccountNotice,
  AppError,
  type accountPageOperations,
  type Me,
  notFound,
  publishedPageOperations,
  statusPageOperations,
} from '@status-page/contracts'
import { html, type Markup } from '@status-page/html'
import type { AccountTexts } from '@status-page/html/texts'
import { anonymousCaller, type Call, type Handlers, type RawReply } from '@status-page/service'
import { getMe } from '../identity/account/me.ts'
import type { AccountPageDeps } from './deps.ts'
import { accountPage, basePathOf, isolated, paragraph, redirectBelow } from './document.ts'
import { asUser, needsEnrolment } from './member.ts'
import { mayCreatePage } from './new-page.ts'
import { ACCOUNT_PATH, NEW_PAGE_PATH, pathWithNext, TWO_FACTOR_PATH, visitorOf } from './visitor.ts'

type Home = Pick<Handlers<typeof accountPageOperations>, 'root' | 'account'>

interface PageLink {
  name: string
  url: string
}

const MAX_LINKS = 100
const CORE_TIMEOUT_MS = 5_000

export const homeHandlers = (deps: AccountPageDeps): Home => ({
  root: (call) => rootPage(deps, call),
  account: (call) => signedInPage(deps, call, call.query.notice),
})

const rootPage = async (deps: AccountPageDeps, call: Call): Promise<RawReply> => {
  // A client of the API gets the 404 of an unknown path.
  if (!String(call.headers.accept ?? '').includes('text/html')) throw notFound()
  const visitor = visitorOf(deps, call)
  const { setup, home } = visitor.texts
  if (await deps.setupLink.isNeeded()) {
    return accountPage(visitor, { title: setup.needed, content: paragraph(setup.neededIntro) })
  }
  if (deps.rootPage === 'pages') {
    const links = await publishedPages(deps)
    const content = links.length === 0 ? paragraph(home.noPages) : linkList(links)
    return accountPage(visitor, { title: home.pages, content })
  }
  if (deps.rootPage !== 'sign-in') {
    return redirectBelow(deps.baseUrl, `/status/${encodeURIComponent(deps.rootPage)}`)
  }
  return redirectBelow(deps.baseUrl, visitor.isSignedIn ? deps.homePath : '/sign-in')
}

const publishedPages = async ({ core }: AccountPageDeps): Promise<PageLink[]> => {
  if (core === null) return []
  const { pages } = await core.call(publishedPageOperations.list, {
    caller: anonymousCaller,
    timeoutMs: CORE_TIMEOUT_MS,
  })
  return pages
}

const signedInPage = async (
  deps: AccountPageDeps,
  call: Call,
  notice: AccountNotice | undefined,
): Promise<RawReply> => {
  const visitor = visitorOf(deps, call)
  const { texts } = visitor
  if (!visitor.isSignedIn) {
    return redirectBelow(deps.baseUrl, pathWithNext('/sign-in', ACCOUNT_PATH))
  }
  const me = await getMe(call as never, deps.account)
  const needsTwoFactor = await needsEnrolment(deps, call)
  const links = needsTwoFactor ? null : await ownPages(deps, call)
  const base = basePathOf(deps.baseUrl)
  return accountPage(visitor, {
    title: texts.account.title,
    content: html`${needsTwoFactor && note('part', texts.account.needsTwoFactor)}
${notice === 'email' && note('ok', texts.verify.done)}
${me.user?.emailVerified === false && unverifiedNote(texts, `${base}/confirm-email`, notice)}
${identityList(texts, me)}
${!needsTwoFactor && dashboardLink(deps, texts)}
${links !== null && pageSection(texts, links, mayCreatePage(call) ? `${base}${NEW_PAGE_PATH}` : null)}
<p class="more links"><a href="${base}${TWO_FACTOR_PATH}">${texts.twoFactor.title}</a>
<a href="${base}/api/docs">${texts.account.documentation}</a></p>
<form class="more" method="post" action="${base}/sign-out"><button class="b plain">${texts.signIn.signOut}</button></form>`,
  })
}

/** Absent when this gateway serves no dashboard. */
const dashboardLink = ({ baseUrl, homePath }: AccountPageDeps, { account }: AccountTexts) =>
  homePath !== ACCOUNT_PATH &&
  html`<p class="more"><a class="b" href="${basePathOf(baseUrl)}${homePath}">${account.dashboard}</a></p>`

const note = (state: 'ok' | 'part' | 'work', text: string): Markup =>
  html`<p class="note ${state}" role="status">${text}</p>`

const unverifiedNote = (
  { account, reset }: AccountTexts,
  action: string,
  notice: AccountNotice | undefined,
): Markup =>
  notice === 'sent'
    ? note('ok', reset.sent)
    : html`${note('work', account.unverified)}
<form method="post" action="${action}"><button class="b plain">${account.resend}</button></form>`

const identityList = ({ labels }: AccountTexts, { user, organization }: Me): Markup =>
  html`<dl class="facts"><div><dt>${labels.organizationName}</dt><dd>${isolated(organization.name)}</dd></div>
<div><dt>${labels.email}</dt><dd>${isolated(user?.email ?? '')}</dd></div></dl>`

/** Published pages, or the way to the first one. */
const pageSection = (
  { account, newPage }: AccountTexts,
  links: readonly PageLink[],
  newPagePath: string | null,
): Markup => {
  if (links.length > 0) return html`<h2>${account.pages}</h2>${linkList(links)}`
  return html`<h2>${account.pages}</h2>${paragraph(account.noPages)}
${newPagePath !== null && html`<p><a class="b" href="${newPagePath}">${newPage.title}</a></p>`}`
}

const linkList = (links: readonly PageLink[]): Markup =>
  html`<ul class="list">${links.map(({ name, url }) => html`<li><a href="${url}"><bdi>${name}</bdi></a></li>`)}</ul>`

/** Published pages of the organization; null when they cannot be read or the role lacks the right. */
const ownPages = async ({ core }: AccountPageDeps, call: Call): Promise<PageLink[] | null> => {
  if (core === null) return null
  try {
    const { data } = await core.call(statusPageOperations.list, {
      query: { isPublished: true, pageSize: MAX_LINKS },
      ...asUser(call),
    })
    return data.map(({ name, url }) => ({ name, url }))
  } catch (error) {
    if (error instanceof AppError) return null
    throw error
  }
}
