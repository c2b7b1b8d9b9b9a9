/** Core's copy of the notification channels: which of them an escalation may name. */
import type { Scope } from '@status-page/postgres'
import { and, eq, inArray, sql } from 'drizzle-orm'
import { type ChannelProjectionRow, channels } from '../../tables.ts'

/** An older version of a channel never wins. */
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

/** Those of the ids that are channels now. */
export const findChannels = async (
  { tx, organizationId }: Scope,
  ids: Iterable<string>,
): Promise<Set<string>> => {
  const asked = [...new Set(ids)]
  if (asked.length === 0) return new Set()
  const rows = await tx
    .select({ id: channels.id })
    .from(channels)
    .where(
      and(
        eq(channels.organizationId, organizationId),
        inArray(channels.id, asked),
        eq(channels.isRemoved, false),
      ),
    )
  return new Set(rows.map(({ id }) => id))
}
