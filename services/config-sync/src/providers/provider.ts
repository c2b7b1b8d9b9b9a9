/** Interface of a Git provider: verification and parsing of webhooks, and pull requests. */
import type { Outbound } from '@status-page/outbound'
import type { Remote } from '../git/remote.ts'

export type WebhookHeaders = Readonly<Record<string, string | string[] | undefined>>

/** Webhook request with its raw body. */
export interface WebhookRequest {
  headers: WebhookHeaders
  body: Buffer
}

/** A ping is a connection test; a push is to the synced branch; all other webhooks are ignored. */
export type WebhookKind = 'ping' | 'push' | 'other'

export interface Provider {
  /** Verifies the raw body before it is parsed, in constant time. */
  isSigned(request: WebhookRequest, secrets: readonly string[], now: Date): boolean
  /** Delivery id, the same for every retry; null if the provider sends none. */
  deliveryIdOf(headers: WebhookHeaders): string | null
  /**
   * Classifies a verified body. `branch` is the configured one; names in the body are only compared
   * with it.
   */
  webhookKindOf(headers: WebhookHeaders, body: unknown, branch: string): WebhookKind
  /** Public host with the keys that it publishes; the tenant configures those of other hosts. */
  publicHost: { name: string; keys: readonly string[] } | null
  /** Requests a token of an app's installation; null for a provider without apps. */
  requestAppToken:
    | ((outbound: Outbound, remote: Remote, app: GitApp, now: Date) => Promise<string>)
    | null
  /** User name for a token over https. */
  tokenUser: string
  /** Null for a provider without pull requests. */
  openPullRequest: ((draft: PullRequestDraft) => Promise<PullRequestLink>) | null
}

export interface GitApp {
  appId: string
  installationId: string
  privateKey: string
}

/** Content of a pull request to create or update. */
export interface PullRequestDraft {
  outbound: Outbound
  remote: Remote
  token: string
  /** Source branch. */
  branch: string
  /** Target branch. */
  base: string
  title: string
  description: string
}

export interface PullRequestLink {
  url: string
}

/**
 * Returns a single value; a repeated header counts as absent, since its values cannot be separated.
 */
export const headerOf = (headers: WebhookHeaders, name: string): string | undefined => {
  const value = headers[name]
  return typeof value === 'string' ? value : undefined
}

/** Returns the value at the path of untrusted data, or undefined. */
export const valueAt = (value: unknown, ...path: readonly string[]): unknown =>
  path.reduce<unknown>(
    (inner, key) =>
      typeof inner === 'object' && inner !== null && Object.hasOwn(inner, key)
        ? (inner as Record<string, unknown>)[key]
        : undefined,
    value,
  )

export const listAt = (value: unknown, ...path: readonly string[]): readonly unknown[] => {
  const found = valueAt(value, ...path)
  return Array.isArray(found) ? found : []
}

export const branchRef = (branch: string): string => `refs/heads/${branch}`
