/** Core's copy of notification channels, used to validate and resolve escalation targets. */
import type { Scope } from '@status-page/postgres'
import { and, eq, inArray, sql } from 'drizzle-orm'
import { type ChannelProjectionRow, channels } from '../../tables.ts'

/** Ignores versions older than the stored one. */
export const saveChannel = async (
  { tx, organizationId }: Scope,
  row: Omit<ChannelProjectionRow, 'organizationId'>,
): Promise<void> => {
  const { isRemoved, version } = row
  await tx
    .insert(channels)
    .values({ ...row, organizationId })
    .onConflictDoUpdate({
      target: [channels.organizationId, channels.id],
      set: { isRemoved, version },
      setWhere: sql`${channels.version} < excluded.version`,
    })
}

/** Returns the ids that belong to existing channels. */
export const findChannels = async (
  { tx, organizationId }: Scope,
  ids: Iterable<string>,
): Promise<Set<string>> => {
  const uniqueIds = [...new Set(ids)]
  if (uniqueIds.length === 0) return new Set()
  const rows = await tx
    .select({ id: channels.id })
    .from(channels)
    .where(
      and(
        eq(channels.organizationId, organizationId),
        inArray(channels.id, uniqueIds),
        eq(channels.isRemoved, false),
      ),
    )
  return new Set(rows.map(({ id }) => id))
}
