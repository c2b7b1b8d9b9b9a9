/** The last look before sending: may it still go, has it to wait, what exactly goes. */
import type { ConfirmationRequested, IncidentFact, MaintenanceFact } from '@status-page/contracts'
import type { Scope } from '@status-page/postgres'
import type { Sealer } from '@status-page/secrets'
import { listComponents, organizationName } from '../audiences/store.ts'
import { type AccountNews, accountMail } from '../messages/account-mail.ts'
import { type AlertNews, alertMail, isAlertKind } from '../messages/alert-mail.ts'
import { confirmationBody, confirmationMail } from '../messages/confirmation.ts'
import { incidentMail } from '../messages/incident-mail.ts'
import { maintenanceMail } from '../messages/maintenance-mail.ts'
import { type Told, webhookBody } from '../messages/webhook-body.ts'
import type { Message, Senders } from '../senders/sender.ts'
import type { DestinationType } from '../tables.ts'
import { isQuestion } from './questions.ts'
import { type NotifyLimits, rateKeysOf, takeRate } from './rate.ts'
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

/** A limit frees up at an instant that many wait for: spread them. */
const DEFER_JITTER_MS = 500
const NO_TRANSPORT_RETRY_MS = 60_000

export interface PrepareDeps {
  /** Links in mails begin with it. */
  baseUrl: string
  sealer: Sealer
  senders: Senders
  limits: NotifyLimits
}

export type Prepared = Message & { type: DestinationType }

/** The message, unless the delivery has ended or has to wait; then that is written. */
export const prepare = async (
  deps: PrepareDeps,
  scope: Scope,
  owner: string,
  id: string,
): Promise<Prepared | null> => {
  if (!(await renewLease(scope, id, owner))) return null
  const leased = await readLeased(scope, id, owner)
  if (leased === null) return null
  const isMuted = await areAllMuted(scope, leased)
  const facts = { ...leased, isMuted, isQuestion: isQuestion(leased.event) }
  const standing = standingOf(facts, scope.now)
  if (standing !== 'send') {
    await finishAttempt(scope, id, owner, {
      state: finalStates[standing],
      reason: standing,
      finishedAt: scope.now,
    })
    return null
  }
  const wait = await waitOf(deps, scope, leased)
  if (wait !== null) return putOff(scope, { id, owner, ...wait })
  return messageOf(deps, scope, leased)
}

/** By our copies; a component whose copy has not arrived is as the event said. */
const areAllMuted = async (scope: Scope, { event }: Leased & object): Promise<boolean> => {
  const { incident, maintenance } = factsIn(event.payload)
  const { components = [] } = incident ?? maintenance ?? {}
  const copies = await listComponents(
    scope,
    components.map(({ id }) => id),
  )
  const copied = new Map(copies.map(({ id, isMuted }) => [id, isMuted]))
  return components.length > 0 && components.every((one) => copied.get(one.id) ?? one.isMuted)
}

const waitOf = async (
  { senders, limits }: PrepareDeps,
  scope: Scope,
  { destination, event }: Leased & object,
): Promise<Pick<PutOff, 'reason' | 'waitMs'> | null> => {
  if (senders[destination.type] === null) {
    return { reason: 'no_transport', waitMs: NO_TRANSPORT_RETRY_MS }
  }
  // Account mail and questions stand outside of all limits.
  if (destination.kind === 'user' || isQuestion(event)) return null
  const waitMs = await takeRate(scope, rateKeysOf(destination, limits))
  return waitMs === null
    ? null
    : { reason: 'rate_limit', waitMs: waitMs + Math.random() * DEFER_JITTER_MS }
}

const messageOf = async (
  deps: PrepareDeps,
  scope: Scope,
  leased: Leased & object,
): Promise<Prepared> => {
  const { delivery, destination, event } = leased
  const organization = (await organizationName(scope)) ?? 'Status'
  const body = bodyOf(deps, leased)
  const isKept = body !== null && delivery.body === null && !isQuestion(event)
  if (isKept) await keepBody(scope, delivery.id, body)
  return {
    type: destination.type,
    deliveryId: delivery.id,
    eventId: event.eventId,
    sequence: event.aggregateVersion,
    attempt: delivery.attempts,
    address: destination.address,
    organizationName: organization,
    body,
    mail: destination.type === 'email' ? mailOf(deps, leased, organization) : null,
    ...secretsOf(deps, scope, leased),
  }
}

const factsIn = (payload: unknown) =>
  payload as { incident?: IncidentFact; maintenance?: MaintenanceFact }

const toldOf = ({ event }: Leased & object): Told => {
  const { kind, occurredAt } = event
  const { incident, maintenance } = factsIn(event.payload)
  if (incident !== undefined) return { kind, occurredAt, incident }
  if (maintenance !== undefined) return { kind, occurredAt, maintenance }
  throw new Error(`nothing can be told of ${kind}`)
}

const bodyOf = (deps: PrepareDeps, leased: Leased & object): Buffer | null => {
  const { delivery, destination, event } = leased
  if (destination.type !== 'webhook') return null
  if (isQuestion(event)) {
    const context = { baseUrl: deps.baseUrl, token: tokenOf(deps, leased, event.payload) }
    return confirmationBody(event.payload, context)
  }
  return delivery.body ?? webhookBody(toldOf(leased))
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

const mailOf = (deps: PrepareDeps, leased: Leased & object, organizationName: string) => {
  const { baseUrl } = deps
  const { delivery, destination, event } = leased
  if (isQuestion(event)) {
    const token = tokenOf(deps, leased, event.payload)
    return confirmationMail(event.payload, { baseUrl, organizationName, token })
  }
  if (isAlertKind(event.kind)) {
    const { alert } = event.payload as Pick<AlertNews, 'alert'>
    return alertMail({ kind: event.kind, alert }, { baseUrl, organizationName })
  }
  if (destination.kind === 'user') {
    const news = { kind: event.kind, data: event.payload } as AccountNews
    const sealed = 'sealedToken' in news.data ? news.data.sealedToken : null
    const token = opened(deps, leased, sealed, 'mail-token')
    return accountMail(news, { baseUrl, organizationName, token })
  }
  const told = toldOf(leased)
  const context = {
    baseUrl,
    organizationName,
    manageToken: opened(deps, leased, destination.manageToken, 'mail-token'),
    coveredUpdates: delivery.covers.length,
  }
  return 'incident' in told ? incidentMail(told, context) : maintenanceMail(told, context)
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
