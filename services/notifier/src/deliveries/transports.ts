/** Ways out that all mail shares: when one fails, everything through it waits together. */
import type { Scope } from '@status-page/postgres'
import { and, eq, gt, sql } from 'drizzle-orm'
import { transports } from '../tables.ts'

/** The operator's mail server. */
export const SMTP = 'smtp'

/** One delivery tries a transport that failed; until it knows, nobody else does. */
const PROBE_SECONDS = 90

export interface Transport {
  blockedUntil: Date | null
  /** What deliveries that wait for it say; null while it works. */
  reason: 'channel_blocked' | 'channel_auth' | null
  /** Failures in a row. */
  failStreak: number
}

const fresh: Transport = { blockedUntil: null, reason: null, failStreak: 0 }

type Transaction = Pick<Scope, 'tx'>

export const readTransport = async ({ tx }: Transaction, name: string): Promise<Transport> => {
  const [row] = await tx.select().from(transports).where(eq(transports.name, name))
  return row ?? fresh
}

/** Keeps others away while one delivery finds out whether the transport works again. */
export const startProbe = async ({ tx }: Transaction, name: string): Promise<void> => {
  await tx
    .update(transports)
    .set({ blockedUntil: sql`now() + make_interval(secs => ${PROBE_SECONDS})` })
    .where(eq(transports.name, name))
}

/** For a probe that sent nothing after all; what one has found out stays. */
export const endProbe = async (
  { tx }: Transaction,
  name: string,
  seenStreak: number,
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
  name: string,
  seenStreak: number,
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

/** Writes nothing while all is well: every success would wait for one row otherwise. */
export const clearTransport = async ({ tx }: Transaction, name: string): Promise<void> => {
  await tx
    .update(transports)
    .set(fresh)
    .where(and(eq(transports.name, name), gt(transports.failStreak, 0)))
}

/** The settings may be mended: the next delivery tries at once, and alone. */
export const unblockTransports = async ({ tx }: Transaction): Promise<void> => {
  await tx.update(transports).set({ blockedUntil: null })
}
