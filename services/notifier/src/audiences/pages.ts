/** Copy of the status pages: language, time zone, name and look of messages. */
import type { EventDataOf, Locale, StatusPage, statusPageUpdated } from '@status-page/contracts'
import type { Scope } from '@status-page/postgres'
import { sql } from 'drizzle-orm'
import { pages } from '../tables.ts'

/** Language for recipients without a page, and of pages whose last event predates the field. */
export const DEFAULT_LOCALE = 'en'
export const DEFAULT_TIMEZONE = 'UTC'

export const savePage = async (
  { organizationId, tx }: Scope,
  statusPage: EventDataOf<typeof statusPageUpdated>['statusPage'],
  version: number,
  isDeleted: boolean,
): Promise<void> => {
  const { id, name, locale = DEFAULT_LOCALE, timezone = DEFAULT_TIMEZONE } = statusPage
  const { theme = null, logoUrl = null, logoDarkUrl = null } = statusPage
  const values = { name, locale, timezone, theme, logoUrl, logoDarkUrl, isDeleted, version }
  await tx
    .insert(pages)
    .values({ organizationId, id, ...values })
    .onConflictDoUpdate({
      target: [pages.organizationId, pages.id],
      set: values,
      setWhere: sql`${pages.version} < excluded.version`,
    })
}

/** Look of the messages of a page. */
export interface PageAppearance {
  name: string
  theme: StatusPage['theme'] | null
  logoUrl: string | null
  logoDarkUrl: string | null
}

export interface MessageBranding {
  /** Null until the organization's event has arrived. */
  organizationName: string | null
  locale: Locale
  timezone: string
  /** Null for messages that concern no page. */
  appearance: PageAppearance | null
}

/**
 * Returns the sender's name, the language and the time zone: of the page that the destination
 * subscribed to, else of the organization's oldest page.
 */
export const loadBranding = async (
  scope: Scope,
  destinationId: string,
): Promise<MessageBranding> => {
  const { organizationId, tx } = scope
  const [row] = await tx.execute<{
    name: string | null
    locale: Locale | null
    timezone: string | null
  }>(sql`
    WITH wanted AS (SELECT (SELECT status_page_id FROM destinations
      WHERE organization_id = ${organizationId} AND id = ${destinationId}::uuid) AS id)
    SELECT (SELECT name FROM organizations WHERE organization_id = ${organizationId} LIMIT 1) AS name,
      page.locale, page.timezone
    FROM wanted LEFT JOIN LATERAL (SELECT locale, timezone FROM pages
      WHERE organization_id = ${organizationId}
        AND CASE WHEN wanted.id IS NULL THEN NOT is_deleted ELSE id = wanted.id END
      ORDER BY id LIMIT 1) page ON true`)
  return {
    organizationName: row?.name ?? null,
    locale: row?.locale ?? DEFAULT_LOCALE,
    timezone: row?.timezone ?? DEFAULT_TIMEZONE,
    appearance: null,
  }
}
