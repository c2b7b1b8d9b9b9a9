/** GitLab, on its own host or another: a token in the clear or Standard Webhooks, and merge requests. */
import { equalInConstantTime, sha256, verifyStandard } from '@status-page/secrets'
import { askApi, linkIn, originOf, queryOf } from './api.ts'
import {
  type Asking,
  at,
  headerOf,
  type Proposed,
  type Provider,
  refOf,
  type WebhookRequest,
} from './provider.ts'

export const gitlab: Provider = {
  isSigned: (ring, secrets, now) => hasToken(ring, secrets) || hasSignature(ring, secrets, now),
  deliveryOf: (headers) =>
    headerOf(headers, 'webhook-id') ?? headerOf(headers, 'idempotency-key') ?? null,
  meaningOf: (headers, body, branch) => {
    const isOurs =
      headerOf(headers, 'x-gitlab-event') === 'Push Hook' && at(body, 'ref') === refOf(branch)
    return isOurs && !isDeletion(at(body, 'after')) ? 'push' : 'other'
  },
  tokenUser: 'oauth2',
  propose: (asking) => propose(asking),
}

const isDeletion = (after: unknown): boolean => typeof after === 'string' && /^0+$/.test(after)

/** By their hashes: of unequal length nothing is learned. All are looked at, whichever fits. */
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

const propose = async (asking: Asking): Promise<Proposed> => {
  const { outbound, remote, token, branch, base, title, description } = asking
  const project = `${originOf(remote)}/api/v4/projects/${encodeURIComponent(remote.name)}`
  const requests = `${project}/merge_requests`
  const headers = { authorization: `Bearer ${token}` }
  const branches = { source_branch: branch, target_branch: base }
  const open = queryOf({ state: 'opened', ...branches })
  const found = await askApi(outbound, { method: 'GET', url: `${requests}?${open}`, headers })
  const number = at(found, '0', 'iid')
  const told = { title, description }
  const made =
    typeof number === 'number'
      ? { method: 'PUT' as const, url: `${requests}/${number}`, body: told }
      : {
          method: 'POST' as const,
          url: requests,
          body: { ...told, ...branches, remove_source_branch: true },
        }
  return { url: linkIn(at(await askApi(outbound, { ...made, headers }), 'web_url')) }
}
