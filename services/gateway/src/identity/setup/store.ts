/** SQL of the first set-up: the nonce of its link, and whether an account exists. */
import type { Scope, SystemScope } from '@status-page/postgres'
import { setupNonces, users } from '../../tables.ts'

export const hasAccounts = async ({ tx }: Scope | SystemScope): Promise<boolean> => {
  const rows = await tx.select({ id: users.id }).from(users).limit(1)
  return rows.length > 0
}

export const readNonce = async ({ tx }: SystemScope): Promise<string | null> => {
  const [row] = await tx.select({ nonce: setupNonces.nonce }).from(setupNonces)
  return row?.nonce ?? null
}

/** Stores the nonce unless another replica has stored one. */
export const insertNonce = async ({ tx }: SystemScope, nonce: string): Promise<void> => {
  await tx.insert(setupNonces).values({ nonce }).onConflictDoNothing()
}

/** Deletes the nonce; of concurrent transactions, one receives it and the others null. */
export const consumeNonce = async ({ tx }: Scope): Promise<string | null> => {
  const [row] = await tx.delete(setupNonces).returning({ nonce: setupNonces.nonce })
  return row?.nonce ?? null
}
