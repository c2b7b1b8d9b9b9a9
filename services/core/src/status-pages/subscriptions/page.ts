/** Pages of a subscriber: confirmation, settings, unsubscription. */
import { type Locale, type SubscriberEvent, subscriberEvents } from '@status-page/contracts'
import {
  fillPlaceholders,
  html,
  type Markup,
  type MarkupValue,
  type RenderedHtml,
  standalonePage,
} from '@status-page/html'
import { documentLanguage, type PageTexts, textsByLocale } from '@status-page/html/texts'
import { type ComponentChoice, isInactiveSubscriber } from '../../subscribers/confirmation/rules.ts'
import { maskedAddress } from '../../subscribers/rules.ts'
import type { SubscriberRow } from '../../tables.ts'
import { componentField, eventField } from './form.ts'
import type { ManagedSubscription } from './managed-subscription.ts'
import { type PageSubscriber, subscriberPage } from './subscriber-page.ts'

/** Choice that the form shows: the saved one, or the one of a refused form. */
export interface SubscriptionSelection {
  scope: 'all' | 'some'
  componentIds: readonly string[]
  events: readonly SubscriberEvent[]
}

export type FormProblem = 'noEvents' | 'noneChosen' | 'bothChosen'

/** Result of a submission, above the form. */
export type FormNotice = { kind: 'saved' } | { kind: FormProblem; submitted: SubscriptionSelection }

/** Page with the confirmation button. */
export const confirmPage = (
  reader: PageSubscriber,
  token: string,
  { row, incidentTitle }: Pick<ManagedSubscription, 'row' | 'incidentTitle'>,
): RenderedHtml => {
  const texts = textsByLocale[reader.locale].statusPage
  const { confirm, willBeNotified, notRequested } = texts.subscription
  return subscriberPage(
    reader,
    confirm,
    html`<p>${fillPlaceholders(willBeNotified, address(row))}</p>${incidentNote(texts, incidentTitle)}
${postForm(`/subscriptions/confirm/${encodeURIComponent(token)}`, html`<p class="more"><button class="b">${texts.confirm}</button></p>`)}
<p class="more q">${notRequested}</p>`,
  )
}

export const confirmedPage = (
  reader: PageSubscriber,
  row: SubscriberRow,
  manageToken: string,
): RenderedHtml => {
  const { confirmed, nowNotified, choose } = textsByLocale[reader.locale].statusPage.subscription
  return subscriberPage(
    reader,
    confirmed,
    html`<p role="status">${fillPlaceholders(nowNotified, address(row))}</p>
<p class="more"><a href="${pathOf(manageToken)}">${choose}</a></p>`,
  )
}

export const managePage = (
  reader: PageSubscriber,
  token: string,
  { row, choices, incidentTitle }: ManagedSubscription,
  notice: FormNotice | null = null,
): RenderedHtml => {
  if (isInactiveSubscriber(row)) return unsubscribedPage(reader, row)
  const texts = textsByLocale[reader.locale].statusPage
  const { yours, notified, save } = texts.subscription
  const choice = notice === null || notice.kind === 'saved' ? savedChoice(row) : notice.submitted
  return subscriberPage(
    reader,
    yours,
    html`${notice !== null && noticeOf(texts, notice)}
<p>${fillPlaceholders(notified, address(row))}</p>
${quarantineNote(texts, row)}${incidentNote(texts, incidentTitle)}
${
  row.incidentId === null &&
  postForm(
    pathOf(token),
    html`${scopeFields(texts, choice, choices)}
${eventFields(texts, choice)}
<button class="b">${save}</button>`,
  )
}
${endForm(texts, token)}`,
  )
}

/** Page of the unsubscribe URL in mail headers. */
export const unsubscribePage = (
  reader: PageSubscriber,
  token: string,
  { row, incidentTitle }: ManagedSubscription,
): RenderedHtml => {
  if (isInactiveSubscriber(row)) return unsubscribedPage(reader, row)
  const texts = textsByLocale[reader.locale].statusPage
  const { unsubscribe, notified, choose } = texts.subscription
  return subscriberPage(
    reader,
    unsubscribe,
    html`<p>${fillPlaceholders(notified, address(row))}</p>${incidentNote(texts, incidentTitle)}
${endForm(texts, token)}
<p class="more"><a href="${pathOf(token)}">${choose}</a></p>`,
  )
}

