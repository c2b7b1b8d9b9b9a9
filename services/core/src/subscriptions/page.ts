/** Pages of a subscriber: confirmation, settings, unsubscription. */
import { type Locale, type SubscriberEvent, subscriberEvents } from '@status-page/contracts'
import { fillPlaceholder, html, type Markup, type Piece } from '../pages/html.ts'
import type { Rendered } from '../pages/layout.ts'
import { type Wording, wordings } from '../pages/locales/index.ts'
import { standalonePage } from '../pages/standalone-page.ts'
import { type PageSubscriber, subscriberPage } from '../pages/subscriber-page.ts'
import { maskedAddress } from '../subscribers/rules.ts'
import type { SubscriberRow } from '../tables.ts'
import { componentField, eventField } from './form.ts'
import type { Managed } from './managed-subscription.ts'
import { type Choice, isInactive } from './rules.ts'

/** Choice that the form shows: the saved one, or the one of a refused form. */
export interface ShownChoice {
  scope: 'all' | 'some'
  componentIds: readonly string[]
  events: readonly SubscriberEvent[]
}

export type Problem = 'noEvents' | 'noneChosen' | 'bothChosen'

/** Result of a submission, above the form. */
export type Notice = { kind: 'saved' } | { kind: Problem; submitted: ShownChoice }

/** Page with the confirmation button. */
export const confirmPage = (
  reader: PageSubscriber,
  token: string,
  row: SubscriberRow,
): Rendered => {
  const say = wordings[reader.locale]
  const { confirm, willGo, notYou } = say.subscription
  return subscriberPage(
    reader,
    confirm,
    html`<p>${fillPlaceholder(willGo, address(row))}</p>
${postForm(`/subscriptions/confirm/${encodeURIComponent(token)}`, html`<p class="more"><button class="b">${say.confirm}</button></p>`)}
<p class="more q">${notYou}</p>`,
  )
}

export const confirmedPage = (
  reader: PageSubscriber,
  row: SubscriberRow,
  manageToken: string,
): Rendered => {
  const { confirmed, goesFromNow, choose } = wordings[reader.locale].subscription
  return subscriberPage(
    reader,
    confirmed,
    html`<p role="status">${fillPlaceholder(goesFromNow, address(row))}</p>
<p class="more"><a href="${pathOf(manageToken)}">${choose}</a></p>`,
  )
}

export const managePage = (
  reader: PageSubscriber,
  token: string,
  { row, choices }: Managed,
  notice: Notice | null = null,
): Rendered => {
  if (isInactive(row)) return endedPage(reader, row)
  const say = wordings[reader.locale]
  const { yours, goes, save } = say.subscription
  const choice = notice === null || notice.kind === 'saved' ? savedChoice(row) : notice.submitted
  return subscriberPage(
    reader,
    yours,
    html`${notice !== null && noticeOf(say, notice)}
<p>${fillPlaceholder(goes, address(row))}</p>
${quarantineNote(say, row)}
${postForm(
  pathOf(token),
  html`${scopeFields(say, choice, choices)}
${eventFields(say, choice)}
<button class="b">${save}</button>`,
)}
${endForm(say, token)}`,
  )
}

/** Behind the address of the mail header. */
export const unsubscribePage = (
  reader: PageSubscriber,
  token: string,
  { row }: Managed,
): Rendered => {
  if (isInactive(row)) return endedPage(reader, row)
  const say = wordings[reader.locale]
  const { unsubscribe, goes, choose } = say.subscription
  return subscriberPage(
    reader,
    unsubscribe,
    html`<p>${fillPlaceholder(goes, address(row))}</p>
${endForm(say, token)}
<p class="more"><a href="${pathOf(token)}">${choose}</a></p>`,
  )
}

export const endedPage = (reader: PageSubscriber, row: SubscriberRow): Rendered => {
  const { ended, goesNoMore } = wordings[reader.locale].subscription
  return subscriberPage(
    reader,
    ended,
    html`<p role="status">${fillPlaceholder(goesNoMore, address(row))}</p>`,
  )
}

export const deadLinkPage = (locale: Locale): Rendered => {
  const { dead, deadIntro, again } = wordings[locale].subscription
  return standalonePage(locale, dead, html`<p>${deadIntro}</p><p class="q">${again}</p>`)
}

const noticeOf = (
  { noneChosen, bothChosen, subscription: { saved, noEvents } }: Wording,
  { kind }: Notice,
) =>
  kind === 'saved'
    ? html`<p class="note ok" role="status">${saved}</p>`
    : html`<p class="note down" role="alert">${{ noEvents, noneChosen, bothChosen }[kind]}</p>`

const quarantineNote = ({ subscription }: Wording, { status }: SubscriberRow): Piece =>
  status === 'quarantined' && html`<p class="note down">${subscription.unreachable}</p>`

/** Isolated from the text direction of the surrounding language. */
const address = (row: SubscriberRow): Markup =>
  html`<strong><bdi dir="ltr">${maskedAddress(row)}</bdi></strong>`

const pathOf = (token: string) => `/subscriptions/${encodeURIComponent(token)}`

const postForm = (action: string, content: Markup): Markup =>
  html`<form method="post" action="${action}">
${content}
</form>`

const endForm = ({ subscription }: Wording, token: string): Markup =>
  postForm(
    `${pathOf(token)}/unsubscribe`,
    html`<p class="more"><button class="b plain">${subscription.unsubscribe}</button></p>`,
  )

const MAX_DEPTH = 3

const savedChoice = ({ componentIds, events }: SubscriberRow): ShownChoice => ({
  scope: componentIds.length === 0 ? 'all' : 'some',
  componentIds,
  events,
})

const scopeFields = (
  { systems, subscription }: Wording,
  { scope: shownScope, componentIds }: ShownChoice,
  choices: readonly Choice[],
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
${scope('all', subscription.alsoLater)}
${boxes.length > 0 && [scope('some', subscription.withBelow), html`<div class="kids">${boxes}</div>`]}
</fieldset>`
}

const eventFields = ({ subscription }: Wording, { events }: ShownChoice): Markup => {
  const box = (event: SubscriberEvent) =>
    field({
      type: 'checkbox',
      name: eventField(event),
      label: subscription.events[event],
      isOn: events.includes(event),
    })
  return html`<fieldset><legend>${subscription.tellMe}</legend>
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
  html`<label class="pick"><input type="${type}" name="${name}" value="${value}"${isOn && html` checked`}><span>${label}</span></label>
`
