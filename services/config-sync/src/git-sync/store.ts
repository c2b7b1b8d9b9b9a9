/** SQL of Git sync: settings, runs and receipts of one organization. */
import type { GitSyncTrigger, gitSyncOperations, Query } from '@status-page/contracts'
import { newId, resourceTable, type Scope, type SystemScope } from '@status-page/postgres'
import { and, eq, sql } from 'drizzle-orm'
import {
  type GitSyncRow,
  type GitSyncRunRow,
  gitHookReceipts,
  gitSyncRuns,
  gitSyncs,
} from '../tables.ts'

/** NOTIFY channel for a run or write-back that became due. */
export const GIT_SYNC_DUE = 'config_sync_git_due'

export const notifyGitSyncDue = async ({ tx }: Scope): Promise<void> => {
  await tx.execute(sql`SELECT pg_notify(${GIT_SYNC_DUE}, '')`)
}

const table = resourceTable(gitSyncs)
const runs = resourceTable(gitSyncRuns)

export const findGitSync = async (scope: Scope): Promise<GitSyncRow | null> =>
  (await table.select(scope))[0] ?? null

export const lockGitSync = async (scope: Scope): Promise<GitSyncRow | null> =>
  (await table.select(scope).for('update'))[0] ?? null

/** Returns false if the organization has Git sync already. */
export const insertGitSync = async ({ tx }: Scope, row: GitSyncRow): Promise<boolean> => {
  const inserted = await tx
    .insert(gitSyncs)
    .values(row)
    .onConflictDoNothing({ target: gitSyncs.organizationId })
    .returning({ id: gitSyncs.id })
  return inserted.length > 0
}

export const saveGitSync = (scope: Scope, change: Partial<GitSyncRow>): Promise<void> =>
  table.update(scope, change)

/** Deletes the settings; runs are deleted by cascade. */
export const deleteGitSync = async (scope: Scope): Promise<void> => {
  await scope.tx.delete(gitSyncs).where(table.own(scope))
}

/** Returns null for an unknown hook. */
export const findOrganizationOfHook = async (
  { tx }: SystemScope,
  hookId: string,
): Promise<string | null> => {
  const [row] = await tx
    .select({ organizationId: gitSyncs.organizationId })
    .from(gitSyncs)
    .where(eq(gitSyncs.hookId, hookId))
  return row?.organizationId ?? null
}

/** Returns false for a repeated delivery. */
export const recordHookDelivery = async (
  { organizationId, now, tx }: Scope,
  key: string,
): Promise<boolean> => {
  const taken = await tx
    .insert(gitHookReceipts)
    .values({ organizationId, key, at: now })
    .onConflictDoNothing()
    .returning({ key: gitHookReceipts.key })
  return taken.length > 0
}

/** Returns null if a run is queued already. */
export const enqueueRun = async (
  scope: Scope,
  { id: gitSyncId }: Pick<GitSyncRow, 'id'>,
  trigger: GitSyncTrigger,
): Promise<GitSyncRunRow | null> => {
  const { organizationId, now, tx } = scope
  const [row] = await tx
    .insert(gitSyncRuns)
    .values({
      organizationId,
      id: newId(),
      gitSyncId,
      status: 'queued',
      trigger,
      createdAt: now,
    })
    .onConflictDoNothing()
    .returning()
  if (row === undefined) return null
  await notifyGitSyncDue(scope)
  return row
}

export const listRuns = (scope: Scope, query: Query<typeof gitSyncOperations.history>) =>
  runs.listBy(scope, query, gitSyncRuns.createdAt)

/** Condition for a run that this owner has claimed. */
const isClaimed = (run: { id: string; owner: string }) =>
  and(eq(gitSyncRuns.id, run.id), eq(gitSyncRuns.owner, run.owner))

export const lockRun = async (
  scope: Scope,
  run: { id: string; owner: string },
): Promise<GitSyncRunRow | null> => {
  const [row] = await runs.select(scope, isClaimed(run)).for('update')
  return row?.status === 'running' ? row : null
}

export const saveRun = (
  scope: Scope,
  run: { id: string; owner: string },
  change: Partial<GitSyncRunRow>,
): Promise<void> => runs.update(scope, change, isClaimed(run))
