/** What exactly goes: the message of a delivery, in the form of its destination and the words of its reader. */
import {
  type AlertFact,
  type CertificateFact,
  type ConfirmationRequested,
  certificateExpiring,
  type DraftFact,
  factForStrangers,
  factOnPage,
  type IncidentEventData,
  type MaintenanceEventData,
  type MonitorFact,
  type SlaFact,
  type SlaTargetFact,
} from '@status-page/contracts'
import type { Sealer } from '@status-page/secrets'
import { type AccountNews, accountMail } from '../messages/account-mail.ts'
import { type AlertNews, alertMail, isAlertKind } from '../messages/alert-mail.ts'
import { confirmationBody, confirmationMail, confirmationText } from '../messages/confirmation.ts'
import type { MessageContext, MessageRecipient } from '../messages/context.ts'
import { endedMail, isEndedNews } from '../messages/ending-mail.ts'
import { languages, type MessageLanguage } from '../messages/language.ts'
import { newsOf } from '../messages/news.ts'
import { ownerMail } from '../messages/owner-mail.ts'
import { type Content, contentOf, nothing } from '../messages/render.ts'
import type { WebhookEvent } from '../messages/webhook-body.ts'
import type { Message, OpenChannel } from '../senders/sender.ts'
import type { DestinationType } from '../tables.ts'
import type { LeasedEvent } from './events.ts'
import type { LoadedDelivery } from './load-for-send.ts'
import { isQuestion } from './questions.ts'

export interface MessageDeps {
  /** Links in mails begin with it. */
  baseUrl: string
  sealer: Sealer
}

export type PreparedMessage = Message & { type: DestinationType }

/** What is told: the last word on each thing that the delivery stands for. */
export type Latest = Pick<LeasedEvent, 'kind' | 'occurredAt' | 'payload'>

interface Writing {
  leased: LoadedDelivery
  latest: readonly Latest[]
  channel: OpenChannel | null
  now: Date
}

export const messageOf = (
  deps: MessageDeps,
  { leased, latest, channel, now }: Writing,
): PreparedMessage => {
  const { delivery, destination, event, branding } = leased
  const organizationName = branding.organizationName ?? 'Status'
  const language = languages[branding.locale]
  const rendering = { deps, leased, latest, channel, language, organizationName }
  return {
    type: destination.type,
    deliveryId: delivery.id,
    eventId: event.eventId,
    sequence: event.aggregateVersion,
    attempt: delivery.attempts,
    address: destination.address,
    organizationName,
    channel,
    ...contentOfAttempt(rendering),
    ...secretsOf(deps, leased, now),
  }
}

/** A webhook gets the stored bytes of its first attempt, without another rendering; people get the latest words. */
const contentOfAttempt = (rendering: Rendering): Content => {
  const { leased, channel } = rendering
  if (isKept(leased) && leased.delivery.body !== null) {
    return { ...nothing, body: leased.delivery.body }
  }
  return isForPrograms(leased, channel)
    ? sameForAll(leased, () => contentFor(rendering))
    : contentFor(rendering)
}

/** Whether every attempt sends the bytes of the first. */
export const isKept = ({
  destination,
  event,
}: Pick<LoadedDelivery, 'destination' | 'event'>): boolean =>
  destination.type === 'webhook' && !isQuestion(event)

/** By no channel's template and with no reader's link in it. */
const isForPrograms = (leased: LoadedDelivery, channel: OpenChannel | null): boolean =>
  isKept(leased) && channel === null

const contents = new WeakMap<LeasedEvent, Map<string | null, Content>>()

/** One rendering for all programs of one page, and one for those without a page, in one batch. */
const sameForAll = (
  { event, destination: { statusPageId } }: Pick<LoadedDelivery, 'event' | 'destination'>,
  render: () => Content,
): Content => {
  const rendered = contents.get(event) ?? new Map<string | null, Content>()
  contents.set(event, rendered)
  const content = rendered.get(statusPageId) ?? render()
  rendered.set(statusPageId, content)
  return content
}

export const factsIn = (payload: unknown) =>
  payload as {
    incident?: IncidentEventData
    maintenance?: MaintenanceEventData
    monitor?: MonitorFact
    alert?: AlertFact
    sla?: SlaFact
    certificate?: CertificateFact
    draft?: DraftFact
  }

/** It names an incident too, and less of it than an event about the incident does. */
const targetIn = (payload: unknown): SlaTargetFact | null => {
  const target = payload as Partial<SlaTargetFact>
  return target.targetMinutes === undefined ? null : (target as SlaTargetFact)
}

const toldOf = (event: Latest, destination: Recipient): WebhookEvent => {
  const { kind, occurredAt } = event
  const target = targetIn(event.payload)
  if (target !== null) return { kind, occurredAt, target }
  const facts = factsIn(event.payload)
  const { incident, maintenance, monitor, alert, sla, certificate, draft } = facts
  if (incident !== undefined) {
    return { kind, occurredAt, incident: visibleTo(destination, incident) }
  }
  if (maintenance !== undefined) {
    return { kind, occurredAt, maintenance: visibleTo(destination, maintenance) }
  }
  if (monitor !== undefined) return { kind, occurredAt, monitor }
  if (alert !== undefined) return { kind, occurredAt, alert }
  if (sla !== undefined) return { kind, occurredAt, sla }
  if (certificate !== undefined) return { kind, occurredAt, certificate }
  if (draft !== undefined) return { kind, occurredAt, draft }
  throw new Error(`no message exists for ${kind}`)
}