export const unsubscribedPage = (reader: PageSubscriber, row: SubscriberRow): RenderedHtml => {
  const { ended, noLongerNotified } = textsByLocale[reader.locale].statusPage.subscription
  return subscriberPage(
    reader,
    ended,
    html`<p role="status">${fillPlaceholders(noLongerNotified, address(row))}</p>`,
  )
}

export const invalidLinkPage = (locale: Locale): RenderedHtml => {
  const { dead, invalidLinkIntro, again } = textsByLocale[locale].statusPage.subscription
  return standalonePage(
    documentLanguage(locale),
    dead,
    html`<p>${invalidLinkIntro}</p><p class="q">${again}</p>`,
  )
}

const noticeOf = (
  { noneChosen, bothChosen, subscription: { saved, noEvents } }: PageTexts,
  { kind }: FormNotice,
) =>
  kind === 'saved'
    ? html`<p class="note ok" role="status">${saved}</p>`
    : html`<p class="note down" role="alert">${{ noEvents, noneChosen, bothChosen }[kind]}</p>`

const quarantineNote = ({ subscription }: PageTexts, { status }: SubscriberRow): MarkupValue =>
  status === 'quarantined' && html`<p class="note down">${subscription.unreachable}</p>`

const incidentNote = ({ subscription }: PageTexts, incidentTitle: string | null): MarkupValue =>
  incidentTitle !== null &&
  html`<p>${fillPlaceholders(subscription.onlyIncident, html`<bdi>${incidentTitle}</bdi>`)}</p>`

/** Isolated from the text direction of the surrounding language. */
const address = (row: SubscriberRow): Markup =>
  html`<strong><bdi dir="ltr">${maskedAddress(row)}</bdi></strong>`

const pathOf = (token: string) => `/subscriptions/${encodeURIComponent(token)}`

const postForm = (action: string, content: Markup): Markup =>
  html`<form method="post" action="${action}">
${content}
</form>`

const endForm = ({ subscription }: PageTexts, token: string): Markup =>
  postForm(
    `${pathOf(token)}/unsubscribe`,
    html`<p class="more"><button class="b plain">${subscription.unsubscribe}</button></p>`,
  )

const MAX_DEPTH = 3

const savedChoice = ({ componentIds, events }: SubscriberRow): SubscriptionSelection => ({
  scope: componentIds.length === 0 ? 'all' : 'some',
  componentIds,
  events,
})

const scopeFields = (
  { systems, subscription }: PageTexts,
  { scope: shownScope, componentIds }: SubscriptionSelection,
  choices: readonly ComponentChoice[],
): Markup => {
  const chosen = new Set(componentIds)
  const scope = (value: 'all' | 'some', label: string) =>
    field({ type: 'radio', name: 'scope', value, label, isOn: value === shownScope })
  const boxes = choices.map(
    ({ id, name, depth }) =>
      html`<div class="d${Math.min(depth, MAX_DEPTH)}">${field({
        type: 'checkbox',
        name: componentField(id),
        label: name,
        isOn: chosen.has(id),
      })}</div>
`,
  )
  return html`<fieldset><legend>${systems}</legend>
${scope('all', subscription.allComponents)}
${boxes.length > 0 && [scope('some', subscription.withSubcomponents), html`<div class="kids">${boxes}</div>`]}
</fieldset>`
}

const eventFields = ({ subscription }: PageTexts, { events }: SubscriptionSelection): Markup => {
  const box = (event: SubscriberEvent) =>
    field({
      type: 'checkbox',
      name: eventField(event),
      label: subscription.events[event],
      isOn: events.includes(event),
    })
  return html`<fieldset><legend>${subscription.notifyMe}</legend>
${subscriberEvents.map(box)}</fieldset>`
}

interface Field {
  type: 'checkbox' | 'radio'
  name: string
  value?: string
  label: string
  isOn: boolean
}

const field = ({ type, name, value = 'on', label, isOn }: Field): Markup =>
  html`<label class="pick"><input type="${type}" name="${name}" value="${value}"${isOn && html` checked`}><bdi>${label}</bdi></label>
`
