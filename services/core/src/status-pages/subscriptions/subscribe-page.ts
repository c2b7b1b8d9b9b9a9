/** Page with the subscription forms, feeds and the calendar. */
import type { PublicIncident, SubscriberType } from '@status-page/contracts'
import { html, type Markup } from '@status-page/html'
import type { StatusPageRow } from '../../tables.ts'
import { incidentPath, incidentSubscribePath } from '../html/documents/incidents.ts'
import type { PageFrame } from '../html/layout/frame.ts'
import { defaultPreview, type HtmlDocument } from '../html/layout/layout.ts'
import { stateIcon } from '../html/layout/state-icon.ts'
import { defaultComponentIds, type ShownComponent } from '../settings/shown-components.ts'
import { componentField, defaultField } from './form.ts'

/** Values of a refused form, which is returned with them; the defaults replace an absent choice. */
export interface SubmittedForm {
  address: string
  scope?: 'all' | 'some'
  /** Components with a ticked box, whatever the scope. */
  componentIds?: ReadonlySet<string>
}

/** Result of a submission, above the forms. */
export type SubscribeNotice =
  | { kind: 'asked'; type: SubscriberType }
  | {
      kind: 'wrongAddress' | 'wrongCode' | 'noneChosen' | 'bothChosen'
      type: SubscriberType
      submitted: SubmittedForm
    }

export const subscribeDocument = (
  frame: PageFrame,
  shown: readonly ShownComponent[],
  { incident, notice }: { incident: PublicIncident | null; notice: SubscribeNotice | null },
): HtmlDocument => {
  const { page, urls, language } = frame
  const { texts } = language
  const types = typesOf(page)
  const followed = incident?.status === 'resolved' ? null : incident
  const context = { shown, notice, followed }
  return {
    title: `${texts.subscribe} – ${page.name}`,
    description: texts.subscribeIntro,
    part: followed === null ? '/subscribe' : incidentSubscribePath(followed),
    icon: stateIcon(page, 'none'),
    previewImage: defaultPreview(frame, ''),
    liveSeconds: null,
    isIndexed: false,
    content: html`<h2 class="first">${texts.subscribe}</h2>
${incident !== null && incidentLink(incident, frame)}
<p class="intro">${introOf(frame, { types, followed })}</p>
${noticeOf(frame, notice)}
${types.map((type) => form(frame, type, context))}
${page.allowFeeds && followed === null && feeds(frame)}
<p class="more"><a href="${urls.path('')}">${texts.current}</a></p>`,
  }
}

/** Incident of the form; a resolved one can no longer be followed. */
const incidentLink = (
  incident: PublicIncident,
  { urls, language: { texts } }: PageFrame,
): Markup => {
  const link = html`<p><a href="${urls.path(incidentPath(incident))}"><bdi>${incident.title}</bdi></a></p>`
  return incident.status === 'resolved'
    ? html`${link}<p class="note" role="status">${texts.incidentResolved}</p>`
    : link
}

const introOf = (
  { language: { texts } }: PageFrame,
  { types, followed }: { types: readonly SubscriberType[]; followed: PublicIncident | null },
): string => {
  if (types.length === 0) return texts.noSubscriptions
  return followed === null ? texts.subscribeIntro : texts.followIntro
}

const typesOf = (page: StatusPageRow): SubscriberType[] => [
  ...(page.allowEmailSubscribers ? (['email'] as const) : []),
  ...(page.allowSmsSubscribers ? (['sms'] as const) : []),
  ...(page.allowWebhookSubscribers ? (['webhook'] as const) : []),
]

const noticeOf = (frame: PageFrame, notice: SubscribeNotice | null): Markup | null => {
  if (notice === null) return null
  const { texts } = frame.language
  if (notice.kind !== 'asked') {
    return html`<p class="note down" role="alert" id="problem">${texts[notice.kind]}</p>${notice.kind === 'wrongCode' && codeForm(frame, notice.submitted.address)}`
  }
  return html`<p class="note ok" role="status">${texts.asked[notice.type]}</p>${notice.type === 'sms' && codeForm(frame, '')}`
}

