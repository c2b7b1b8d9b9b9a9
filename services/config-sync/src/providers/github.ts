/** GitHub and GitHub Enterprise Server: X-Hub-Signature-256, pull requests, and apps. */
import { createPrivateKey, sign } from 'node:crypto'
import type { Outbound } from '@status-page/outbound'
import { verifySignature } from '@status-page/secrets'
import { GitFailure } from '../git/failure.ts'
import type { Remote } from '../git/remote.ts'
import { callProviderApi, originOf, ProviderApiError, requireWebUrl, toQueryString } from './api.ts'
import {
  branchRef,
  type GitApp,
  headerOf,
  type Provider,
  type PullRequestDraft,
  type PullRequestLink,
  valueAt,
} from './provider.ts'

const versioned = { accept: 'application/vnd.github+json', 'x-github-api-version': '2022-11-28' }
const bearer = (token: string) => ({ ...versioned, authorization: `Bearer ${token}` })

export const github: Provider = {
  isSigned: ({ headers, body }, secrets) =>
    verifySignature({
      secrets,
      body,
      prefix: 'sha256=',
      header: headerOf(headers, 'x-hub-signature-256'),
    }),
  deliveryIdOf: (headers) => headerOf(headers, 'x-github-delivery') ?? null,
  webhookKindOf: (headers, body, branch) => {
    const event = headerOf(headers, 'x-github-event')
    if (event === 'ping') return 'ping'
    const isConfiguredBranch = event === 'push' && valueAt(body, 'ref') === branchRef(branch)
    return isConfiguredBranch && valueAt(body, 'deleted') !== true ? 'push' : 'other'
  },
  publicHost: {
    name: 'github.com',
    keys: [
      'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl',
      'ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABBBEmKSENjQEezOmxkZMy7opKgwFB9nkt5YRrYMjNuG5N87uRgg6CLrbo5wAdT/y6v0mKV0U2w0WZ2YB/++Tpockg=',
    ],
  },
  requestAppToken: (...request) => requestInstallationToken(...request),
  tokenUser: 'x-access-token',
  openPullRequest: (draft) => openPullRequest(draft),
}

const apiOf = (remote: Remote): string => {
  const origin = originOf(remote)
  return origin === 'https://github.com' ? 'https://api.github.com' : `${origin}/api/v3`
}

const openPullRequest = async (draft: PullRequestDraft): Promise<PullRequestLink> => {
  const { outbound, remote, token, branch, base, title, description: body } = draft
  const pulls = `${apiOf(remote)}/repos/${remote.name}/pulls`
  const headers = bearer(token)
  const [owner = ''] = remote.name.split('/')
  const open = toQueryString({ state: 'open', head: `${owner}:${branch}`, base })
  const found = await callProviderApi(outbound, { method: 'GET', url: `${pulls}?${open}`, headers })
  const number = valueAt(found, '0', 'number')
  const change =
    typeof number === 'number'
      ? { method: 'PATCH' as const, url: `${pulls}/${number}`, body: { title, body } }
      : { method: 'POST' as const, url: pulls, body: { title, body, head: branch, base } }
  return {
    url: requireWebUrl(
      valueAt(await callProviderApi(outbound, { ...change, headers }), 'html_url'),
    ),
  }
}

/** Tolerance for clock differences; GitHub accepts a lifetime of at most ten minutes. */
const CLOCK_SKEW_SECONDS = 60
const LIFETIME_SECONDS = 540

/** Requests an installation token, which is valid for an hour. */
export const requestInstallationToken = async (
  outbound: Outbound,
  remote: Remote,
  app: GitApp,
  now: Date,
): Promise<string> => {
  const url = `${apiOf(remote)}/app/installations/${app.installationId}/access_tokens`
  try {
    const headers = bearer(signAppToken(app, now))
    const token = valueAt(
      await callProviderApi(outbound, { method: 'POST', url, headers }),
      'token',
    )
    if (typeof token === 'string' && token !== '') return token
  } catch (error) {
    if (error instanceof GitFailure) throw error
    if (!(error instanceof ProviderApiError)) throw new GitFailure('auth_failed')
  }
  throw new GitFailure('auth_failed')
}

/** JSON Web Token (RFC 7519) with RS256, as GitHub requires for apps. */
export const signAppToken = ({ appId, privateKey }: GitApp, now: Date): string => {
  const at = Math.floor(now.getTime() / 1000)
  const claims = { iat: at - CLOCK_SKEW_SECONDS, exp: at + LIFETIME_SECONDS, iss: appId }
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const text = `${encode({ alg: 'RS256', typ: 'JWT' })}.${encode(claims)}`
  const signature = sign('sha256', Buffer.from(text), createPrivateKey(privateKey))
  return `${text}.${signature.toString('base64url')}`
}