type Recipient = Pick<LoadedDelivery['destination'], 'kind' | 'statusPageId'>

/** Subscribers read what their page shows; channels belong to the organization and read all of it. */
const visibleTo = <Fact extends IncidentEventData | MaintenanceEventData>(
  { kind, statusPageId }: Recipient,
  fact: Fact,
): Fact => {
  if (kind !== 'subscriber') return fact
  return statusPageId === null ? factForStrangers(fact) : factOnPage(fact, statusPageId)
}

interface Rendering {
  deps: MessageDeps
  leased: LoadedDelivery
  latest: readonly Latest[]
  channel: OpenChannel | null
  organizationName: string
  language: MessageLanguage
}

const contentFor = (rendering: Rendering): Content => {
  const { deps, leased, latest, channel, organizationName } = rendering
  const { delivery, destination, event } = leased
  if (isQuestion(event)) return questionOf(rendering, event.payload)
  if (destination.kind === 'user') {
    return { ...nothing, mail: personalMailOf(rendering) }
  }
  const context: MessageContext = {
    baseUrl: deps.baseUrl,
    organizationName,
    language: rendering.language,
    sequence: event.aggregateVersion,
    coveredUpdates: delivery.covers.length + 1 - latest.length,
    reader: readerOf(rendering),
    messageTemplate: channel?.messageTemplate ?? null,
  }
  const [told = toldOf(event, destination), ...others] = latest.map((one) =>
    toldOf(one, destination),
  )
  return contentOf(destination.type, { told, others, context, channel })
}

const readerOf = ({ deps, leased, channel }: Rendering): MessageRecipient => {
  const { destination } = leased
  return destination.kind === 'channel'
    ? { kind: 'channel', channelName: channel?.name ?? '' }
    : {
        kind: 'subscriber',
        manageToken: opened(deps, leased, destination.manageToken, 'mail-token'),
      }
}

const questionOf = (
  { deps, leased, organizationName, language }: Rendering,
  question: ConfirmationRequested,
): Content => {
  const token = tokenOf(deps, leased, question)
  const context = { baseUrl: deps.baseUrl, organizationName, language, token }
  switch (leased.destination.type) {
    case 'email':
      return { ...nothing, mail: confirmationMail(question, context) }
    case 'sms':
      return { ...nothing, text: confirmationText(question, context) }
    default:
      return { ...nothing, body: confirmationBody(question, context) }
  }
}

/** A question is signed by the secret that came with it. */
const secretsOf = (deps: MessageDeps, leased: LoadedDelivery, now: Date) => {
  const { destination, event } = leased
  const { previousWebhookSecret: previous, previousWebhookSecretUntil: until } = destination
  const isQuestioned = isQuestion(event)
  const current = isQuestioned ? event.payload.webhookSecret : destination.webhookSecret
  const signsAlong = !isQuestioned && until !== null && until > now
  return {
    secret: opened(deps, leased, current, 'webhook'),
    previousSecret: signsAlong ? opened(deps, leased, previous, 'webhook') : null,
  }
}

/** Of a question; sealed to its event, as the tokens of account mail are. */
const tokenOf = (
  { sealer }: MessageDeps,
  { delivery: { organizationId }, event }: LoadedDelivery,
  { sealedToken }: ConfirmationRequested,
): string =>
  sealer.open(sealedToken, { organizationId, purpose: 'mail-token', recordId: event.aggregateId })

const personalMailOf = ({ deps, leased, organizationName, language }: Rendering) => {
  const { event } = leased
  const context = { baseUrl: deps.baseUrl, organizationName, language }
  if (isEndedNews(event)) return endedMail(event.payload, context)
  if (isAlertKind(event.kind)) {
    const { alert } = event.payload as Pick<AlertNews, 'alert'>
    return alertMail({ kind: event.kind, alert }, context)
  }
  if (event.kind === certificateExpiring.kind) {
    return ownerMail(newsOf(toldOf(event, leased.destination), language), context)
  }
  const news = { kind: event.kind, data: event.payload } as AccountNews
  const sealed = 'sealedToken' in news.data ? news.data.sealedToken : null
  const token = opened(deps, leased, sealed, 'mail-token')
  return accountMail(news, { ...context, token })
}

/** What is sealed belongs to the subscriber, or to the account event that brought it. */
const opened = (
  { sealer }: MessageDeps,
  { delivery, destination, event }: LoadedDelivery,
  sealed: string | null,
  purpose: 'webhook' | 'mail-token',
): string | null =>
  sealed === null
    ? null
    : sealer.open(sealed, {
        organizationId: delivery.organizationId,
        purpose,
        recordId: destination.subscriberId ?? event.aggregateId,
      })
