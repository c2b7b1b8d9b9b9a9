/** Inbound hooks of channels: verified before parsing, and processed once. */
import {
  Bounce,
  type ChannelType,
  channelHookOperations,
  draftEvent,
  type EventDraft,
  subscriberResubscribed,
  successReply,
  systemActor,
  throwIssues,
  unauthorized,
} from '@status-page/contracts'
import { asLookup, type Database, read, type Scope, transact } from '@status-page/postgres'
import { equalInConstantTime, type Sealer } from '@status-page/secrets'
import {
  type Call,
  compileDecoder,
  compileValidator,
  createRoutes,
  parseLargeJson,
  type RawReply,
  type Route,
  rawReply,
  textFormats,
} from '@status-page/service'
import { loadBranding } from '../audiences/pages.ts'
import type { DecryptedChannel } from '../channels/channel.ts'
import { decryptChannel } from '../channels/secrets.ts'
import { channelTransportName, pauseTransport } from '../channels/shared-transports.ts'
import { smsResultOfCode } from '../channels/sms.ts'
import { suppressDestination } from '../deliveries/record/record.ts'
import { MAX_SOFT_BOUNCES } from '../deliveries/record/rules.ts'
import { recordSoftBounce } from '../deliveries/record/store.ts'
import { languages } from '../messages/languages/index.ts'
import { escapeHtml } from '../messages/mail.ts'
import { findChannel } from '../notification-channels/store.ts'
import type { SuppressionReason } from '../tables.ts'
import { isFailureStatus, isLaterStatus, subscriptionRequestOf } from './rules.ts'
import { isFormSigned } from './signature.ts'
import {
  findDestinationById,
  listDestinationsByAddress,
  lockMessage,
  optInPhone,
  optOutPhone,
  organizationOfChannel,
  recordHookReceipt,
  resubscribeByPhone,
  saveProviderStatus,
} from './store.ts'

export interface HookDeps {
  database: Database
  sealer: Sealer
  /** Base of the URLs that a provider signs. */
  baseUrl: string
}

type HookCall = Pick<Call, 'headers' | 'rawBody'> & { params: { channelId: string } }

export const hookRoutes = (deps: HookDeps): Route[] =>
  createRoutes(channelHookOperations, {
    async sms(call) {
      const { channel, fields } = await verifyForm(deps, call, 'sms')
      const answer = await inChannel(deps, channel, (scope) => handleReply(scope, channel, fields))
      return responseOf(answer)
    },

    async smsStatus(call) {
      const { channel, fields } = await verifyForm(deps, call, 'sms-status')
      await inChannel(deps, channel, async (scope) => ({
        result: undefined,
        events: await handleReport(scope, channel, fields),
      }))
      return responseOf(null)
    },

    async bounce(call) {
      const channel = await channelFor(deps, call, 'email')
      const secret = channel?.config.bounceSecret ?? null
      const token = call.headers['x-hook-token']
      if (channel === null || secret === null || typeof token !== 'string') throw unauthorized()
      if (!equalInConstantTime(token, secret)) throw unauthorized()
      const bounce = await parseBounce(call.rawBody)
      await inChannel(deps, channel, async (scope) => ({
        result: undefined,
        events: await handleBounce(scope, channel, bounce),
      }))
      return successReply
    },
  })

/** TwiML with at most one message, sent back to the phone. */
const responseOf = (message: string | null): RawReply =>
  rawReply({
    contentType: 'text/xml',
    body:
      message === null
        ? '<Response/>'
        : `<Response><Message>${escapeHtml(message)}</Message></Response>`,
  })

/**
 * Null for an unknown id and for a channel of another type, so that callers cannot distinguish
 * them.
 */
const channelFor = async <Kind extends ChannelType>(
  { database, sealer }: HookDeps,
  { params: { channelId } }: HookCall,
  kind: Kind,
): Promise<DecryptedChannel<Kind> | null> => {
  if (textFormats.uuid?.accepts(channelId) !== true) return null
  const organizationId = await asLookup(database, (systemScope) =>
    organizationOfChannel(systemScope, channelId),
  )
  if (organizationId === null) return null
  const found = await read(database, organizationId, (scope) => findChannel(scope, channelId))
  if (found === undefined || found.row.type !== kind) return null
  return decryptChannel(sealer, found.row) as DecryptedChannel<Kind>
}

const verifyForm = async (deps: HookDeps, call: HookCall, hook: 'sms' | 'sms-status') => {
  const { params, headers, rawBody } = call
  const channel = await channelFor(deps, call, 'sms')
  const fields = new URLSearchParams(rawBody?.toString() ?? '')
  const signature = headers['x-twilio-signature']
  const url = `${deps.baseUrl}/api/v1/hooks/${hook}/${params.channelId}`
  const isVerified =
    channel !== null &&
    typeof signature === 'string' &&
    isFormSigned({ url, fields, authToken: channel.config.authToken }, signature)
  if (!isVerified) throw unauthorized()
  return { channel, fields }
}

interface HookOutcome<Answer> {
  result: Answer
  events: readonly EventDraft[]
}

