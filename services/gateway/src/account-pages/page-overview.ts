/** Overview of a status page of the organization: its link, and the latest check of each component. */
import {
  type accountPageOperations,
  type Check,
  type Component,
  componentOperations,
  statusPageOperations,
} from '@status-page/contracts'
import { html, type Markup } from '@status-page/html'
import type { AccountTexts } from '@status-page/html/texts'
import type { Call, Handlers } from '@status-page/service'
import type { AccountPageDeps } from './deps.ts'
import { accountPage, basePathOf, paragraph } from './document.ts'
import { asUser, redirectUnauthenticated, requireCore } from './member.ts'
import { ACCOUNT_PATH, type AccountVisitor, visitorOf } from './visitor.ts'

type Ops = typeof accountPageOperations

/** Components of a larger page are on the page itself. */
const MAX_COMPONENTS = 20

export const pageOverviewHandlers = (deps: AccountPageDeps): Pick<Handlers<Ops>, 'page'> => ({
  async page(call) {
    const { id } = call.params
    const redirect = await redirectUnauthenticated(deps, call, `${ACCOUNT_PATH}/pages/${id}`)
    if (redirect !== null) return redirect
    const visitor = visitorOf(deps, call)
    const page = await requireCore(deps).call(statusPageOperations.read, {
      ...asUser(call),
      params: { id },
    })
    const components = await componentsOf(deps, call, page.components)
    const isWaiting = components.some((component) => awaitsFirstCheck(component, new Date()))
    const { overview } = visitor.texts
    return accountPage(visitor, {
      title: page.name,
      content: html`${paragraph(page.isPublished ? overview.published : overview.unpublished)}
<p class="more"><a class="b" href="${page.url}">${overview.open}</a></p>
${components.length > 0 && checkList(components, visitor)}
<p class="more"><a href="${basePathOf(deps.baseUrl)}${ACCOUNT_PATH}">${visitor.texts.account.back}</a></p>`,
      headers: isWaiting ? { refresh: String(REFRESH_SECONDS) } : {},
    })
  },
})

/** Interval at which the page reloads itself until all new components have a result. */
const REFRESH_SECONDS = 5
/** Bounds the reloads of a page; the schedule checks a new component within a minute. */
const MAX_WAIT_MS = 2 * 60_000

/** Returns whether the first result of a new component is still to be expected. */
const awaitsFirstCheck = ({ type, isEnabled, checks, createdAt }: Component, now: Date): boolean =>
  type === 'ENDPOINT' &&
  isEnabled &&
  checks?.length === 0 &&
  now.getTime() - Date.parse(createdAt) < MAX_WAIT_MS

/** A component that was deleted in the meantime is left out. */
const componentsOf = async (
  deps: AccountPageDeps,
  call: Call,
  listed: readonly { componentId: string }[],
): Promise<Component[]> => {
  const core = requireCore(deps)
  const results = await Promise.allSettled(
    listed.slice(0, MAX_COMPONENTS).map(({ componentId: id }) =>
      core.call(componentOperations.read, {
        ...asUser(call),
        params: { id },
        query: { include: ['checks'] },
      }),
    ),
  )
  return results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
}

const checkList = (components: readonly Component[], visitor: AccountVisitor): Markup =>
  html`<h2>${visitor.texts.overview.checks}</h2>
<ul class="list">${components.map(({ name, checks = [] }) => {
    const [check] = checks
    return html`<li class="note ${stateOf(check)}"><strong><bdi>${name}</bdi></strong>
<p class="sm">${resultOf(check, visitor)}</p></li>
`
  })}</ul>`

const stateOf = (check: Check | undefined): string =>
  check === undefined ? 'none' : check.success ? 'ok' : 'down'

const resultOf = (check: Check | undefined, { texts, locale }: AccountVisitor): string => {
  const { overview } = texts
  if (check === undefined) return overview.unchecked
  const { success, statusCode, responseTime, error } = check
  const reason = error === null ? null : reasonOf(error, overview)
  const milliseconds = new Intl.NumberFormat(locale, {
    style: 'unit',
    unit: 'millisecond',
    maximumFractionDigits: 0,
  })
  return [
    success ? overview.reachable : overview.failing,
    statusCode !== null && `HTTP ${statusCode}`,
    reason,
    success && responseTime !== null && milliseconds.format(responseTime),
  ]
    .filter(Boolean)
    .join(' · ')
}

const reasonOf = (
  error: NonNullable<Check['error']>,
  { reasons }: AccountTexts['overview'],
): string => {
  switch (error) {
    case 'dns_error':
      return reasons.name
    case 'connect_error':
      return reasons.connection
    case 'tls_error':
      return reasons.certificate
    case 'timeout':
      return reasons.timeout
    default:
      return reasons.other
  }
}
