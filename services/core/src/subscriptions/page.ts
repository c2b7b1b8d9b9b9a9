/** What a subscriber sees: a button that confirms, a form of choices, a button that ends it. */
import { type SubscriberEvent, subscriberEvents } from '@status-page/contracts'
import { escapeHtml } from '../escape.ts'
import { maskedAddress } from '../subscribers/rules.ts'
import type { SubscriberRow } from '../tables.ts'
import { componentField, eventField } from './form.ts'
import type { Managed } from './manage.ts'
import { framed } from './page-frame.ts'
import { type Choice, isOver } from './rules.ts'

export { pageHeaders } from './page-frame.ts'

export type Notice = 'saved' | 'no-events' | 'no-components'

/** Before the answer: what it would be about. */
export const confirmHtml = (token: string, row: SubscriberRow, page: string | null): string =>
  framed(
    'Confirm your subscription',
    `<p>Status notifications${page === null ? '' : ` of <strong>${escapeHtml(page)}</strong>`} will
go to ${address(row)}.</p>
${postForm(`/subscriptions/confirm/${encodeURIComponent(token)}`, '<button type="submit">Confirm</button>')}
<p class="quiet">You did not ask for this? Close this page, and you will not hear from us.</p>`,
  )

export const confirmedHtml = (row: SubscriberRow, manageToken: string): string =>
  framed(
    'You are subscribed',
    `<p role="status">Status notifications go to ${address(row)} from now on.</p>
<p><a href="${pathOf(manageToken)}">Choose what you are told about</a></p>`,
  )

export const manageHtml = (
  token: string,
  { row, choices }: Managed,
  notice: Notice | null = null,
): string => {
  if (isOver(row)) return endedHtml(row)
  return framed(
    'Your subscription',
    `${notice === null ? '' : notices[notice]}
<p>Status notifications go to ${address(row)}.</p>
${quarantineNote(row)}
${postForm(pathOf(token), `${scopeFields(row, choices)}\n${eventFields(row)}\n<button type="submit">Save</button>`)}
<hr>
${endForm(token)}`,
  )
}

/** Behind the address of the mail header. */
export const unsubscribeHtml = (token: string, { row }: Managed): string =>
  isOver(row)
    ? endedHtml(row)
    : framed(
        'Unsubscribe',
        `<p>Status notifications go to ${address(row)}.</p>
${endForm(token)}
<p class="quiet"><a href="${pathOf(token)}">Choose what you are told about</a> instead</p>`,
      )

export const endedHtml = (row: SubscriberRow): string =>
  framed(
    'You are unsubscribed',
    `<p role="status">No more status notifications go to ${address(row)}.</p>`,
  )

export const deadLinkHtml = framed(
  'This link does not work',
  `<p>It was used already, is too old, or is not complete.</p>
<p class="quiet">Subscribe again on the status page to get another one.</p>`,
)

const notices: Readonly<Record<Notice, string>> = {
  saved: '<p class="note" role="status">Saved.</p>',
  'no-events': `<p class="note bad" role="alert">Choose at least one kind of notification. To get none,
unsubscribe.</p>`,
  'no-components': `<p class="note bad" role="alert">Choose at least one component, or all of them.</p>`,
}

const quarantineNote = ({ status }: SubscriberRow): string =>
  status === 'quarantined'
    ? '<p class="note bad">We could not reach this address lately, so nothing is sent to it.</p>'
    : ''

const address = (row: SubscriberRow) => `<strong>${escapeHtml(maskedAddress(row))}</strong>`

const pathOf = (token: string) => `/subscriptions/${encodeURIComponent(token)}`

const postForm = (action: string, content: string) =>
  `<form method="post" action="${action}">\n${content}\n</form>`

const endForm = (token: string) =>
  postForm(
    `${pathOf(token)}/unsubscribe`,
    '<button type="submit" class="plain">Unsubscribe</button>',
  )

const MAX_DEPTH = 3

const scopeFields = ({ componentIds }: SubscriberRow, choices: readonly Choice[]): string => {
  const isAll = componentIds.length === 0
  const chosen = new Set(componentIds)
  const boxes = choices.map(({ id, name, depth }) =>
    field({
      ...{ type: 'checkbox', name: componentField(id), label: name, isOn: chosen.has(id) },
      depth: Math.min(depth, MAX_DEPTH),
    }),
  )
  const scope = (value: 'all' | 'some', label: string, isOn: boolean) =>
    field({ type: 'radio', name: 'scope', value, label, isOn, depth: 0 })
  return `<fieldset>
<legend>Components</legend>
${scope('all', 'All of them, also those that come later', isAll)}
${boxes.length === 0 ? '' : scope('some', 'Only these, with what is below them', !isAll)}
<div class="list">
${boxes.join('\n')}
</div>
</fieldset>`
}

const eventLabels: Readonly<Record<SubscriberEvent, string>> = {
  'incident.created': 'An incident begins',
  'incident.updated': 'News about an incident',
  'incident.resolved': 'An incident is resolved',
  'maintenance.scheduled': 'A maintenance is planned',
  'maintenance.started': 'A maintenance begins',
  'maintenance.completed': 'A maintenance is over',
}

const eventFields = ({ events }: SubscriberRow): string => {
  const boxes = subscriberEvents.map((event) =>
    field({
      ...{ type: 'checkbox', name: eventField(event), label: eventLabels[event] },
      ...{ isOn: events.includes(event), depth: 0 },
    }),
  )
  return `<fieldset>\n<legend>Tell me when</legend>\n${boxes.join('\n')}\n</fieldset>`
}

interface Field {
  type: 'checkbox' | 'radio'
  name: string
  value?: string
  label: string
  isOn: boolean
  depth: number
}

const field = ({ type, name, value = 'on', label, isOn, depth }: Field): string =>
  `<label class="depth-${depth}"><input type="${type}" name="${escapeHtml(name)}" ` +
  `value="${value}"${isOn ? ' checked' : ''}> <span>${escapeHtml(label)}</span></label>`
