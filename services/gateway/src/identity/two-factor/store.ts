/** SQL of second factors: sealed secrets, hashes of backup codes, and wrong codes. */
import type { SystemScope } from '@status-page/postgres'
import { and, eq, lt } from 'drizzle-orm'
import { backupCodes, codeFailures, twoFactor, twoFactorSetups } from '../../tables.ts'
import { type CodeFailures, noCodeFailures } from './code-limits.ts'

export interface SecondFactor {
  sealedSecret: string
  enabledAt: Date
}

/**
 * Locks the factor, so that of two simultaneous codes the second is checked against the result of
 * the first.
 */
export const lockSecondFactor = async (
  { tx }: SystemScope,
  userId: string,
): Promise<SecondFactor | null> => {
  const { sealedSecret, enabledAt } = twoFactor
  const [row] = await tx
    .select({ sealedSecret, enabledAt })
    .from(twoFactor)
    .where(eq(twoFactor.userId, userId))
    .for('update')
  return row ?? null
}

export const secondFactorState = async ({ tx }: SystemScope, userId: string) => {
  const [row] = await tx
    .select({ enabledAt: twoFactor.enabledAt })
    .from(twoFactor)
    .where(eq(twoFactor.userId, userId))
  const remaining = await tx.$count(backupCodes, eq(backupCodes.userId, userId))
  return { enabledAt: row?.enabledAt ?? null, backupCodesRemaining: remaining }
}

export const insertSecondFactor = async (
  { tx, now }: SystemScope,
  factor: { userId: string; sealedSecret: string; lastStep: number },
): Promise<void> => {
  await tx.insert(twoFactor).values({ ...factor, enabledAt: now })
}

export const deleteSecondFactor = async ({ tx }: SystemScope, userId: string): Promise<void> => {
  await tx.delete(twoFactor).where(eq(twoFactor.userId, userId))
}

/** Consumes a time step; returns false when this step or a later one was used. */
export const consumeTotpStep = async (
  { tx }: SystemScope,
  userId: string,
  step: number,
): Promise<boolean> => {
  const rows = await tx
    .update(twoFactor)
    .set({ lastStep: step })
    .where(and(eq(twoFactor.userId, userId), lt(twoFactor.lastStep, step)))
    .returning({ userId: twoFactor.userId })
  return rows.length === 1
}

export const replaceSealedSecret = async (
  { tx }: SystemScope,
  userId: string,
  sealedSecret: string,
): Promise<void> => {
  await tx.update(twoFactor).set({ sealedSecret }).where(eq(twoFactor.userId, userId))
}

export const replaceBackupCodes = async (
  { tx }: SystemScope,
  userId: string,
  hashes: readonly string[],
): Promise<void> => {
  await tx.delete(backupCodes).where(eq(backupCodes.userId, userId))
  await tx.insert(backupCodes).values(hashes.map((codeHash) => ({ userId, codeHash })))
}

/** Consumes a backup code; returns false when it is unknown or used. */
export const consumeBackupCode = async (
  { tx }: SystemScope,
  userId: string,
  codeHash: string,
): Promise<boolean> => {
  const rows = await tx
    .delete(backupCodes)
    .where(and(eq(backupCodes.userId, userId), eq(backupCodes.codeHash, codeHash)))
    .returning({ userId: backupCodes.userId })
  return rows.length === 1
}

/** Stores a set-up; replaces an earlier one. */
export const saveTwoFactorSetup = async (
  { tx }: SystemScope,
  setup: { userId: string; sealedSecret: string; expiresAt: Date },
): Promise<void> => {
  const { sealedSecret, expiresAt } = setup
  await tx
    .insert(twoFactorSetups)
    .values(setup)
    .onConflictDoUpdate({ target: twoFactorSetups.userId, set: { sealedSecret, expiresAt } })
}

export const lockTwoFactorSetup = async ({ tx }: SystemScope, userId: string) => {
  const { sealedSecret, expiresAt } = twoFactorSetups
  const [row] = await tx
    .select({ sealedSecret, expiresAt })
    .from(twoFactorSetups)
    .where(eq(twoFactorSetups.userId, userId))
    .for('update')
  return row ?? null
}

export const deleteTwoFactorSetup = async ({ tx }: SystemScope, userId: string): Promise<void> => {
  await tx.delete(twoFactorSetups).where(eq(twoFactorSetups.userId, userId))
}

/**
 * Locks the row, after creating it if necessary, so that parallel guesses are counted one after
 * another.
 */
export const lockCodeFailures = async (
  { tx }: SystemScope,
  userId: string,
): Promise<CodeFailures> => {
  await tx.insert(codeFailures).values({ userId, failedAt: [] }).onConflictDoNothing()
  const { failedAt, warnedAt } = codeFailures
  const [row] = await tx
    .select({ failedAt, warnedAt })
    .from(codeFailures)
    .where(eq(codeFailures.userId, userId))
    .for('update')
  return row ?? noCodeFailures
}

export const saveCodeFailures = async (
  { tx }: SystemScope,
  userId: string,
  { failedAt, warnedAt }: CodeFailures,
): Promise<void> => {
  await tx.update(codeFailures).set({ failedAt, warnedAt }).where(eq(codeFailures.userId, userId))
}
