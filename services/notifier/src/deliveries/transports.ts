/** Ways out that many messages share: when one fails, everything through it waits together. */
import type { Scope } from '@status-page/postgres'
import { and, eq, gt, inArray, type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { transports } from '../tables.ts'

/** The operator's mail server. */
export const SMTP = 'smtp'
/** Of text messages without a channel: nobody's, so what goes through it waits for one. */
const SMS = 'sms'

/** The mail server or the account behind a channel. */
export const transportOf = (channelId: string): string => `channel:${channelId}`

/**
 * Name of the way out in SQL, of a destination and the carrier that is joined to it: a channel's own, the
 * carrier's for subscribers, the operator's server for people and where no channel carries; null where
 * nothing is shared.
 */
export const transportName = (
  destination: { type: SQLWrapper; channelId: SQLWrapper },
  defaultChannel: { channelId: SQLWrapper },
): SQL<string | null> => {
  const channelId = sql`coalesce(${destination.channelId}, ${defaultChannel.channelId})`
  return sql`CASE WHEN ${destination.type} NOT IN ('email', 'sms') THEN NULL
    WHEN ${channelId} IS NOT NULL THEN 'channel:' || ${channelId}
    WHEN ${destination.type} = 'email' THEN ${SMTP}::text ELSE ${SMS}::text END`
}

/** One delivery tries a transport that failed; until it knows, nobody else does. */
const PROBE_SECONDS = 90
const PAUSE_SECONDS = 900

export type TransportReason = 'channel_blocked' | 'channel_auth' | 'no_transport'

export interface Transport {
  blockedUntil: Date | null
  /** What deliveries that wait for it say; null while it works. */
  reason: TransportReason | null
  /** Failures in a row. */
  failStreak: number
}

const fresh: Transport = { blockedUntil: null, reason: null, failStreak: 0 }

type Transaction = Pick<Scope, 'tx'>

/** Keeps others away while one delivery finds out whether the transport works again. */
export const startProbes = async ({ tx }: Transaction, names: string[]): Promise<void> => {
  if (names.length === 0) return
  await tx
    .update(transports)
    .set({ blockedUntil: sql`now() + make_interval(secs => ${PROBE_SECONDS})` })
    .where(inArray(transports.name, names))
}

/** For a probe that sent nothing after all; what one has found out stays. */
export const endProbe = async (
  { tx }: Transaction,
  { name, failStreak: seenStreak }: { name: string; failStreak: number },
): Promise<void> => {
  await tx
    .update(transports)
    .set({ blockedUntil: null })
    .where(and(eq(transports.name, name), eq(transports.failStreak, seenStreak)))
}

/**
 * Blocks the transport, once for all that were on their way when it failed: each knows the streak
 * that it set out with, and only the first finds it unchanged.
 */
export const failTransport = async (
  { tx }: Transaction,
  { name, failStreak: seenStreak }: { name: string; failStreak: number },
  block: Pick<Transport, 'blockedUntil' | 'reason'>,
): Promise<boolean> => {
  const failed = { ...block, failStreak: seenStreak + 1 }
  const rows = await tx
    .insert(transports)
    .values({ name, ...failed })
    .onConflictDoUpdate({
      target: transports.name,
      set: failed,
      setWhere: eq(transports.failStreak, seenStreak),
    })
    .returning({ name: transports.name })
  return rows.length > 0
}

/** The provider said later that the account is to blame: until it is mended everything waits. */
export const pauseTransport = async ({ tx }: Transaction, name: string): Promise<void> => {
  const block = {
    blockedUntil: sql`now() + make_interval(secs => ${PAUSE_SECONDS})`,
    reason: 'channel_auth' as const,
  }
  await tx
    .insert(transports)
    .values({ name, ...block, failStreak: 1 })
    .onConflictDoUpdate({
      target: transports.name,
      set: { ...block, failStreak: sql`${transports.failStreak} + 1` },
    })
}

/** Writes nothing while all is well: every success would wait for one row otherwise. */
export const clearTransport = async ({ tx }: Transaction, name: string): Promise<void> => {
  await tx
    .update(transports)
    .set(fresh)
    .where(and(eq(transports.name, name), gt(transports.failStreak, 0)))
}

/** The channel was changed, or is gone: what was learned of it no longer holds. */
export const resetTransport = async ({ tx }: Transaction, name: string): Promise<void> => {
  await tx.delete(transports).where(eq(transports.name, name))
}

/** The settings may be mended: the next delivery tries at once, and alone. */
export const unblockTransports = async ({ tx }: Transaction): Promise<void> => {
  await tx.update(transports).set({ blockedUntil: null })
}
