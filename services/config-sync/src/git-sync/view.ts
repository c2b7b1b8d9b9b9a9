/** Git sync as the API returns it: without secrets, except a newly generated webhook secret. */
import type { GitProposal, GitSync, GitSyncRun } from '@status-page/contracts'
import type { GitSyncRow, GitSyncRunRow, Proposal } from '../tables.ts'

export const presentSync = (
  row: GitSyncRow,
  { baseUrl, webhookSecret }: { baseUrl: string; webhookSecret?: string },
): GitSync => ({
  id: row.id,
  provider: row.provider,
  repositoryUrl: row.repositoryUrl,
  branch: row.branch,
  configPath: row.configPath,
  authMethod: row.authMethod,
  autoSync: row.autoSync,
  writeBack: row.writeBack,
  webhookUrl: `${baseUrl}/api/v1/hooks/git/${row.hookId}`,
  ...(webhookSecret === undefined ? {} : { webhookSecret }),
  lastSyncAt: row.lastSyncAt?.toISOString() ?? null,
  lastSyncStatus: row.lastSyncStatus,
  proposal: row.proposal === null ? null : presentProposal(row.proposal),
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
})

const presentProposal = ({ branch, url, proposedAt, error }: Proposal): GitProposal => ({
  branch,
  url,
  proposedAt,
  error,
})

export const presentRun = (row: GitSyncRunRow): GitSyncRun => ({
  id: row.id,
  status: row.status,
  trigger: row.trigger,
  commit: row.commit,
  configVersion: row.configVersion,
  timestamp: row.createdAt.toISOString(),
  finishedAt: row.finishedAt?.toISOString() ?? null,
  changes: { created: row.createdCount, updated: row.updatedCount, deleted: row.deletedCount },
  reason: row.reason,
  error: row.error,
})
