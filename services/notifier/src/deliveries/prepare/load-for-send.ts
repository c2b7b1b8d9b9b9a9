/**
 * Loads everything that the send decision and the message depend on, by a few statements per batch
 * across organizations.
 */
import type { Locale, NotificationLimits } from '@status-page/contracts'
import { asWorkerRaw, type Database, type RawSystemScope } from '@status-page/postgres'
import {
  DEFAULT_LOCALE,
  DEFAULT_TIMEZONE,
  type MessageBranding,
  type PageAppearance,
} from '../../audiences/pages.ts'
import type {
  ChannelRow,
  DestinationKind,
  DestinationState,
  DestinationType,
} from '../../tables.ts'
import { type ClaimedDelivery, LEASE_SECONDS } from '../claim/leases.ts'
import { FIRST_LIMITED_PRIORITY, MONITOR_KINDS } from '../fan-out/match.ts'
import {
  firstPageIdOf,
  firstPublicPageIdOf,
  type LeasedEvent,
  loadEvents,
  organizationScopedKey,
} from './events.ts'

/** Age of a claim from which its leases are renewed and its rows read again. */
const RENEW_AFTER_MS = 5_000
/** Maximum number of pending deliveries counted per destination. */
const MAX_COUNTED = 500

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
    userId: string | null
    channelId: string | null
    webhookSecret: string | null
    previousWebhookSecret: string | null
    previousWebhookSecretUntil: Date | null
    manageToken: string | null
    /**
     * Page that the destination subscribed to; null for channels and for subscribers without a
     * page.
     */
    statusPageId: string | null
    /** Null without a page and until the page's event has arrived. */
    statusPageName: string | null
    /** A failure or a block precedes, which a success clears. */
    hasFailed: boolean
  }
  event: LeasedEvent
  /**
   * Channel that transports the message: the destination's own, or the default channel of its type.
   */
  channel: Pick<
    ChannelRow,
    'id' | 'organizationId' | 'name' | 'type' | 'config' | 'messageTemplate'
  > | null
  /** The number replied STOP to the channel. */
  isOptedOut: boolean
  /** Limits set by the organization; null for none. */
  limits: NotificationLimits | null
  branding: MessageBranding
  /**
   * Other pending deliveries of the destination that the limits apply to; not counted for webhooks.
   */
  waiting: { all: number; aboutMonitors: number }
}

export interface LoadedDeliveries {
  now: Date
  leased: LoadedDelivery[]
}

/** Returns the deliveries still leased by the owner, after renewing leases that are not fresh. */
export const loadForSend = (
  database: Database,
  owner: string,
  claimed: readonly ClaimedDelivery[],
): Promise<LoadedDeliveries> =>
  asWorkerRaw(database, async ({ now, sql }) => {
    // A plan for the values of each batch takes as long as hundreds of rows.
    const [leased] = await Promise.all([
      renewed(sql, owner, claimed),
      sql`SELECT set_config('plan_cache_mode', 'force_generic_plan', true)`,
    ])
    const [recipients, events] = await Promise.all([
      recipientsOf(sql, leased),
      loadEvents(sql, leased),
    ])
    const found = recipients.flatMap((row) => {
      const delivery = leased[row.place - 1] as ClaimedDelivery
      const event = events.get(organizationScopedKey(delivery.organizationId, delivery.eventId))
      return event === undefined ? [] : [{ delivery, row, event, pageId: pageIdOf(row, event) }]
    })
    const settings = await pageSettingsOf(sql, found)
    return {
      now,
      leased: found.map(({ delivery, row, event, pageId }) =>
        leasedOf(
          delivery,
          row,
          event,
          settings.get(organizationScopedKey(delivery.organizationId, pageId)) ?? defaultSettings,
        ),
      ),
    }
  })

/**
 * Page whose language and look the message has: the subscribed page, else the first that shows the
 * event's subject. A subscriber receives the look of public pages only.
 */
