/** Page of an action link: the alert or draft, the effect of each action, and its button. */
import { type LinkAction, type Locale, statusByImpact } from '@status-page/contracts'
import {
  fillPlaceholders,
  html,
  linkUrls,
  type Markup,
  messageMarkup,
  type RenderedHtml,
  standalonePage,
} from '@status-page/html'
import { alertReason, alertTitle } from '@status-page/html/alert-text'
import { documentLanguage, textsByLocale } from '@status-page/html/texts'
import { iconSprite, inlineIcon } from '../status-pages/html/layout/icons.ts'
import { type PageLanguage, pageLanguage } from '../status-pages/page-language.ts'
import type { IncidentDraftRow, OncallAlertRow } from '../tables.ts'
import { type LinkedSubject, possibleActions } from './targets.ts'

export type ActionProblem = 'alreadyDone' | 'withoutComponents'

interface ActionPage {
  token: string
  locale: Locale
  problem: ActionProblem | null
}

export const actionPage = (
  subject: LinkedSubject,
  { token, locale, problem }: ActionPage,
): RenderedHtml => {
  const language = pageLanguage(locale, subject.timezone)
  const { actions: texts } = language.texts
  const { alert, draft } = subject
  const title = draft?.title ?? (alert === null ? '' : alertTitle(alert, locale))
  const content = html`${iconSprite}<p class="q">${draft === null ? texts.alert : texts.draft}</p>
${problem !== null && html`<p class="note down" role="alert">${texts[problem]}</p>`}
${stateNote(subject, language)}
${draft === null ? alert !== null && alertDetails(alert, subject, language) : draftDetails(draft, subject, language)}
${actionForm(token, possibleActions(subject), language)}`
  return standalonePage(documentLanguage(locale), title, content)
}

const stateNote = (
  { alert, draft, acknowledgedBy }: LinkedSubject,
  { texts: { actions } }: PageLanguage,
): Markup | null => {
  const status = draft === null || draft.status === 'waiting' ? alert?.status : draft.status
  if (status === undefined || status === 'triggered') return null
  const text =
    status === 'acknowledged' && acknowledgedBy !== null
      ? fillPlaceholders(actions.acknowledgedBy, html`<bdi>${acknowledgedBy}</bdi>`)
      : html`${actions.states[status]}`
  return html`<p class="note ok" role="status">${text}</p>`
}

const alertDetails = (
  alert: OncallAlertRow,
  { componentNames }: LinkedSubject,
  language: PageLanguage,
): Markup => {
  const { actions, started } = language.texts
  const { severity, since, scheduleName } = alert
  const { locale, timeText } = language
  const reason = alertReason(alert, { locale, time: (at) => timeText(at.toISOString()) })
  const icon = severity === 'critical' ? 'major_outage' : 'degraded_performance'
  return html`<p class="meta"><span class="st">${inlineIcon(icon)}${actions.severities[severity]}</span>${affects(componentNames, language)}<span>${fillPlaceholders(started, language.time(since.toISOString()))}</span><span>${fillPlaceholders(actions.schedule, html`<bdi>${scheduleName}</bdi>`)}</span></p>
${reason !== null && html`<p class="c">${linkUrls(reason)}</p>`}`
}

const draftDetails = (
  { impact, startedAt, message, publishAt, status }: IncidentDraftRow,
  { componentNames }: LinkedSubject,
  language: PageLanguage,
): Markup => {
  const { actions, impacts, started } = language.texts
  const plan =
    publishAt === null
      ? html`${actions.waits}`
      : fillPlaceholders(actions.publishesAt, language.time(publishAt.toISOString()))
  return html`<p class="meta"><span class="st">${inlineIcon(statusByImpact[impact])}${impacts[impact]}</span>${affects(componentNames, language)}<span>${fillPlaceholders(started, language.time(startedAt.toISOString()))}</span></p>
${message !== '' && html`<div class="c">${messageMarkup(message)}</div>`}
${status === 'waiting' && html`<p class="note">${plan}</p>`}`
}

const affects = (names: readonly string[], { texts, nameList }: PageLanguage): Markup | null =>
  names.length === 0 ? null : html`<span>${fillPlaceholders(texts.affects, nameList(names))}</span>`

const actionForm = (
  token: string,
  actions: readonly LinkAction[],
  { texts }: PageLanguage,
): Markup | null => {
  if (actions.length === 0) return null
  const { buttons, effects } = texts.actions
  const button = (action: LinkAction, index: number) =>
    html`<div class="c"><p class="sm q" id="effect-${action}">${effects[action]}</p>
<button class="${index === 0 ? 'b' : 'b plain'}" name="action" value="${action}" aria-describedby="effect-${action}">${buttons[action]}</button></div>
`
  return html`<form method="post" action="/actions/${encodeURIComponent(token)}">
${actions.map(button)}</form>`
}

export const invalidActionPage = (locale: Locale): RenderedHtml => {
  const { actions, subscription } = textsByLocale[locale].statusPage
  return standalonePage(
    documentLanguage(locale),
    subscription.dead,
    html`<p>${subscription.invalidLinkIntro}</p><p class="q">${actions.invalidLinkHint}</p>`,
  )
}
