/** Bitbucket Cloud and Data Center: X-Hub-Signature with SHA-256, and pull requests of two APIs. */
import { verifySignature } from '@status-page/secrets'
import { callProviderApi, originOf, requireWebUrl, toQueryString } from './api.ts'
import {
  branchRef,
  headerOf,
  listAt,
  type Provider,
  type PullRequestDraft,
  type PullRequestLink,
  valueAt,
  type WebhookKind,
} from './provider.ts'

const CLOUD = 'https://bitbucket.org'
export const CLOUD_API = 'https://api.bitbucket.org/2.0'

export const bitbucket: Provider = {
  isSigned: ({ headers, body }, secrets) =>
    verifySignature({
      secrets,
      body,
      prefix: 'sha256=',
      header: headerOf(headers, 'x-hub-signature'),
    }),
  deliveryIdOf: (headers) => headerOf(headers, 'x-request-uuid') ?? null,
  webhookKindOf: (headers, body, branch) => {
    const webhookKind = webhookKinds[headerOf(headers, 'x-event-key') ?? '']
    return webhookKind?.(body, branch) ?? 'other'
  },
  publicHost: {
    name: 'bitbucket.org',
    keys: [
      'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIIazEu89wgQZ4bqs3d63QSMzYVa0MuJ2e2gKTKqu+UUO',
      'ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABBBPIQmuzMBuKdWeF4+a2sjSSpBK0iqitSQ+5BM9KhpexuGt20JpTVM7u5BDZngncgrqDMbWdxMWWOGtZ9UgbqgZE=',
    ],
  },
  requestAppToken: null,
  tokenUser: 'x-token-auth',
  openPullRequest: (draft) =>
    originOf(draft.remote) === CLOUD
      ? openCloudPullRequest(draft, CLOUD_API)
      : openServerPullRequest(draft),
}

/** `repo:push` is of Bitbucket Cloud, the others are of Data Center. */
const webhookKinds: Record<string, (body: unknown, branch: string) => WebhookKind> = {
  'repo:push': (body, branch) =>
    listAt(body, 'push', 'changes').some(
      (change) =>
        valueAt(change, 'new', 'type') === 'branch' && valueAt(change, 'new', 'name') === branch,
    )
      ? 'push'
      : 'other',
  'repo:refs_changed': (body, branch) =>
    listAt(body, 'changes').some(
      (change) =>
        valueAt(change, 'ref', 'id') === branchRef(branch) && valueAt(change, 'type') !== 'DELETE',
    )
      ? 'push'
      : 'other',
  'diagnostics:ping': () => 'ping',
}

export const openCloudPullRequest = async (
  draft: PullRequestDraft,
  api: string,
): Promise<PullRequestLink> => {
  const { outbound, remote, token, branch, base, title, description } = draft
  const requests = `${api}/repositories/${remote.name}/pullrequests`
  const headers = { authorization: `Bearer ${token}` }
  // Both branch names are validated or our own, so that they contain no quotes.
  const q = `state="OPEN" AND source.branch.name="${branch}" AND destination.branch.name="${base}"`
  const found = await callProviderApi(outbound, {
    method: 'GET',
    url: `${requests}?${toQueryString({ q })}`,
    headers,
  })
  const number = valueAt(listAt(found, 'values')[0], 'id')
  const text = { title, description }
  const refs = {
    source: { branch: { name: branch } },
    destination: { branch: { name: base } },
  }
  const change =
    typeof number === 'number'
      ? { method: 'PUT' as const, url: `${requests}/${number}`, body: text }
      : {
          method: 'POST' as const,
          url: requests,
          body: { ...text, ...refs, close_source_branch: true },
        }
  const response = await callProviderApi(outbound, { ...change, headers })
  return { url: requireWebUrl(valueAt(response, 'links', 'html', 'href')) }
}

/** The repository path is `scm/KEY/slug`, as in clone URLs. */
const openServerPullRequest = async (draft: PullRequestDraft): Promise<PullRequestLink> => {
  const { outbound, remote, token, branch, base, title, description } = draft
  const [slug = '', key = ''] = remote.name.split('/').reverse()
  const repositoryPath = `projects/${encodeURIComponent(key)}/repos/${encodeURIComponent(slug)}`
  const requests = `${originOf(remote)}/rest/api/1.0/${repositoryPath}/pull-requests`
  const headers = { authorization: `Bearer ${token}` }
  const open = toQueryString({ direction: 'OUTGOING', state: 'OPEN', at: branchRef(branch) })
  const found = await callProviderApi(outbound, {
    method: 'GET',
    url: `${requests}?${open}`,
    headers,
  })
  const existing = listAt(found, 'values').find(
    (request) => valueAt(request, 'toRef', 'id') === branchRef(base),
  )
  const text = { title, description }
  const change =
    existing === undefined
      ? {
          method: 'POST' as const,
          url: requests,
          body: { ...text, fromRef: { id: branchRef(branch) }, toRef: { id: branchRef(base) } },
        }
      : {
          method: 'PUT' as const,
          url: `${requests}/${valueAt(existing, 'id')}`,
          body: { ...text, version: valueAt(existing, 'version') },
        }
  const response = await callProviderApi(outbound, { ...change, headers })
  return { url: requireWebUrl(valueAt(listAt(response, 'links', 'self')[0], 'href')) }
}