const pageIdOf = (row: RecipientRow, event: LeasedEvent): string | null => {
  if (row.status_page_id !== null) return row.status_page_id
  return row.destination_kind === 'subscriber' ? firstPublicPageIdOf(event) : firstPageIdOf(event)
}

type Sql = RawSystemScope['sql']

/**
 * Returns the deliveries whose leases last, after renewing those that were not claimed just now:
 * Postgres may have been unavailable since, or a failed batch may have changed them.
 */
const renewed = async (
  sql: Sql,
  owner: string,
  claimed: readonly ClaimedDelivery[],
): Promise<readonly ClaimedDelivery[]> => {
  const freshSince = performance.now() - RENEW_AFTER_MS
  const isFresh = ({ readAtMs }: ClaimedDelivery) => readAtMs > freshSince
  const ids = claimed.filter((one) => !isFresh(one)).map(({ id }) => id)
  if (ids.length === 0) return claimed
  const rows = await sql<({ id: string } & Renewed)[]>`
    UPDATE deliveries SET lease_until = now() + make_interval(secs => ${LEASE_SECONDS})
    WHERE id = ANY (${ids}::uuid[]) AND lease_owner = ${owner}::uuid AND state = 'sending'
    RETURNING id, covered_event_ids AS "coveredEventIds", body, expires_at AS "expiresAt"`
  const current = new Map(rows.map(({ id, ...rest }) => [id, rest]))
  return claimed.flatMap((one) => {
    const row = isFresh(one) ? {} : current.get(one.id)
    return row === undefined ? [] : [{ ...one, ...row }]
  })
}

/** Columns that a preparation of the delivery may have changed. */
type Renewed = Pick<ClaimedDelivery, 'coveredEventIds' | 'body' | 'expiresAt'>

interface RecipientRow {
  /** Place of the delivery in the batch, from 1. */
  place: number
  destination_kind: DestinationKind
  type: DestinationType
  destination_state: DestinationState
  address: string
  subscriber_id: string | null
  user_id: string | null
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
  status_page_name: string | null
  has_failed: boolean
  waiting: number | null
  about_monitors: number | null
}

/**
 * Recipients of the deliveries, in their order. OFFSET 0 makes the planner look up each destination
 * by its id instead of reading all of them.
 */
const recipientsOf = (sql: Sql, claimed: readonly ClaimedDelivery[]) => sql<RecipientRow[]>`
  SELECT d.place::int, e.kind AS destination_kind, e.type, e.state AS destination_state, e.address,
    e.subscriber_id, e.user_id, e.channel_id, e.webhook_secret, e.previous_webhook_secret,
    e.previous_webhook_secret_until, e.manage_token,
    c.id AS outgoing_channel_id, c.name AS outgoing_channel_name, c.type AS outgoing_channel_type, c.config AS outgoing_channel_config,
    c.message_template AS outgoing_channel_template,
    e.type = 'sms' AND EXISTS (SELECT FROM sms_opt_outs s
      WHERE s.organization_id = d.organization_id AND s.channel_id = c.id AND s.phone = e.address)
      AS is_opted_out,
    o.name AS organization_name, o.notification_limits, e.status_page_id,
    g.name AS status_page_name,
    e.fail_streak > 0 OR e.first_fail_at IS NOT NULL OR e.blocked_until IS NOT NULL AS has_failed,
    w.waiting, w.about_monitors
  FROM unnest(${claimed.map(({ organizationId }) => organizationId)}::uuid[],
    ${claimed.map(({ destinationId }) => destinationId)}::uuid[])
    WITH ORDINALITY AS d(organization_id, destination_id, place)
  CROSS JOIN LATERAL (
    SELECT kind, type, state, address, status_page_id, subscriber_id, user_id, channel_id,
      webhook_secret, previous_webhook_secret, previous_webhook_secret_until, manage_token,
      fail_streak, first_fail_at, blocked_until
    FROM destinations
    WHERE organization_id = d.organization_id AND id = d.destination_id OFFSET 0) e
  LEFT JOIN pages g ON g.organization_id = d.organization_id AND g.id = e.status_page_id
  LEFT JOIN default_channels r ON r.organization_id = d.organization_id AND r.type = e.type
    AND e.kind = 'subscriber'
  LEFT JOIN notification_channels c ON c.organization_id = d.organization_id
    AND c.id = coalesce(e.channel_id, r.channel_id)
  LEFT JOIN organizations o ON o.organization_id = d.organization_id AND o.id = d.organization_id
  LEFT JOIN LATERAL (
    SELECT count(*)::int AS waiting,
      count(*) FILTER (WHERE p.kind LIKE ${MONITOR_KINDS})::int AS about_monitors
    FROM (SELECT kind FROM deliveries p WHERE e.type <> 'webhook'
      AND p.destination_id = d.destination_id AND p.state = 'pending' AND p.priority >= ${FIRST_LIMITED_PRIORITY}
      LIMIT ${MAX_COUNTED}) p) w ON true
  ORDER BY d.place`

