/** The last look before sending: may it still go, has it to wait, what exactly goes. */
import type {
  AlertFact,
  ConfirmationRequested,
  IncidentFact,
  MaintenanceFact,
  MonitorFact,
} from '@status-page/contracts'
import type { Scope } from '@status-page/postgres'
import type { Sealer } from '@status-page/secrets'
import { letterheadOf } from '../audiences/pages.ts'
import { listComponents, organizationLimits } from '../audiences/store.ts'
import { type AccountNews, accountMail } from '../messages/account-mail.ts'
import { type AlertNews, alertMail, isAlertKind } from '../messages/alert-mail.ts'
import { confirmationBody, confirmationMail, confirmationText } from '../messages/confirmation.ts'
import type { MessageContext, Reader } from '../messages/context.ts'
import { endedMail, isEndedNews } from '../messages/ending-mail.ts'
import { type Language, languages } from '../messages/language.ts'
import { type Content, contentOf, nothing } from '../messages/render.ts'
import type { Told } from '../messages/webhook-body.ts'
import { openChannel } from '../notification-channels/secrets.ts'
import type { Message, OpenChannel, Senders } from '../senders/sender.ts'
import type { DestinationType } from '../tables.ts'
import { eventsCovered, gather, release } from './digest.ts'
import type { Claimed } from './leases.ts'
import type { Meter } from './metrics.ts'
import type { Pace } from './pace.ts'
import { isQuestion } from './questions.ts'
import { limitsOf, type NotifyLimits, rateKeysOf, takeRate } from './rate.ts'
import { finalStates, standingOf } from './rules.ts'
import {
  finishAttempt,
  keepBody,
  type Leased,
  type PutOff,
  putOff,
  readLeased,
  renewLease,
} from './store.ts'
import { failTransport } from './transports.ts'

/** A limit frees up at an instant that many wait for: spread them. */
const DEFER_JITTER_MS = 500
const NO_TRANSPORT_RETRY_MS = 60_000

export interface PrepareDeps {
  /** Links in mails begin with it. */
  baseUrl: string
  sealer: Sealer
  senders: Senders
  limits: NotifyLimits
  /** Of every limit that an organization sets for itself. */
  multiplier: number
  pace: Pace
  meter: Meter
}

export type Prepared = Message & { type: DestinationType }

/** The message, unless the delivery has ended or has to wait; then that is written. */
export const prepare = async (
  deps: PrepareDeps,
  scope: Scope,
  owner: string,
  { id, transport }: Claimed,
): Promise<Prepared | null> => {
  if (!(await renewLease(scope, id, owner))) return null
  const leased = await readLeased(scope, id, owner)
  if (leased === null) return null
  const isMuted = await areAllMuted(scope, leased.event)
  const facts = { ...leased, isMuted, isQuestion: isQuestion(leased.event) }
  const standing = standingOf(facts, scope.now)
  if (standing !== 'send') {
    // What it stood for beside its own news may go by itself.
    if (standing === 'muted' || standing === 'deleted') await release(scope, [id])
    await finishAttempt(scope, id, owner, {
      state: finalStates[standing],
      reason: standing,
      finishedAt: scope.now,
    })
    return null
  }
  const channel = leased.channel === null ? null : openChannel(deps.sealer, leased.channel)
  const own = limitsOf(deps.limits, await organizationLimits(scope), deps.multiplier)
  const covers = await gather(scope, leased, own, deps.pace.waiting())
  const put = (wait: Wait) => {
    deps.meter.deferred(wait.reason)
    return putOff(scope, { id, owner, ...wait })
  }
  if (!deps.senders[leased.destination.type].hasWay(channel)) {
    if (transport !== null) await blockWay(scope, transport)
    return put({ reason: 'no_transport', waitMs: NO_TRANSPORT_RETRY_MS })
  }
  const covering = { ...leased, delivery: { ...leased.delivery, covers } }
  const message = await messageOf(deps, scope, covering, channel)
  // Last, because others wait for its locks until this transaction has ended.
  const wait = await waitOf(deps, scope, leased, own)
  return wait === null ? message : put(wait)
}

type Wait = Pick<PutOff, 'reason' | 'waitMs'>

/** Everything that goes the same way waits together, and one delivery a minute asks for all. */
const blockWay = async (scope: Scope, transport: NonNullable<Claimed['transport']>) => {
  const blockedUntil = new Date(scope.now.getTime() + NO_TRANSPORT_RETRY_MS)
  await failTransport(scope, transport, { blockedUntil, reason: 'no_transport' })
}

/** By our copies; a component whose copy has not arrived is as the event said. */
const areAllMuted = async (scope: Scope, { payload }: { payload: unknown }): Promise<boolean> => {
  const components = componentsIn(payload)
  const copies = await listComponents(
    scope,
    components.map(({ id }) => id),
  )
  const copied = new Map(copies.map(({ id, isMuted }) => [id, isMuted]))
  return components.length > 0 && components.every((one) => copied.get(one.id) ?? one.isMuted)
}

