/** Failure reasons of git, a closed set. Output of a remote is classified and never passed on. */
import type { GitSyncReason, OutboundError } from '@status-page/contracts'

export class GitFailure extends Error {
  readonly reason: GitSyncReason

  constructor(reason: GitSyncReason) {
    super(messages[reason])
    this.name = 'GitFailure'
    this.reason = reason
  }
}

const messages: Record<GitSyncReason, string> = {
  unreachable: 'The repository’s host cannot be reached',
  blocked: 'The repository’s host resolves to an address that is not allowed',
  auth_failed: 'The repository refused the credential',
  host_key: 'The host key is not known',
  certificate: 'The certificate of the repository’s host is not trusted',
  redirected: 'The repository redirects to another address, which is not followed',
  repository_not_found: 'The repository does not exist, or the credential may not see it',
  branch_not_found: 'The branch does not exist',
  file_not_found: 'The branch has no file at configPath',
  not_a_file: 'configPath is not a regular file',
  too_large: 'The repository or the file is too large',
  timeout: 'The repository did not respond in time',
  git_unavailable: 'git is missing or too old on this installation',
  git_failed: 'git could not read the repository',
  invalid_document: 'The document is not valid',
  not_applied: 'The document could not be applied',
}

/** Patterns in order of precedence, for messages of git, curl and ssh under LC_ALL=C. */
const stderrPatterns: readonly [RegExp, GitSyncReason][] = [
  [/REMOTE HOST IDENTIFICATION HAS CHANGED|Host key verification failed/i, 'host_key'],
  [/No \w+ host key is known for|host key for \S+ is not/i, 'host_key'],
  [/unable to update url base from redirection|requested URL returned error: 3\d\d/i, 'redirected'],
  [/SSL certificate|certificate verif|server certificate|self.signed/i, 'certificate'],
  [/couldn't find remote ref|Remote branch .* not found/i, 'branch_not_found'],
  [/Authentication failed|could not read (?:Username|Password)|Permission denied/i, 'auth_failed'],
  [/requested URL returned error: (?:401|403|407)/i, 'auth_failed'],
  [
    /requested URL returned error: 404|repository .*not found|not appear to be a git/i,
    'repository_not_found',
  ],
  [/attempting to allocate .* over limit|exceeds maximum|Out of memory/i, 'too_large'],
  [/Operation too slow|timed out|Timeout/i, 'timeout'],
  [/Could not resolve|Failed to connect|Connection refused|No route to host/i, 'unreachable'],
  [/Couldn't connect|Connection (?:reset|closed)|Network is unreachable/i, 'unreachable'],
]

export const reasonFromStderr = (stderr: string): GitSyncReason =>
  stderrPatterns.find(([pattern]) => pattern.test(stderr))?.[1] ?? 'git_failed'

const outboundReasons: Record<OutboundError, GitSyncReason> = {
  blocked: 'blocked',
  dns_error: 'unreachable',
  connect_error: 'unreachable',
  tls_error: 'certificate',
  protocol_error: 'git_failed',
  timeout: 'timeout',
  too_large: 'too_large',
}

export const failureOfOutbound = (error: OutboundError): GitFailure =>
  new GitFailure(outboundReasons[error])