interface PageReference {
  delivery: Pick<ClaimedDelivery, 'organizationId'>
  pageId: string | null
}

type PageSettings = Omit<MessageBranding, 'organizationName'>

const defaultSettings: PageSettings = {
  locale: DEFAULT_LOCALE,
  timezone: DEFAULT_TIMEZONE,
  appearance: null,
}

interface PageSettingsRow extends PageAppearance {
  organization_id: string
  id: string | null
  locale: Locale
  timezone: string
}

/** Settings of the pages; without a page, language and time zone of the organization's oldest. */
const pageSettingsOf = async (
  sql: Sql,
  wanted: readonly PageReference[],
): Promise<Map<string, PageSettings>> => {
  const pages = new Map(
    wanted.map(({ delivery: { organizationId }, pageId }) => [
      organizationScopedKey(organizationId, pageId),
      { organizationId, pageId },
    ]),
  )
  const requested = [...pages.values()]
  const rows = await sql<PageSettingsRow[]>`
    SELECT w.organization_id, w.id, p.name, p.locale, p.timezone, p.theme,
      p.logo_url AS "logoUrl", p.logo_dark_url AS "logoDarkUrl"
    FROM unnest(${requested.map(({ organizationId }) => organizationId)}::uuid[],
      ${requested.map(({ pageId }) => pageId) as never}::uuid[]) AS w(organization_id, id),
    LATERAL (SELECT name, locale, timezone, theme, logo_url, logo_dark_url FROM pages p
      WHERE p.organization_id = w.organization_id
        AND CASE WHEN w.id IS NULL THEN NOT p.is_deleted ELSE p.id = w.id END
      ORDER BY p.id LIMIT 1) p`
  return new Map(
    rows.map(({ organization_id, id, locale, timezone, ...appearance }) => [
      organizationScopedKey(organization_id, id),
      { locale, timezone, appearance: id === null ? null : appearance },
    ]),
  )
}

const leasedOf = (
  { id, organizationId, destinationId, eventId, attempts, ...stored }: ClaimedDelivery,
  row: RecipientRow,
  event: LeasedEvent,
  settings: PageSettings,
): LoadedDelivery => {
  const { coveredEventIds, body, expiresAt } = stored
  return {
    delivery: {
      id,
      organizationId,
      destinationId,
      eventId,
      attempts,
      coveredEventIds,
      body,
      expiresAt,
    },
    destination: {
      id: destinationId,
      organizationId,
      kind: row.destination_kind,
      type: row.type,
      state: row.destination_state,
      address: row.address,
      subscriberId: row.subscriber_id,
      userId: row.user_id,
      channelId: row.channel_id,
      webhookSecret: row.webhook_secret,
      previousWebhookSecret: row.previous_webhook_secret,
      previousWebhookSecretUntil: row.previous_webhook_secret_until,
      manageToken: row.manage_token,
      statusPageId: row.status_page_id,
      statusPageName: row.status_page_name,
      hasFailed: row.has_failed,
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
    branding: { organizationName: row.organization_name, ...settings },
    waiting: { all: row.waiting ?? 0, aboutMonitors: row.about_monitors ?? 0 },
  }
}
