/**
 * The last look at what was claimed: everything that a message, and whether it may still go, depends on;
 * a few statements for a batch of whichever organizations.
 */
import type { Locale, NotificationLimits } from '@status-page/contracts'
import { asWorkerRaw, type Database, type RawSystemScope } from '@status-page/postgres'
import type { MessageBranding } from '../audiences/pages.ts'
import type { ChannelRow, DestinationKind, DestinationState, DestinationType } from '../tables.ts'
import { keyOf, type LeasedEvent, loadEvents, pageIdIn } from './events.ts'
import { LEASE_SECONDS } from './leases.ts'
import { FIRST_LIMITED_PRIORITY, MONITOR_KINDS } from './match.ts'

/** A lease that lasts longer still is as good as a new one. */
const RENEW_BELOW_SECONDS = LEASE_SECONDS - 5
/** Of what waits for one destination: more is not counted. */
const MAX_COUNTED = 500
const DEFAULT_LOCALE: Locale = 'en'

export interface LoadedDelivery {
  delivery: {
    id: string
    organizationId: string
    destinationId: string
    eventId: string
    attempts: number
    coveredEventIds: readonly string[]
    body: Buffer | null
    expiresAt: Date
  }
  destination: {
    id: string
    organizationId: string
    kind: DestinationKind
    type: DestinationType
    state: DestinationState
    address: string
    subscriberId: string | null
    channelId: string | null
    webhookSecret: string | null
    previousWebhookSecret: string | null
    previousWebhookSecretUntil: Date | null
    manageToken: string | null
    /** The page that it subscribed to; null for channels, and for subscribers without a page. */
    statusPageId: string | null
  }
  event: LeasedEvent
  /** That it goes through: its own, or the carrier of its kind. */
  channel: Pick<
    ChannelRow,
    'id' | 'organizationId' | 'name' | 'type' | 'config' | 'messageTemplate'
  > | null
  /** The number sent STOP to the channel. */
  isOptedOut: boolean
  /** What the organization chose for itself; null for nothing. */
  limits: NotificationLimits | null
  branding: MessageBranding
  /** Besides this one, for the same destination and within the limits; nothing is counted for programs. */
  waiting: { all: number; aboutMonitors: number }
}

export interface LoadedDeliveries {
  now: Date
  leased: LoadedDelivery[]
}

/** Those of the deliveries whose lease is the owner's, each under a whole lease. */
export const loadForSend = (
  database: Database,
  owner: string,
  ids: readonly string[],
): Promise<LoadedDeliveries> =>
  asWorkerRaw(database, async ({ now, sql }) => {
    const [, rows] = await Promise.all([renew(sql, owner, ids), leasedRows(sql, owner, ids)])
    const events = await loadEvents(
      sql,
      rows.map((row) => ({ organizationId: row.organization_id, eventId: row.event_id })),
    )
    const found = rows.flatMap((row) => {
      const event = events.get(keyOf(row.organization_id, row.event_id))
      // Subscribed to this page; else the one that shows what it is told about.
      const pageId = row.status_page_id ?? (event === undefined ? null : pageIdIn(event))
      return event === undefined ? [] : [{ row, event, pageId }]
    })
    const locales = await localesOf(sql, found)
    return {
      now,
      leased: found.map(({ row, event, pageId }) =>
        leasedOf(row, event, locales.get(keyOf(row.organization_id, pageId)) ?? DEFAULT_LOCALE),
      ),
    }
  })

type Sql = RawSystemScope['sql']

/** A lease counts from the send, not from the claim: Postgres may have been away in between. */
const renew = (sql: Sql, owner: string, ids: readonly string[]) => sql`
  UPDATE deliveries SET lease_until = now() + make_interval(secs => ${LEASE_SECONDS})
  WHERE id = ANY (${[...ids]}::uuid[]) AND lease_owner = ${owner}::uuid AND state = 'sending'
    AND lease_until < now() + make_interval(secs => ${RENEW_BELOW_SECONDS})`

interface LeasedRow {
  id: string
  organization_id: string
  event_id: string
  destination_id: string
  attempts: number
  covers: string[]
  body: Buffer | null
  expires_at: Date
  destination_kind: DestinationKind
  type: DestinationType
  destination_state: DestinationState
  address: string
  subscriber_id: string | null
  channel_id: string | null
  webhook_secret: string | null
  previous_webhook_secret: string | null
  previous_webhook_secret_until: Date | null
  manage_token: string | null
  outgoing_channel_id: string | null
  outgoing_channel_name: string
  outgoing_channel_type: ChannelRow['type']
  outgoing_channel_config: ChannelRow['config']
  outgoing_channel_template: string | null
  is_opted_out: boolean
  organization_name: string | null
  notification_limits: NotificationLimits | null
  status_page_id: string | null
  waiting: number | null
  about_monitors: number | null
}

