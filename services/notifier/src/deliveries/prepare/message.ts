/** Renders the message of a delivery for its destination type and the reader's language. */
import {
  type AlertEventData,
  type CertificateEventData,
  type ConfirmationRequested,
  certificateExpiring,
  type DraftEventData,
  eventDataForOutsiders,
  eventDataOnPage,
  type IncidentEventData,
  type LocationEventData,
  locationStale,
  type MaintenanceEventData,
  type MonitorEventData,
  type SlaEventData,
  type SlaTargetEventData,
  type VendorStatusEventData,
  vendorStatusChanged,
} from '@status-page/contracts'
import type { Sealer } from '@status-page/secrets'
import type { DecryptedChannel, OutgoingMessage, RenderedContent } from '../../channels/channel.ts'
import { channels } from '../../channels/index.ts'
import { emptyContent, renderContent } from '../../channels/render.ts'
import { type AccountEvent, accountMail } from '../../messages/account-mail.ts'
import { type AlertEvent, alertMail, isAlertKind } from '../../messages/alert-mail.ts'
import { isConfirmation } from '../../messages/confirmation.ts'
import type { MessageContext, MessageRecipient } from '../../messages/context.ts'
import type { ReaderLanguage } from '../../messages/language.ts'
import { locationMail } from '../../messages/location-mail.ts'
import { toMessageContent } from '../../messages/message-content.ts'
import { ownerMail } from '../../messages/owner-mail.ts'
import { readerLanguage } from '../../messages/reader-language.ts'
import { isSuppressionNotice, suppressionMail } from '../../messages/suppression-mail.ts'
import { vendorMail } from '../../messages/vendor-mail.ts'
import type { WebhookEvent } from '../../messages/webhook-body.ts'
import type { DestinationType } from '../../tables.ts'
import { type ActionUrlDeps, actionUrlOf } from './action-url.ts'
import type { LeasedEvent } from './events.ts'
import type { LoadedDelivery } from './load-for-send.ts'

export interface MessageDeps extends ActionUrlDeps {
  sealer: Sealer
}

export type PreparedMessage = OutgoingMessage & { type: DestinationType }

/** Latest event of one subject that the delivery covers. */
export type CoveredEvent = Pick<LeasedEvent, 'kind' | 'occurredAt' | 'payload'>

export interface MessageInput {
  leased: LoadedDelivery
  latest: readonly CoveredEvent[]
  /** Number of covered subjects without a loaded event. */
  omitted: number
  channel: DecryptedChannel | null
  now: Date
}

export const prepareMessage = (
  deps: MessageDeps,
  { leased, latest, omitted, channel, now }: MessageInput,
): PreparedMessage => {
  const { delivery, destination, event, branding } = leased
  const senderName = destination.statusPageName ?? branding.organizationName ?? 'Status'
  const language = readerLanguage(branding.locale, branding.timezone)
  const rendering = { deps, leased, latest, omitted, channel, language, senderName }
  return {
    type: destination.type,
    deliveryId: delivery.id,
    eventId: event.eventId,
    sequence: event.aggregateVersion,
    attempt: delivery.attempts,
    address: destination.address,
    senderName,
    channel,
    ...contentOfAttempt(rendering),
    ...secretsOf(deps, leased, now),
  }
}

/**
 * A webhook retry repeats the stored bytes of the first attempt; messages to people are rendered
 * from the latest events.
 */
const contentOfAttempt = (rendering: Rendering): RenderedContent => {
  const { leased, channel } = rendering
  if (hasStableBody(leased) && leased.delivery.body !== null) {
    return { ...emptyContent, body: leased.delivery.body }
  }
  return isForPrograms(leased, channel)
    ? cachedContent(leased, () => contentFor(rendering))
    : contentFor(rendering)
}

/** True when every attempt sends the bytes of the first. */
export const hasStableBody = ({
  destination,
  event,
}: Pick<LoadedDelivery, 'destination' | 'event'>): boolean =>
  destination.type === 'webhook' && !isConfirmation(event)

/**
 * True for webhooks without a channel: no template and no personal link, so the content can be
 * shared.
 */
const isForPrograms = (leased: LoadedDelivery, channel: DecryptedChannel | null): boolean =>
  hasStableBody(leased) && channel === null

const contents = new WeakMap<LeasedEvent, Map<string | null, RenderedContent>>()

/** Renders once per event and page for all webhooks of a batch. */
const cachedContent = (
  { event, destination: { statusPageId } }: Pick<LoadedDelivery, 'event' | 'destination'>,
  render: () => RenderedContent,
): RenderedContent => {
  const rendered = contents.get(event) ?? new Map<string | null, RenderedContent>()
  contents.set(event, rendered)
  const content = rendered.get(statusPageId) ?? render()
  rendered.set(statusPageId, content)
  return content
}

export const eventDataOf = (payload: unknown) =>
  payload as {
    incident?: IncidentEventData
    maintenance?: MaintenanceEventData
    monitor?: MonitorEventData
    alert?: AlertEventData
    sla?: SlaEventData
    certificate?: CertificateEventData
    draft?: DraftEventData
  }

/**
 * Missed target in the payload. Its event names an incident too, but with fewer fields than an
 * incident event.
 */
const targetIn = (payload: unknown): SlaTargetEventData | null => {
  const target = payload as Partial<SlaTargetEventData>
  return target.targetMinutes === undefined ? null : (target as SlaTargetEventData)
}

