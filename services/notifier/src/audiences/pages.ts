/** Copy of the status pages, which provides the language of messages and the name in them. */
import type { EventDataOf, Locale, statusPageUpdated } from '@status-page/contracts'
import type { Scope } from '@status-page/postgres'
import { sql } from 'drizzle-orm'
import { pages } from '../tables.ts'

/** Language for recipients without a page, and of pages whose last event predates the field. */
const DEFAULT_LOCALE = 'en'

export const savePage = async (
  { organizationId, tx }: Scope,
  { id, name, locale = DEFAULT_LOCALE }: EventDataOf<typeof statusPageUpdated>['statusPage'],
  version: number,
  isDeleted: boolean,
): Promise<void> => {
  const values = { name, locale, isDeleted, version }
  await tx
    .insert(pages)
    .values({ organizationId, id, ...values })
    .onConflictDoUpdate({
      target: [pages.organizationId, pages.id],
      set: values,
      setWhere: sql`${pages.version} < excluded.version`,
    })
}

export interface MessageBranding {
  /** Null until the organization's event has arrived. */
  organizationName: string | null
  locale: Locale
}

/**
 * Returns the sender's name and the language: of the page that the destination subscribed to, else
 * of the page that shows the event's subject, else of the organization's oldest page.
 */
export const loadBranding = async (
  scope: Scope,
  destinationId: string,
  shownOn: string | null = null,
): Promise<MessageBranding> => {
  const { organizationId, tx } = scope
  const [row] = await tx.execute<{ name: string | null; locale: Locale | null }>(sql`
    WITH wanted AS (SELECT coalesce((SELECT status_page_id FROM audiences
      WHERE organization_id = ${organizationId} AND destination_id = ${destinationId}::uuid),
      ${shownOn}::uuid) AS id)
    SELECT (SELECT name FROM organizations WHERE organization_id = ${organizationId} LIMIT 1) AS name,
      CASE WHEN wanted.id IS NOT NULL
        THEN (SELECT locale FROM pages WHERE organization_id = ${organizationId} AND id = wanted.id)
        ELSE (SELECT locale FROM pages WHERE organization_id = ${organizationId} AND NOT is_deleted
          ORDER BY id LIMIT 1) END AS locale
    FROM wanted`)
  return { organizationName: row?.name ?? null, locale: row?.locale ?? DEFAULT_LOCALE }
}
