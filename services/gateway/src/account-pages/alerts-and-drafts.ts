/**
 * Alerts and incident drafts for signed-in members. Messages in chats link here: a room has many
 * readers, so that each acts with their own session and rights.
 */
import {
  AppError,
  type accountPageOperations,
  grantsCover,
  type IncidentDraft,
  incidentDraftOperations,
  type LinkAction,
  type OncallAlert,
  type Operation,
  oncallAlertOperations,
} from '@status-page/contracts'
import { fillPlaceholders, html, type Markup, messageMarkup } from '@status-page/html'
import { alertTitle } from '@status-page/html/alert-text'
import { type PageTexts, textsByLocale } from '@status-page/html/texts'
import type { Call, Handlers, RawReply } from '@status-page/service'
import type { AccountPageDeps } from './deps.ts'
import { accountPage, basePathOf, redirectBelow } from './document.ts'
import { asUser, redirectUnauthenticated, requireCore } from './member.ts'
import { ACCOUNT_PATH, type AccountVisitor, visitorOf } from './visitor.ts'

type Ops = typeof accountPageOperations
type AlertsAndDrafts = Pick<Handlers<Ops>, 'alert' | 'actOnAlert' | 'draft' | 'actOnDraft'>

interface Subject {
  kind: 'alert' | 'draft'
  id: string
}

export const alertAndDraftHandlers = (deps: AccountPageDeps): AlertsAndDrafts => ({
  alert: (call) => subjectPage(deps, call, { kind: 'alert', ...call.params }),
  actOnAlert: (call) => act(deps, call, { kind: 'alert', ...call.params }, call.body.action),
  draft: (call) => subjectPage(deps, call, { kind: 'draft', ...call.params }),
  actOnDraft: (call) => act(deps, call, { kind: 'draft', ...call.params }, call.body.action),
})

const pathOf = ({ kind, id }: Subject): string => `${ACCOUNT_PATH}/${kind}s/${id}`

const operations: Record<LinkAction, Operation> = {
  acknowledge: oncallAlertOperations.acknowledge,
  resolve: oncallAlertOperations.resolve,
  publish: incidentDraftOperations.publish,
  veto: incidentDraftOperations.veto,
}

const act = async (
  deps: AccountPageDeps,
  call: Call,
  subject: Subject,
  action: LinkAction,
): Promise<RawReply> => {
  const { id } = subject
  const redirect = await redirectUnauthenticated(deps, call, pathOf(subject))
  if (redirect !== null) return redirect
  const request = { ...asUser(call), params: { id } }
  const body = action === 'publish' ? { body: {} } : {}
  try {
    await requireCore(deps).call(operations[action], { ...request, ...body } as never)
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'CONFLICT') throw error
    return subjectPage(deps, call, subject, error.status)
  }
  if (action === 'publish') deps.purgePages(call.organizationId)
  return redirectBelow(deps.baseUrl, pathOf(subject))
}

/** With a status, the page states that the action is no longer possible. */
const subjectPage = async (
  deps: AccountPageDeps,
  call: Call,
  subject: Subject,
  status?: number,
): Promise<RawReply> => {
  const { kind, id } = subject
  const redirect = await redirectUnauthenticated(deps, call, pathOf(subject))
  if (redirect !== null) return redirect
  const visitor = visitorOf(deps, call)
  const request = { ...asUser(call), params: { id } }
  const core = requireCore(deps)
  const { title, details, possible } =
    kind === 'alert'
      ? alertView(await core.call(oncallAlertOperations.read, request), visitor)
      : draftView(await core.call(incidentDraftOperations.read, request), visitor)
  const { actions: texts } = textsByLocale[visitor.locale].statusPage
  const allowed = possible.filter((action) => grantsCover(call.caller.grants, operations[action]))
  const base = basePathOf(deps.baseUrl)
  return accountPage(visitor, {
    title,
    content: html`<p class="q">${texts[kind]}</p>
${status !== undefined && html`<p class="note down" role="alert">${texts.alreadyDone}</p>`}
${details}${allowed.length > 0 && actionForm(`${base}${pathOf(subject)}`, allowed, texts)}
<p class="more"><a href="${base}${ACCOUNT_PATH}">${visitor.texts.account.back}</a></p>`,
    ...(status === undefined ? {} : { status }),
  })
}

interface SubjectView {
  title: string
  details: Markup
  /** Actions that the state allows, the first one as the main one. */
  possible: LinkAction[]
}

const alertView = (alert: OncallAlert, { locale }: AccountVisitor): SubjectView => {
  const { status, severity, triggeredAt } = alert
  const { actions, started } = textsByLocale[locale].statusPage
  const possible: Record<OncallAlert['status'], LinkAction[]> = {
    triggered: ['acknowledge', 'resolve'],
    acknowledged: ['resolve'],
    resolved: [],
  }
  return {
    title: alertTitle(alert, locale),
    possible: possible[status],
    details: html`${status !== 'triggered' && note('ok', actions.states[status])}
<p class="meta"><span>${actions.severities[severity]}</span><span>${fillPlaceholders(started, timeMarkup(triggeredAt, locale))}</span></p>`,
  }
}

const draftView = (
  { title, status, impact, message, startedAt, publishAt }: IncidentDraft,
  { locale }: AccountVisitor,
): SubjectView => {
  const { actions, impacts, started } = textsByLocale[locale].statusPage
  const plan =
    publishAt === null
      ? html`${actions.waits}`
      : fillPlaceholders(actions.publishesAt, timeMarkup(publishAt, locale))
  return {
    title,
    possible: status === 'waiting' ? ['publish', 'veto'] : [],
    details: html`${status === 'waiting' ? note('work', plan) : note('ok', actions.states[status])}
<p class="meta"><span>${impacts[impact]}</span><span>${fillPlaceholders(started, timeMarkup(startedAt, locale))}</span></p>
${message !== '' && html`<div class="c">${messageMarkup(message)}</div>`}`,
  }
}

const note = (state: 'ok' | 'work', text: string | Markup): Markup =>
  html`<p class="note ${state}" role="status">${text}</p>`

const timeMarkup = (timestamp: string, locale: string): Markup => {
  const format = new Intl.DateTimeFormat(locale, {
    dateStyle: 'medium',
    timeStyle: 'short',
    timeZone: 'UTC',
  })
  return html`<time datetime="${timestamp}">${format.format(new Date(timestamp))} UTC</time>`
}

const actionForm = (
  path: string,
  actions: readonly LinkAction[],
  { buttons, effects }: PageTexts['actions'],
): Markup => {
  const button = (action: LinkAction, index: number) =>
    html`<div class="c"><p class="sm q" id="effect-${action}">${effects[action]}</p>
<button class="${index === 0 ? 'b' : 'b plain'}" name="action" value="${action}" aria-describedby="effect-${action}">${buttons[action]}</button></div>
`
  return html`<form method="post" action="${path}">
${actions.map(button)}</form>`
}