const toWebhookEvent = (event: CoveredEvent, destination: Recipient): WebhookEvent => {
  const { kind, occurredAt } = event
  const target = targetIn(event.payload)
  if (target !== null) return { kind, occurredAt, target }
  const data = eventDataOf(event.payload)
  const { incident, maintenance, monitor, alert, sla, certificate, draft } = data
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

/**
 * Limits a subscriber's content to what the page shows; channels belong to the organization and
 * receive everything.
 */
const visibleTo = <Data extends IncidentEventData | MaintenanceEventData>(
  { kind, statusPageId }: Recipient,
  data: Data,
): Data => {
  if (kind !== 'subscriber') return data
  return statusPageId === null ? eventDataForOutsiders(data) : eventDataOnPage(data, statusPageId)
}

interface Rendering {
  deps: MessageDeps
  leased: LoadedDelivery
  latest: readonly CoveredEvent[]
  omitted: number
  channel: DecryptedChannel | null
  /** Name of the page for its subscribers, else of the organization. */
  senderName: string
  language: ReaderLanguage
}

const contentFor = (rendering: Rendering): RenderedContent => {
  const { deps, leased, latest, omitted, channel, senderName } = rendering
  const { delivery, destination, event } = leased
  if (isConfirmation(event)) return confirmationContent(rendering, event.payload)
  if (destination.kind === 'user') {
    return { ...emptyContent, mail: personalMailOf(rendering) }
  }
  const context: MessageContext = {
    baseUrl: deps.baseUrl,
    senderName,
    appearance: leased.branding.appearance,
    language: rendering.language,
    sequence: event.aggregateVersion,
    coveredUpdates: delivery.coveredEventIds.length + 1 - latest.length - omitted,
    reader: readerOf(rendering),
    actionUrl: actionUrlOf(deps, destination, latest[0] ?? event),
    messageTemplate: channel?.messageTemplate ?? null,
  }
  const [first = toWebhookEvent(event, destination), ...others] = latest.map((one) =>
    toWebhookEvent(one, destination),
  )
  return renderContent(destination.type, {
    event: first,
    others,
    omitted,
    context,
    config: channel?.config ?? null,
  })
}

const readerOf = ({ deps, leased, channel }: Rendering): MessageRecipient => {
  const { destination } = leased
  return destination.kind === 'channel'
    ? { kind: 'channel', channelName: channel?.name ?? '' }
    : {
        kind: 'subscriber',
        manageToken: openSecret(deps, leased, destination.manageToken, 'mail-token'),
      }
}

const confirmationContent = (
  { deps, leased, senderName, language }: Rendering,
  request: ConfirmationRequested,
): RenderedContent => {
  const token = tokenOf(deps, leased, request)
  const { appearance } = leased.branding
  const context = { baseUrl: deps.baseUrl, senderName, appearance, language, token }
  const { renderConfirmation } = channels[leased.destination.type]
  return { ...emptyContent, ...renderConfirmation?.(request, context) }
}

/** Signing secrets; a confirmation request is signed with the secret that its event carries. */
const secretsOf = (deps: MessageDeps, leased: LoadedDelivery, now: Date) => {
  const { destination, event } = leased
  const { previousWebhookSecret: previous, previousWebhookSecretUntil: until } = destination
  const needsConfirmation = isConfirmation(event)
  const current = needsConfirmation ? event.payload.webhookSecret : destination.webhookSecret
  const isPreviousValid = !needsConfirmation && until !== null && until > now
  return {
    secret: openSecret(deps, leased, current, 'webhook'),
    previousSecret: isPreviousValid ? openSecret(deps, leased, previous, 'webhook') : null,
  }
}

/** Decrypts the token of a confirmation request, which is bound to its event. */
const tokenOf = (
  { sealer }: MessageDeps,
  { delivery: { organizationId }, event }: LoadedDelivery,
  { sealedToken }: ConfirmationRequested,
): string =>
  sealer.open(sealedToken, { organizationId, purpose: 'mail-token', recordId: event.aggregateId })

const personalMailOf = ({ deps, leased, senderName, language }: Rendering) => {
  const { event } = leased
  const context = { baseUrl: deps.baseUrl, organizationName: senderName, language }
  if (isSuppressionNotice(event)) return suppressionMail(event.payload, context)
  if (isAlertKind(event.kind)) {
    const { alert } = event.payload as Pick<AlertEvent, 'alert'>
    const actionUrl = actionUrlOf(deps, leased.destination, event)
    return alertMail({ kind: event.kind, alert }, { ...context, actionUrl })
  }
  if (event.kind === certificateExpiring.kind) {
    return ownerMail(toMessageContent(toWebhookEvent(event, leased.destination), language), context)
  }
  if (event.kind === vendorStatusChanged.kind) {
    const { vendorStatus } = event.payload as { vendorStatus: VendorStatusEventData }
    return vendorMail(vendorStatus, context)
  }
  if (event.kind === locationStale.kind) {
    const { location } = event.payload as { location: LocationEventData }
    return locationMail(location, context)
  }
  const accountEvent = { kind: event.kind, data: event.payload } as AccountEvent
  const sealed = 'sealedToken' in accountEvent.data ? accountEvent.data.sealedToken : null
  const token = openSecret(deps, leased, sealed, 'mail-token')
  return accountMail(accountEvent, { ...context, token })
}

/** Decrypts a text that is bound to the subscriber or to the account event. */
const openSecret = (
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
