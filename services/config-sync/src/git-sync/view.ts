/** Git sync as the API returns it: without secrets, except a newly generated webhook secret. */
import { GitProposal, GitSync, GitSyncRun, viewOf } from '@status-page/contracts'
import type { GitSyncRow, GitSyncRunRow } from '../tables.ts'

export const presentSync = (
  { webhookSecret: _encrypted, ...row }: GitSyncRow,
  { baseUrl, webhookSecret }: { baseUrl: string; webhookSecret?: string },
): GitSync =>
  viewOf(GitSync, {
    ...row,
    ...(webhookSecret === undefined ? {} : { webhookSecret }),
    webhookUrl: `${baseUrl}/api/v1/hooks/git/${row.hookId}`,
    proposal: row.proposal && viewOf(GitProposal, row.proposal),
  })

export const presentRun = (row: GitSyncRunRow): GitSyncRun =>
  viewOf(GitSyncRun, {
    ...row,
    timestamp: row.createdAt,
    changes: { created: row.createdCount, updated: row.updatedCount, deleted: row.deletedCount },
  })
