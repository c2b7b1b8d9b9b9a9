/** Ways out that all mail shares: when one fails, everything through it waits together. */
import type { Scope } from '@status-page/postgres'
import { eq } from 'drizzle-orm'
import { transports } from '../tables.ts'

/** The operator's mail server. */
export const SMTP = 'smtp'

export interface Transport {
  blockedUntil: Date | null
  failStreak: number
}

export const readTransport = async (scope: Scope, name: string): Promise<Transport> => {
  const [row] = await scope.tx.select().from(transports).where(eq(transports.name, name))
  return row ?? { blockedUntil: null, failStreak: 0 }
}

export const saveTransport = async (
  scope: Scope,
  name: string,
  transport: Transport,
): Promise<void> => {
  await scope.tx
    .insert(transports)
    .values({ name, ...transport })
    .onConflictDoUpdate({ target: transports.name, set: transport })
}
