/**
 * Handles subscription forms of visitors: response and duration are the same whether or not the
 * address is known.
 */
import { setTimeout as pause } from 'node:timers/promises'
import {
  type Actor,
  conflict,
  type EventDraft,
  invalid,
  notFound,
  type Outcome,
  type PublicIncident,
  type SignUp,
} from '@status-page/contracts'
import type { OutboundPolicy } from '@status-page/outbound'
import { type Database, newId, type Scope, transact } from '@status-page/postgres'
import { type Sealer, sha256 } from '@status-page/secrets'
import { listAllComponents } from '../../components/store.ts'
import {
  requestConfirmation,
  sendManageLink,
} from '../../subscribers/confirmation/confirmation-request.ts'
import { validateSelection } from '../../subscribers/confirmation/rules.ts'
import {
  addressOf,
  auditSubscriber,
  type SubscriberInput,
  signUpEvents,
  signUpSubscriber,
  subscriberEvent,
} from '../../subscribers/rules.ts'
import { encryptSecrets, encryptWebhookSecret } from '../../subscribers/secrets.ts'
import * as subscriberStore from '../../subscribers/store.ts'
import { validateWebhookUrl } from '../../subscribers/webhook-url.ts'
import type { StatusPageRow, SubscriberRow } from '../../tables.ts'
import { createPageView } from '../access/page-access.ts'
import { findPublicIncident } from '../public/page-queries.ts'
import { defaultComponentIds, shownComponents } from '../settings/shown-components.ts'
import { findPages } from '../settings/store.ts'

/** Longer than the work takes, so that the response time reveals nothing. */
const MIN_RESPONSE_MS = 250

export interface SignUpDeps {
  database: Database
  sealer: Sealer
  policy: OutboundPolicy
  baseUrl: string
}

export interface SignUpRequest {
  /** Page to which the caller was admitted. */
  page: { id: string; organizationId: string }
  body: SignUp
  actor: Actor
}

export const signUp = async (
  deps: SignUpDeps,
  { page, body, actor }: SignUpRequest,
): Promise<void> => {
  if (body.type === 'webhook') await validateWebhookUrl(body.webhookUrl, deps.policy)
  const { organizationId } = page
  const work = transact(deps.database, { organizationId, actor }, async (scope) => {
    const [row] = await findPages(scope, [page.id])
    if (row === undefined || !row.isPublished) throw notFound()
    await validateSignUp(scope, row, body)
    const incident = await incidentToFollow(deps, scope, row, body)
    const completed = await withPageDefaults(scope, row, body)
    return addAndRequest(deps.sealer, scope, { page: row, incident, body: completed })
  })
  await Promise.all([work, pause(MIN_RESPONSE_MS)])
}

const allowed = (page: StatusPageRow) => ({
  email: page.allowEmailSubscribers,
  sms: page.allowSmsSubscribers,
  webhook: page.allowWebhookSubscribers,
})

const validateSignUp = async (scope: Scope, page: StatusPageRow, body: SignUp): Promise<void> => {
  if (!allowed(page)[body.type]) {
    const expected = Object.entries(allowed(page)).flatMap(([type, is]) => (is ? [type] : []))
    throw invalid({
      field: 'type',
      message: `This page does not accept ${body.type} subscribers`,
      expected,
    })
  }
  const { componentIds = [] } = body
  if (componentIds.length === 0) return
  const shown = shownComponents(page, await listAllComponents(scope))
  validateSelection(componentIds, new Set(shown.map(({ component }) => component.id)))
}

/** Sign-up with the defaults of the page for absent choices; one to an incident has no choices. */
const withPageDefaults = async (
  scope: Scope,
  page: StatusPageRow,
  body: SignUp,
): Promise<SignUp> => {
  if (body.incidentId !== undefined) return body
  const { componentIds: defaults, events } = page.subscriberDefaults
  if (body.componentIds !== undefined || defaults.length === 0) return { events, ...body }
  const shown = shownComponents(page, await listAllComponents(scope))
  return { events, ...body, componentIds: defaultComponentIds(page, shown) }
}

/** Unresolved incident of the page; null for a subscription to the page. */
const incidentToFollow = async (
  { baseUrl }: SignUpDeps,
  scope: Scope,
  page: StatusPageRow,
  { incidentId, componentIds = [], events = [] }: SignUp,
): Promise<PublicIncident | null> => {
  if (incidentId === undefined) return null
  if (componentIds.length > 0 || events.length > 0) {
    const field = componentIds.length > 0 ? 'componentIds' : 'events'
    throw invalid({ field, message: `${field} cannot be combined with incidentId` })
  }
  const incident = await findPublicIncident(await createPageView(scope, page, baseUrl), incidentId)
  if (incident.status === 'resolved') throw conflict('invalid_state', 'The incident is resolved')
  return incident
}

interface ValidSignUp {
  page: StatusPageRow
  incident: PublicIncident | null
  body: SignUp
}

const addAndRequest = async (
  sealer: Sealer,
  scope: Scope,
  { page, incident, body }: ValidSignUp,
): Promise<Outcome<void>> => {
  const { row, created } = await rowFor(sealer, scope, page, body)
  const pageName = incident === null ? page.name : `${incident.title} – ${page.name}`
  const input = { row, pageName }
  const messages =
    row.status === 'active'
      ? await sendManageLink(sealer, scope, input)
      : await requestConfirmation(sealer, scope, {
          ...input,
          requested: requestedValues(sealer, row, body),
        })
  return {
    result: undefined,
    events: [...(created === null ? [] : [created]), ...messages],
    audit: created === null ? [] : [auditSubscriber('create', null, row)],
  }
}

/** Subscriber with this address; an existing one is unchanged. */
const rowFor = async (
  sealer: Sealer,
  scope: Scope,
  page: StatusPageRow,
  body: SignUp,
): Promise<{ row: SubscriberRow; created: EventDraft | null }> => {
  const { organizationId } = scope
  const same = { type: body.type, addressDigest: sha256(addressOf(body)) }
  const existing = await subscriberStore.lockSubscriberOnPage(scope, {
    ...same,
    statusPageId: page.id,
    incidentId: body.incidentId ?? null,
  })
  if (existing !== undefined) return { row: existing, created: null }
  // A subscription to all pages includes this one; it may select neither the components nor the
  // events of the incident.
  const forAllPages = await subscriberStore.lockSubscriberOnPage(scope, {
    ...same,
    statusPageId: null,
    incidentId: null,
  })
  const isIncluded = forAllPages?.status === 'active' && body.incidentId === undefined
  if (isIncluded) return { row: forAllPages, created: null }
  const id = newId()
  const secrets = { ...encryptSecrets(sealer, { organizationId, id }, body), webhookSecret: null }
  const row = signUpSubscriber(
    { id, organizationId, statusPageId: page.id, body, secrets },
    scope.now,
  )
  if (await subscriberStore.insertSubscriber(scope, row)) {
    return { row, created: subscriberEvent('created', row) }
  }
  return rowFor(sealer, scope, page, body)
}

const requestedValues = (sealer: Sealer, row: SubscriberRow, body: SignUp): SubscriberInput => ({
  componentIds: body.componentIds ?? [],
  events: signUpEvents(body),
  webhookSecret: encryptWebhookSecret(sealer, row, body),
  source: 'self_signup',
})
