/** GitLab, hosted or self-managed: a plain-text token or Standard Webhooks, and merge requests. */
import { equalInConstantTime, sha256, verifyStandard } from '@status-page/secrets'
import { callProviderApi, originOf, requireWebUrl, toQueryString } from './api.ts'
import {
  branchRef,
  headerOf,
  type Provider,
  type PullRequestDraft,
  type PullRequestLink,
  valueAt,
  type WebhookRequest,
} from './provider.ts'

export const gitlab: Provider = {
  isSigned: (request, secrets, now) =>
    hasToken(request, secrets) || hasSignature(request, secrets, now),
  deliveryIdOf: (headers) =>
    headerOf(headers, 'webhook-id') ?? headerOf(headers, 'idempotency-key') ?? null,
  webhookKindOf: (headers, body, branch) => {
    const isConfiguredBranch =
      headerOf(headers, 'x-gitlab-event') === 'Push Hook' &&
      valueAt(body, 'ref') === branchRef(branch)
    return isConfiguredBranch && !isDeletion(valueAt(body, 'after')) ? 'push' : 'other'
  },
  publicHost: {
    name: 'gitlab.com',
    keys: [
      'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAfuCHKVTjquxvt6CM6tdG4SLp1Btn/nOeHHE5UOzRdf',
      'ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABBBFSMqzJeV9rUzU4kWitGjeR4PWSa29SPqJ1fVkhtj3Hw9xjLVXVYrU9QlYWrOLXBpQ6KWjbjTDTdDkoohFzgbEY=',
    ],
  },
  requestAppToken: null,
  tokenUser: 'oauth2',
  openPullRequest: (draft) => openPullRequest(draft),
}

const isDeletion = (after: unknown): boolean => typeof after === 'string' && /^0+$/.test(after)

/** Compares hashes, so that the length does not leak, and always checks every secret. */
const hasToken = ({ headers }: WebhookRequest, secrets: readonly string[]): boolean => {
  const token = sha256(headerOf(headers, 'x-gitlab-token') ?? '')
  return secrets.map((secret) => equalInConstantTime(sha256(secret), token)).includes(true)
}

const hasSignature = (
  { headers, body }: WebhookRequest,
  secrets: readonly string[],
  now: Date,
): boolean =>
  verifyStandard({
    secrets,
    body,
    now,
    headers: {
      id: headerOf(headers, 'webhook-id') ?? '',
      timestamp: headerOf(headers, 'webhook-timestamp') ?? '',
      signature: headerOf(headers, 'webhook-signature') ?? '',
    },
  })

const openPullRequest = async (draft: PullRequestDraft): Promise<PullRequestLink> => {
  const { outbound, remote, token, branch, base, title, description } = draft
  const project = `${originOf(remote)}/api/v4/projects/${encodeURIComponent(remote.name)}`
  const requests = `${project}/merge_requests`
  const headers = { authorization: `Bearer ${token}` }
  const branches = { source_branch: branch, target_branch: base }
  const open = toQueryString({ state: 'opened', ...branches })
  const found = await callProviderApi(outbound, {
    method: 'GET',
    url: `${requests}?${open}`,
    headers,
  })
  const number = valueAt(found, '0', 'iid')
  const text = { title, description }
  const change =
    typeof number === 'number'
      ? { method: 'PUT' as const, url: `${requests}/${number}`, body: text }
      : {
          method: 'POST' as const,
          url: requests,
          body: { ...text, ...branches, remove_source_branch: true },
        }
  return {
    url: requireWebUrl(valueAt(await callProviderApi(outbound, { ...change, headers }), 'web_url')),
  }
}
