/** Examples of Git sync and its webhook. */
import { type GitSync, type GitSyncRun, gitHookOperations, gitSyncOperations } from '../index.ts'
import { examplesOf } from './example.ts'
import {
  exampleIds,
  exampleTimes,
  exampleTimestamps,
  listReplyOf,
  successExample,
} from './values.ts'

const settings: GitSync = {
  id: exampleIds.gitSync,
  provider: 'github',
  repositoryUrl: 'https://github.com/acme/status.git',
  branch: 'main',
  configPath: 'statuspage.yaml',
  authMethod: 'token',
  autoSync: true,
  writeBack: true,
  webhookUrl: 'https://status.example.com/api/v1/hooks/git/9f86d081884c7d659a2feaa0c55ad015',
  lastSyncAt: exampleTimes.announced,
  lastSyncStatus: 'success',
  proposal: {
    branch: 'status-page/changes',
    url: 'https://github.com/acme/status/pull/12',
    proposedAt: exampleTimes.updated,
    error: null,
  },
  ...exampleTimestamps,
}

const fresh: GitSync = { ...settings, lastSyncAt: null, lastSyncStatus: null, proposal: null }
const webhookSecret = 'mJ2c7Hq1wZ8yT4rK0vB6nX3sD5fG9hL-aE_uIoPqRtY'

const run: GitSyncRun = {
  id: exampleIds.syncRun,
  status: 'success',
  trigger: 'webhook',
  commit: '8f14e45fceea167a5a36dedd4bea2543c7f1a9d2',
  configVersion: '2026-08-01.1',
  timestamp: exampleTimes.failed,
  finishedAt: exampleTimes.announced,
  changes: { created: 0, updated: 1, deleted: 0 },
  reason: null,
  error: null,
}

const failed: GitSyncRun = {
  ...run,
  status: 'failed',
  trigger: 'manual',
  configVersion: null,
  changes: { created: 0, updated: 0, deleted: 0 },
  reason: 'invalid_document',
  error: 'line 12, column 9: spec.components[2].url is required',
}

export const gitSyncExamples = [
  ...examplesOf(gitSyncOperations, {
    read: { reply: settings },
    create: {
      bodies: {
        'GitHub repository with write-back': {
          provider: 'github',
          repositoryUrl: 'https://github.com/acme/status.git',
          authMethod: 'token',
          credential: { token: 'github_pat_a-secret' },
          autoSync: true,
          writeBack: true,
        },
        'Self-hosted server over SSH': {
          provider: 'generic',
          repositoryUrl: 'git@git.example.com:ops/status.git',
          branch: 'production',
          configPath: 'status/page.yaml',
          authMethod: 'ssh_key',
          credential: {
            privateKey: '-----BEGIN OPENSSH PRIVATE KEY-----\n…\n-----END OPENSSH PRIVATE KEY-----',
            knownHosts: 'git.example.com ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIE…',
          },
        },
      },
      reply: { ...fresh, webhookSecret },
    },
    update: { body: { branch: 'production', autoSync: false }, reply: settings },
    remove: successExample,
    sync: {
      reply: {
        ...run,
        status: 'queued',
        trigger: 'manual',
        commit: null,
        configVersion: null,
        changes: { created: 0, updated: 0, deleted: 0 },
        finishedAt: null,
      },
    },
    rotateSecret: { reply: { ...settings, webhookSecret } },
    history: { reply: listReplyOf(run, { ...failed, id: exampleIds.failedRun }) },
  }),
  ...examplesOf(gitHookOperations, { git: { reply: { accepted: true } } }),
]
