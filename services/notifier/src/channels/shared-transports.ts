/**
 * Transports that many messages share: when one fails, all of its deliveries are blocked together.
 */
import type { Scope } from '@status-page/postgres'
import { and, eq, gt, inArray, type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { transports } from '../tables.ts'
import { channelValue } from './sql.ts'

const CHANNEL_PREFIX = 'channel:'

/** Name of the transport behind a channel: its mail server, or its account at a provider. */
export const channelTransportName = (channelId: string): string => CHANNEL_PREFIX + channelId

/** True for the transport of a channel; the others belong to the operator. */
export const isChannelTransport = (name: string): boolean => name.startsWith(CHANNEL_PREFIX)

/** SQL for the operator's transport of a kind; null where no transport is shared. */
const operatorTransportOf = (type: SQLWrapper): SQL<string | null> =>
  channelValue(type, ({ operatorTransport }) => operatorTransport) as SQL<string | null>

/**
 * SQL for the kind of the default channel that sends to a subscriber; null for other destinations
 * and for kinds without a shared transport, which have no default channel.
 */
export const defaultChannelType = (destination: { type: SQLWrapper; kind: SQLWrapper }): SQL =>
  sql`CASE WHEN ${destination.kind} = 'subscriber' AND ${operatorTransportOf(destination.type)} IS NOT NULL
    THEN ${destination.type} END`

/**
 * SQL for the name of a destination's transport: the channel's own; for subscribers the default
 * channel's; the operator's server for accounts and where there is no default channel; null where
 * no transport is shared.
 */
export const transportName = (
  destination: { type: SQLWrapper; channelId: SQLWrapper },
  defaultChannel: { channelId: SQLWrapper },
): SQL<string | null> => {
  const operators = operatorTransportOf(destination.type)
  return sql`CASE WHEN ${operators} IS NULL THEN NULL
    ELSE coalesce('channel:' || coalesce(${destination.channelId}, ${defaultChannel.channelId}),
      ${operators}) END`
}

/** Duration of a probe: one delivery tries a failed transport while the others wait. */
const PROBE_SECONDS = 90
const PAUSE_SECONDS = 900

export type TransportReason = 'channel_blocked' | 'channel_auth' | 'no_transport'

export interface Transport {
  blockedUntil: Date | null
  /** Reason shown for waiting deliveries; null while the transport works. */
  reason: TransportReason | null
  /** Consecutive failures. */
  failStreak: number
}

const fresh: Transport = { blockedUntil: null, reason: null, failStreak: 0 }

type Transaction = Pick<Scope, 'tx'>

/** Blocks the transports for other deliveries while one delivery probes each of them. */
export const startProbes = async ({ tx }: Transaction, names: string[]): Promise<void> => {
  if (names.length === 0) return
  await tx
    .update(transports)
    .set({ blockedUntil: sql`now() + make_interval(secs => ${PROBE_SECONDS})` })
    .where(inArray(transports.name, names))
}

/** Ends a probe that sent nothing; the result of a completed probe stays. */
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
 * Blocks the transport, once for all deliveries in flight when it failed: each has the streak of
 * its claim, and only the first finds it unchanged.
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

/** Blocks a transport whose account the provider reported as faulty in a delivery report. */
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

/**
 * Clears failures; writes nothing without failures, because every success would wait for one row.
 */
export const clearTransport = async ({ tx }: Transaction, name: string): Promise<void> => {
  await tx
    .update(transports)
    .set(fresh)
    .where(and(eq(transports.name, name), gt(transports.failStreak, 0)))
}

/** Forgets the failures of a channel that was changed or deleted. */
export const resetTransport = async ({ tx }: Transaction, name: string): Promise<void> => {
  await tx.delete(transports).where(eq(transports.name, name))
}

/**
 * Unblocks all transports at start, because settings may have been corrected; the next delivery
 * probes each.
 */
export const unblockTransports = async ({ tx }: Transaction): Promise<void> => {
  await tx.update(transports).set({ blockedUntil: null })
}