const codeForm = ({ urls, language: { texts } }: PageFrame, phone: string): Markup =>
  html`<form class="card form" method="post" action="${urls.path('/subscribe')}"><input type="hidden" name="type" value="sms">
<label for="confirm-phone">${texts.addresses.sms}</label><div class="fld"><input id="confirm-phone" name="phone" type="tel" autocomplete="tel" required value="${phone}"></div>
<label for="code">${texts.code}</label><div class="fld"><input id="code" name="code" inputmode="numeric" autocomplete="one-time-code" maxlength="6" required><button class="b">${texts.confirm}</button></div></form>`

const fields: Record<SubscriberType, { name: string; type: string; complete: string }> = {
  email: { name: 'email', type: 'email', complete: 'email' },
  sms: { name: 'phone', type: 'tel', complete: 'tel' },
  webhook: { name: 'webhookUrl', type: 'url', complete: 'off' },
}

interface FormContext {
  shown: readonly ShownComponent[]
  notice: SubscribeNotice | null
  /** Incident of the subscription; null for one to the page. */
  followed: PublicIncident | null
}

const form = (
  { page, urls, language }: PageFrame,
  type: SubscriberType,
  { shown, notice, followed }: FormContext,
): Markup => {
  const { texts } = language
  const { name, type: kind, complete } = fields[type]
  const refused = notice !== null && notice.kind !== 'asked' && notice.type === type ? notice : null
  const value = refused && html` value="${refused.submitted.address}"`
  const problem = refused?.kind === 'wrongAddress' && html` ${INVALID}`
  return html`<form class="card form" method="post" action="${urls.path('/subscribe')}"><h2>${texts.channels[type]}</h2>
<input type="hidden" name="type" value="${type}">${followed && html`<input type="hidden" name="incidentId" value="${followed.id}">`}
<label for="${name}">${texts.addresses[type]}</label>
<div class="fld"><input id="${name}" name="${name}" type="${kind}" autocomplete="${complete}" required${value}${problem}><button class="b">${texts.send}</button></div>
${followed === null && shown.length > 1 && choices({ type, shown, refused, defaults: defaultComponentIds(page, shown) }, language.texts)}</form>`
}

type Refused = Exclude<SubscribeNotice, { kind: 'asked' }>

const INVALID = html`aria-invalid="true" aria-describedby="problem"`

interface Choices {
  type: SubscriberType
  shown: readonly ShownComponent[]
  refused: Refused | null
  /** Components that are ticked at first; empty: all are selected. */
  defaults: readonly string[]
}

const choices = (
  { type, shown, refused, defaults }: Choices,
  texts: PageFrame['language']['texts'],
): Markup => {
  const submitted: Partial<SubmittedForm> = refused?.submitted ?? {}
  const { scope = defaults.length > 0 ? 'some' : 'all' } = submitted
  const { componentIds = new Set(defaults) } = submitted
  const isOpen = scope === 'some'
  const isInvalid = refused?.kind === 'noneChosen' || refused?.kind === 'bothChosen'
  const checked = html` checked`
  return html`<details${isOpen && html` open`}><summary>${texts.selectedSystems}</summary><fieldset${isInvalid && html` ${INVALID}`}><legend class="hide">${texts.systems}</legend>
<label class="pick"><input type="radio" name="scope" value="all"${scope === 'all' && checked}>${texts.allSystems}</label>
<label class="pick"><input type="radio" name="scope" value="some"${scope === 'some' && checked}>${texts.selectedSystems}</label>
<div class="kids">${shown.map(
    ({ component: { id }, name }) =>
      html`<label class="pick"><input type="checkbox" name="${componentField(id)}" id="${type}-${id}"${componentIds.has(id) && checked}><bdi>${name}</bdi></label>
`,
  )}</div>${defaults.map((id) => html`<input type="hidden" name="${defaultField(id)}">`)}</fieldset></details>`
}

const feeds = ({ urls, language: { texts } }: PageFrame): Markup =>
  html`<div class="card form"><h2>${texts.feeds}</h2><p class="links"><a href="${urls.data('/feed?format=atom')}">Atom</a><a href="${urls.data('/feed?format=rss')}">RSS</a><a href="${urls.data('/feed?format=json')}">JSON Feed</a><a href="${urls.data('/maintenances.ics')}">${texts.calendar}</a></p></div>`
