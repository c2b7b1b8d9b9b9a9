/** Counts the recipients of an event with the same match as a fan-out; writes nothing. */
import {
  type AudienceCounts,
  type AudiencePreview,
  type AudienceState,
  audienceStates,
  type ChannelType,
  channelTypes,
  type IncidentEventData,
  incidentCreated,
  subscriberTypes,
} from '@status-page/contracts'
import type { Scope } from '@status-page/postgres'
import { sql } from 'drizzle-orm'
import { matchingDestinations } from '../deliveries/fan-out/fan-out.ts'
import { priorityOf, type RecipientMatch, recipientMatchOf } from '../deliveries/fan-out/match.ts'
import type { NotifyLimits } from '../deliveries/limits/rate.ts'
import type { DestinationState } from '../tables.ts'

const { kind } = incidentCreated

export const previewAudience = async (
  scope: Scope,
  incident: IncidentEventData,
  limits: NotifyLimits,
): Promise<AudiencePreview> => {
  const match = recipientMatchOf(kind, incident)
  if (match === null) throw new Error(`${kind} has no audience`)
  const groups = await countMatching(scope, match)
  const sent = groups.filter(({ state }) => state === 'sent')
  const waiting = await countWaiting(scope)
  const queues = queuesOf(sent, waiting, limits)
  return {
    event: kind,
    statusPageIds: incident.statusPageIds,
    subscribers: tableOf(subscriberTypes, groups, 'subscriber'),
    channels: tableOf(channelTypes, groups, 'channel'),
    sent: totalOf(sent),
    deferred: deferredOf(sent, waiting, limits),
    waiting: waiting.all,
    estimatedSeconds: Math.max(0, ...queues.map(secondsFor)),
  }
}

/** Matching destinations; grouped per channel, because each channel has its own limit. */
interface Group {
  destination: 'subscriber' | 'channel'
  type: ChannelType
  channelId: string | null
  state: AudienceState
  count: number
}

/**
 * States included in the preview; unsubscribed and deleted destinations are not part of an
 * audience.
 */
const previewedStates: readonly DestinationState[] = [
  'active',
  'unconfirmed',
  'quarantined',
  'disabled',
]

const countMatching = async (scope: Scope, match: RecipientMatch): Promise<Group[]> =>
  scope.tx.execute<Group & Record<string, unknown>>(sql`
    SELECT destination, type, "channelId", state, count(*)::int AS count FROM (
      SELECT d.kind AS destination, d.type, d.channel_id AS "channelId",
        CASE WHEN d.state <> 'active' THEN d.state
          WHEN ${match.state}::text = 'suppressed' THEN 'muted'
          WHEN d.type = 'sms' AND EXISTS (
            SELECT FROM sms_opt_outs o LEFT JOIN default_channels c
              ON c.organization_id = o.organization_id AND c.type = 'sms'
            WHERE o.organization_id = d.organization_id AND o.phone = d.address
              AND o.channel_id = coalesce(d.channel_id, c.channel_id)) THEN 'unsubscribed'
          ELSE 'sent' END AS state
      ${matchingDestinations(scope, match, previewedStates)}) one
    GROUP BY 1, 2, 3, 4`)

const tableOf = <Type extends ChannelType>(
  types: readonly Type[],
  groups: readonly Group[],
  destination: Group['destination'],
): Record<Type, AudienceCounts> => {
  const own = groups.filter((group) => group.destination === destination)
  const countsOf = (type: Type) =>
    Object.fromEntries(
      audienceStates.map((state) => [
        state,
        totalOf(own.filter((group) => group.type === type && group.state === state)),
      ]),
    ) as AudienceCounts
  return Object.fromEntries(types.map((type) => [type, countsOf(type)])) as Record<
    Type,
    AudienceCounts
  >
}

const totalOf = (groups: readonly Group[]): number =>
  groups.reduce((sum, { count }) => sum + count, 0)

interface Waiting {
  all: number
  webhooks: number
}

/** Maximum number of rows counted: beyond it the wait is long either way. */
const COUNT_LIMIT = 200_000

/** Counts the pending deliveries that precede the event: those of the same or a higher urgency. */
const countWaiting = async (scope: Scope): Promise<Waiting> => {
  const [row] = await scope.tx.execute<{ all: number; webhooks: number }>(sql`
    SELECT count(*)::int AS all, count(*) FILTER (WHERE worker = 'webhook')::int AS webhooks FROM (
      SELECT worker FROM deliveries WHERE organization_id = ${scope.organizationId}
        AND state = 'pending' AND priority <= ${priorityOf(kind)} LIMIT ${COUNT_LIMIT}) waiting`)
  return { all: row?.all ?? 0, webhooks: row?.webhooks ?? 0 }
}

/** Messages that share one limit per minute. */
interface Queue {
  messages: number
  perMinute: number
}

const queuesOf = (sent: readonly Group[], waiting: Waiting, limits: NotifyLimits): Queue[] => {
  const webhooks = totalOf(sent.filter(({ type }) => type === 'webhook'))
  const channels = Map.groupBy(
    sent.filter(({ channelId }) => channelId !== null),
    ({ channelId }) => channelId,
  )
  return [
    { messages: queuedMessages(waiting.all, totalOf(sent)), perMinute: limits.global },
    {
      messages: queuedMessages(waiting.webhooks, webhooks),
      perMinute: limits.webhookPerOrganization,
    },
    ...[...channels.values()].map((own) => ({
      messages: totalOf(own),
      perMinute: limits.perChannel,
    })),
  ]
}

/** Queue length including pending deliveries; zero where the event adds no message. */
const queuedMessages = (waiting: number, own: number): number => (own === 0 ? 0 : waiting + own)

const MINUTE_SECONDS = 60

/** Wait of the last message: one minute for each full window before it. */
const secondsFor = ({ messages, perMinute }: Queue): number =>
  Math.floor(Math.max(0, messages - 1) / perMinute) * MINUTE_SECONDS

/** Number of deferred messages; the tightest limit determines it. */
const deferredOf = (sent: readonly Group[], waiting: Waiting, limits: NotifyLimits): number => {
  const total = totalOf(sent)
  const deferredByQueue = queuesOf(sent, waiting, limits).map(({ messages, perMinute }) =>
    Math.max(0, messages - perMinute),
  )
  return Math.min(total, Math.max(0, ...deferredByQueue))
}