const leasedRows = (sql: Sql, owner: string, ids: readonly string[]) => sql<LeasedRow[]>`
  SELECT d.id, d.organization_id, d.event_id, d.destination_id, d.attempts, d.covers, d.body,
    d.expires_at, e.kind AS destination_kind, e.type, e.state AS destination_state, e.address,
    e.subscriber_id, e.channel_id, e.webhook_secret, e.previous_webhook_secret,
    e.previous_webhook_secret_until, e.manage_token,
    c.id AS outgoing_channel_id, c.name AS outgoing_channel_name, c.type AS outgoing_channel_type, c.config AS outgoing_channel_config,
    c.message_template AS outgoing_channel_template,
    e.type = 'sms' AND EXISTS (SELECT FROM sms_opt_outs s
      WHERE s.organization_id = d.organization_id AND s.channel_id = c.id AND s.phone = e.address)
      AS is_opted_out,
    o.name AS organization_name, o.notification_limits, a.status_page_id,
    w.waiting, w.about_monitors
  FROM unnest(${[...ids]}::uuid[]) WITH ORDINALITY AS claimed(id, place)
  JOIN deliveries d ON d.id = claimed.id
  JOIN destinations e ON e.id = d.destination_id AND e.organization_id = d.organization_id
  LEFT JOIN audiences a ON a.organization_id = d.organization_id
    AND a.destination_id = d.destination_id
  LEFT JOIN carriers r ON r.organization_id = d.organization_id AND r.type = e.type
    AND e.kind = 'subscriber'
  LEFT JOIN notification_channels c ON c.organization_id = d.organization_id
    AND c.id = coalesce(e.channel_id, r.channel_id)
  LEFT JOIN organizations o ON o.organization_id = d.organization_id AND o.id = d.organization_id
  LEFT JOIN LATERAL (
    SELECT count(*)::int AS waiting,
      count(*) FILTER (WHERE p.kind LIKE ${MONITOR_KINDS})::int AS about_monitors
    FROM (SELECT kind FROM deliveries p WHERE p.destination_id = d.destination_id
      AND p.state = 'pending' AND p.priority >= ${FIRST_LIMITED_PRIORITY}
      LIMIT ${MAX_COUNTED}) p) w ON e.type <> 'webhook'
  WHERE d.lease_owner = ${owner}::uuid AND d.state = 'sending'
  ORDER BY claimed.place`

interface PageReference {
  row: Pick<LeasedRow, 'organization_id'>
  pageId: string | null
}

/** Of the pages; where none is known, of the organization's oldest. */
const localesOf = async (
  sql: Sql,
  wanted: readonly PageReference[],
): Promise<Map<string, Locale>> => {
  const pages = new Map(
    wanted.map(({ row: { organization_id }, pageId }) => [
      keyOf(organization_id, pageId),
      { organization_id, pageId },
    ]),
  )
  const requested = [...pages.values()]
  const rows = await sql<{ organization_id: string; id: string | null; locale: Locale | null }[]>`
    SELECT w.organization_id, w.id, CASE WHEN w.id IS NOT NULL
      THEN (SELECT locale FROM pages p WHERE p.organization_id = w.organization_id AND p.id = w.id)
      ELSE (SELECT locale FROM pages p WHERE p.organization_id = w.organization_id
        AND NOT p.is_deleted ORDER BY p.id LIMIT 1) END AS locale
    FROM unnest(${requested.map(({ organization_id }) => organization_id)}::uuid[],
      ${requested.map(({ pageId }) => pageId) as never}::uuid[]) AS w(organization_id, id)`
  return new Map(
    rows.flatMap(({ organization_id, id, locale }) =>
      locale === null ? [] : [[keyOf(organization_id, id), locale]],
    ),
  )
}

const leasedOf = (row: LeasedRow, event: LeasedEvent, locale: Locale): LoadedDelivery => {
  const { organization_id: organizationId } = row
  return {
    delivery: {
      id: row.id,
      organizationId,
      destinationId: row.destination_id,
      eventId: row.event_id,
      attempts: row.attempts,
      coveredEventIds: row.covers,
      body: row.body,
      expiresAt: row.expires_at,
    },
    destination: {
      id: row.destination_id,
      organizationId,
      kind: row.destination_kind,
      type: row.type,
      state: row.destination_state,
      address: row.address,
      subscriberId: row.subscriber_id,
      channelId: row.channel_id,
      webhookSecret: row.webhook_secret,
      previousWebhookSecret: row.previous_webhook_secret,
      previousWebhookSecretUntil: row.previous_webhook_secret_until,
      manageToken: row.manage_token,
      statusPageId: row.status_page_id,
    },
    event,
    channel:
      row.outgoing_channel_id === null
        ? null
        : {
            id: row.outgoing_channel_id,
            organizationId,
            name: row.outgoing_channel_name,
            type: row.outgoing_channel_type,
            config: row.outgoing_channel_config,
            messageTemplate: row.outgoing_channel_template,
          },
    isOptedOut: row.is_opted_out,
    limits: row.notification_limits,
    branding: { organizationName: row.organization_name, locale },
    waiting: { all: row.waiting ?? 0, aboutMonitors: row.about_monitors ?? 0 },
  }
}
