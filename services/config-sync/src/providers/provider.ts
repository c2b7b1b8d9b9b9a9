/** What tells one Git provider from another: how its bell is proved and read, and how changes are offered to it. */
import type { Outbound } from '@status-page/outbound'
import type { Remote } from '../git/remote.ts'

export type WebhookHeaders = Readonly<Record<string, string | string[] | undefined>>

/** One call of the webhook, as it came. */
export interface WebhookRequest {
  headers: WebhookHeaders
  body: Buffer
}

/** A ping asks whether somebody is there; a push is of the branch that is synced; all else is nothing to us. */
export type WebhookKind = 'ping' | 'push' | 'other'

export interface Provider {
  /** Over the bytes as they came, before anybody reads them; takes the same time whatever is wrong. */
  isSigned(request: WebhookRequest, secrets: readonly string[], now: Date): boolean
  /** The same on every repeat; null where the provider gives none. */
  deliveryIdOf(headers: WebhookHeaders): string | null
  /** Of a proved body. The branch is ours: what the body names is only compared. */
  webhookKindOf(headers: WebhookHeaders, body: unknown, branch: string): WebhookKind
  /** Whose password a token is, over https. */
  tokenUser: string
  /** Null where a branch is all that can be offered. */
  openPullRequest: ((draft: PullRequestDraft) => Promise<PullRequestLink>) | null
}

/** A request to merge one branch into another, to be opened or brought up to date. */
export interface PullRequestDraft {
  outbound: Outbound
  remote: Remote
  token: string
  /** What is offered. */
  branch: string
  /** Where it is to go. */
  base: string
  title: string
  description: string
}

export interface PullRequestLink {
  url: string
}

/** One value; a header that came twice is none, as its parts cannot be told apart. */
export const headerOf = (headers: WebhookHeaders, name: string): string | undefined => {
  const value = headers[name]
  return typeof value === 'string' ? value : undefined
}

/** What lies at the path of a value that somebody else made; undefined where nothing does. */
export const at = (value: unknown, ...path: readonly string[]): unknown =>
  path.reduce<unknown>(
    (inner, key) =>
      typeof inner === 'object' && inner !== null && Object.hasOwn(inner, key)
        ? (inner as Record<string, unknown>)[key]
        : undefined,
    value,
  )

export const listAt = (value: unknown, ...path: readonly string[]): readonly unknown[] => {
  const found = at(value, ...path)
  return Array.isArray(found) ? found : []
}

export const refOf = (branch: string): string => `refs/heads/${branch}`
