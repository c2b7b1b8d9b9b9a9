/** English texts of Git sync. */
import type {
  GitAuthMethod,
  GitProvider,
  GitSyncReason,
  GitSyncStatus,
} from '@status-page/contracts'

export const gitSync = {
  empty: 'Git sync is not set up',
  emptyHint:
    'The service applies the document of a Git repository. What the document does not contain stays as it is.',
  setUp: 'Set up Git sync',
  settings: 'Settings',
  rightsHint:
    'A change of the settings requires permissions for all resources that a document can contain.',
  deleted:
    'Git sync was deleted in the meantime. The form contains your settings; enter the credential again.',
  fields: {
    provider: 'Provider',
    repositoryUrl: 'Repository URL',
    branch: 'Branch',
    configPath: 'File path',
    authMethod: 'Authentication',
    autoSync: 'Sync automatically',
    writeBack: 'Propose changes to the repository',
  },
  repositoryHint: 'https://…, ssh://git@… or git@host:path',
  providers: {
    github: 'GitHub',
    gitlab: 'GitLab',
    bitbucket: 'Bitbucket',
    generic: 'Another server',
  },
  authMethods: {
    none: 'Public repository',
    token: 'Access token',
    ssh_key: 'SSH key',
    app: 'GitHub App',
  },
  credential: {
    token: 'Access token',
    privateKey: 'Private key',
    knownHosts: 'Known hosts',
    appId: 'App ID',
    installationId: 'Installation ID',
  },
  knownHostsHint: 'Lines of known_hosts; not required for github.com, gitlab.com and bitbucket.org',
  stored: 'A credential is stored. Entering a new one replaces all its fields.',
  autoSyncHint: 'After each push, and every few minutes in case the webhook fails',
  writeBackHint:
    'Changes that were made here become a pull or merge request, or a branch; requires write access',
  yes: 'Yes',
  no: 'No',
  webhook: 'Webhook',
  webhookHint: 'Enter the URL and the secret at the provider, for pushes, as application/json.',
  webhookUrl: 'Webhook URL',
  webhookSecret: 'Webhook secret',
  webhookSecretHint: 'It is shown only now.',
  rotate: 'Replace the secret',
  rotateHint: 'The old secret stays valid for 24 hours.',
  runs: 'Latest syncs',
  noRuns: 'There has been no sync yet.',
  syncNow: 'Sync now',
  statuses: {
    queued: 'Queued',
    running: 'Running',
    success: 'Applied',
    no_changes: 'No changes',
    failed: 'Failed',
  },
  triggers: { manual: 'Manual', webhook: 'After a push', poll: 'Scheduled' },
  version: 'version {version}',
  commit: 'commit {commit}',
  reasons: {
    unreachable: 'The server cannot be reached',
    blocked: 'The address is not permitted',
    auth_failed: 'Authentication failed',
    host_key: 'The host key does not match',
    certificate: 'The certificate of the server is not valid',
    redirected: 'The address redirects to another one',
    repository_not_found: 'Repository not found',
    branch_not_found: 'Branch not found',
    file_not_found: 'File not found',
    not_a_file: 'The path is not a file',
    too_large: 'The repository or the document is too large',
    timeout: 'The server did not respond in time',
    git_unavailable: 'Git is not installed on the server of this service',
    git_failed: 'Git failed',
    invalid_document: 'The document is not valid',
    not_applied: 'The document was not applied',
  },
  proposal: 'Changes were proposed on the branch {branch} ({time}).',
  openProposal: 'Open the proposal',
  proposalFailed: 'The changes could not be proposed: {error}',
  remove: 'Delete Git sync',
  removeTitle: 'Delete Git sync?',
  removeHint: 'Settings, credential and sync history are deleted. Applied resources remain.',
} satisfies {
  providers: Record<GitProvider, string>
  authMethods: Record<GitAuthMethod, string>
  statuses: Record<GitSyncStatus, string>
  reasons: Record<GitSyncReason, string>
  [text: string]: unknown
}