const componentsIn = (payload: unknown): { id: string; isMuted: boolean }[] => {
  const { incident, maintenance, monitor } = factsIn(payload)
  return monitor === undefined
    ? ((incident ?? maintenance)?.components ?? [])
    : [{ id: monitor.componentId, isMuted: false }]
}

const waitOf = async (
  { pace }: PrepareDeps,
  scope: Scope,
  { destination, event }: Leased & object,
  limits: NotifyLimits,
): Promise<Wait | null> => {
  // Account mail, questions and who is to be woken stand outside of all limits.
  const isUrgent = isQuestion(event) || isAlertKind(event.kind)
  if (destination.kind === 'user' || isUrgent) return null
  const refusal = await takeRate(scope, rateKeysOf(destination, limits))
  if (refusal === null) return null
  pace.refused(refusal)
  return { reason: 'rate_limit', waitMs: refusal.waitMs + Math.random() * DEFER_JITTER_MS }
}

const messageOf = async (
  deps: PrepareDeps,
  scope: Scope,
  leased: Leased & object,
  channel: OpenChannel | null,
): Promise<Prepared> => {
  const { delivery, destination, event } = leased
  const latest = await latestOf(scope, leased)
  const { incident, maintenance } = factsIn(event.payload)
  const [shownOn] = (incident ?? maintenance)?.statusPageIds ?? []
  const head = await letterheadOf(scope, destination.id, shownOn)
  const organization = head.organizationName ?? 'Status'
  const language = languages[head.locale]
  const writing = { deps, leased, latest, channel, language, organizationName: organization }
  const content = contentFor(writing)
  // The bytes of a webhook are the same on every attempt; people get the latest words.
  const isKept = destination.type === 'webhook' && !isQuestion(event)
  const body = isKept ? (delivery.body ?? content.body) : content.body
  if (isKept && body !== null && delivery.body === null) await keepBody(scope, delivery.id, body)
  return {
    type: destination.type,
    deliveryId: delivery.id,
    eventId: event.eventId,
    sequence: event.aggregateVersion,
    attempt: delivery.attempts,
    address: destination.address,
    organizationName: organization,
    channel,
    ...content,
    body,
    ...secretsOf(deps, scope, leased),
  }
}

const factsIn = (payload: unknown) =>
  payload as {
    incident?: IncidentFact
    maintenance?: MaintenanceFact
    monitor?: MonitorFact
    alert?: AlertFact
  }

/** The last word on each thing that the delivery stands for, unless it is muted or gone by now. */
const latestOf = async (scope: Scope, leased: Leased & object): Promise<Event[]> => {
  if (leased.delivery.covers.length === 0) return [leased.event]
  const latest: Event[] = []
  for (const event of await eventsCovered(scope, leased)) {
    if (!(await areAllMuted(scope, event))) latest.push(event)
  }
  return latest.length === 0 ? [leased.event] : latest
}

type Event = Pick<(Leased & object)['event'], 'kind' | 'occurredAt' | 'payload'>

const toldOf = (event: Event): Told => {
  const { kind, occurredAt } = event
  const { incident, maintenance, monitor, alert } = factsIn(event.payload)
  if (incident !== undefined) return { kind, occurredAt, incident }
  if (maintenance !== undefined) return { kind, occurredAt, maintenance }
  if (monitor !== undefined) return { kind, occurredAt, monitor }
  if (alert !== undefined) return { kind, occurredAt, alert }
  throw new Error(`nothing can be told of ${kind}`)
}

interface Rendering {
  deps: PrepareDeps
  leased: Leased & object
  latest: readonly Event[]
  channel: OpenChannel | null
  organizationName: string
  language: Language
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
  const [told = toldOf(event), ...others] = latest.map(toldOf)
  return contentOf(destination.type, { told, others, context, channel })
}

const readerOf = ({ deps, leased, channel }: Rendering): Reader => {
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
const secretsOf = (deps: PrepareDeps, { now }: Scope, leased: Leased & object) => {
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
  { sealer }: PrepareDeps,
  { delivery: { organizationId }, event }: Leased & object,
  { sealedToken }: ConfirmationRequested,
): string =>
  sealer.open(sealedToken, { organizationId, purpose: 'mail-token', recordId: event.aggregateId })

const personalMailOf = ({ deps, leased, organizationName }: Rendering) => {
  const { baseUrl } = deps
  const { event } = leased
  if (isEndedNews(event)) return endedMail(event.payload, { baseUrl, organizationName })
  if (isAlertKind(event.kind)) {
    const { alert } = event.payload as Pick<AlertNews, 'alert'>
    return alertMail({ kind: event.kind, alert }, { baseUrl, organizationName })
  }
  const news = { kind: event.kind, data: event.payload } as AccountNews
  const sealed = 'sealedToken' in news.data ? news.data.sealedToken : null
  const token = opened(deps, leased, sealed, 'mail-token')
  return accountMail(news, { baseUrl, organizationName, token })
}

/** What is sealed belongs to the subscriber, or to the account event that brought it. */
const opened = (
  { sealer }: PrepareDeps,
  { delivery, destination, event }: Leased & object,
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