/** Runs `work` in the organization of the channel; messages of providers have no audit entries. */
const inChannel = <Answer>(
  { database }: HookDeps,
  { organizationId }: DecryptedChannel,
  work: (scope: Scope) => Promise<HookOutcome<Answer>>,
): Promise<Answer> =>
  transact(database, { organizationId, actor: systemActor }, async (scope) => ({
    ...(await work(scope)),
    audit: [],
  }))

const noReply = { result: null, events: [] }

/** Handles an inbound text message and returns the reply; null for none. */
const handleReply = async (
  scope: Scope,
  { id }: DecryptedChannel,
  fields: URLSearchParams,
): Promise<HookOutcome<string | null>> => {
  const sid = fields.get('MessageSid')
  const phone = fields.get('From')
  if (sid === null || phone === null || !(await recordHookReceipt(scope, id, sid))) return noReply
  switch (subscriptionRequestOf(fields.get('Body') ?? '', fields.get('OptOutType'))) {
    case 'stop': {
      await optOutPhone(scope, id, phone)
      const ended = await suppressAll(
        scope,
        await listDestinationsByAddress(scope, id, 'sms', phone),
        'sms_stop',
      )
      return { result: null, events: ended }
    }
    case 'start':
      await optInPhone(scope, id, phone)
      return { result: null, events: await resume(scope, id, phone) }
    case 'help':
      return { ...noReply, result: await helpFor(scope, id, phone) }
    case 'other':
      return noReply
  }
}

/** Events for core, which resubscribes only subscribers that STOP had unsubscribed. */
const resume = async (scope: Scope, channelId: string, phone: string): Promise<EventDraft[]> => {
  const at = scope.now.toISOString()
  const unsubscribed = await resubscribeByPhone(scope, channelId, phone)
  return unsubscribed.flatMap(({ id, subscriberId, version }) =>
    subscriberId === null
      ? []
      : [draftEvent(subscriberResubscribed, { id, version }, { subscriberId, at })],
  )
}

const helpFor = async (scope: Scope, channelId: string, phone: string): Promise<string> => {
  const [known] = await listDestinationsByAddress(scope, channelId, 'sms', phone)
  const { organizationName, locale } = await loadBranding(scope, known?.id ?? channelId)
  return languages[locale].textHelp(organizationName ?? 'Status')
}

const suppressAll = async (
  scope: Scope,
  destinations: readonly { id: string; subscriberId: string | null }[],
  reason: SuppressionReason,
): Promise<EventDraft[]> => {
  const events: EventDraft[] = []
  for (const destination of destinations) {
    const ended = await suppressDestination(scope, destination, reason)
    events.push(...(ended?.events ?? []))
  }
  return events
}

const handleReport = async (
  scope: Scope,
  { id }: DecryptedChannel,
  fields: URLSearchParams,
): Promise<EventDraft[]> => {
  const sid = fields.get('MessageSid')
  const status = fields.get('MessageStatus')
  if (sid === null || status === null) return []
  const message = await lockMessage(scope, id, sid)
  if (message === null || !isLaterStatus(status, message.providerStatus)) return []
  await saveProviderStatus(scope, sid, status)
  if (!isFailureStatus(status)) return []
  return handleFailure(scope, id, message, Number(fields.get('ErrorCode')))
}

/** Treats an accepted message that was not delivered as a refused one. */
const handleFailure = async (
  scope: Scope,
  channelId: string,
  { destinationId, eventId }: { destinationId: string; eventId: string },
  code: number,
): Promise<EventDraft[]> => {
  const sendResult = smsResultOfCode(code, null)
  if (sendResult.class === 'transport' && sendResult.outcome === 'auth_failed') {
    await pauseTransport(scope, channelTransportName(channelId))
    return []
  }
  const destination = await findDestinationById(scope, destinationId)
  if (destination === null) return []
  if (sendResult.class === 'gone')
    return suppressAll(scope, [destination], sendResult.suppressionReason)
  if (sendResult.class !== 'mail' || sendResult.soft === undefined) return []
  const failures = await recordSoftBounce(scope, destinationId, eventId)
  return failures < MAX_SOFT_BOUNCES ? [] : suppressAll(scope, [destination], sendResult.soft)
}

const decodeBounce = compileDecoder(Bounce)
const validateBounce = compileValidator(Bounce, 'body')

const parseBounce = async (body: Buffer | undefined): Promise<Bounce> => {
  const decoded = body === undefined ? {} : decodeBounce(await parseLargeJson(body))
  throwIssues(validateBounce(decoded))
  return decoded as Bounce
}

const handleBounce = async (
  scope: Scope,
  { id }: DecryptedChannel,
  { type, email }: Bounce,
): Promise<EventDraft[]> => {
  const destinations = await listDestinationsByAddress(scope, id, 'email', email)
  if (type === 'hard') return suppressAll(scope, destinations, 'hard_bounce')
  if (type === 'complaint') return suppressAll(scope, destinations, 'complaint')
  const full = []
  for (const destination of destinations) {
    const cause = `bounce:${scope.now.toISOString()}`
    const failures = await recordSoftBounce(scope, destination.id, cause)
    if (failures >= MAX_SOFT_BOUNCES) full.push(destination)
  }
  return suppressAll(scope, full, 'mailbox_full')
}
