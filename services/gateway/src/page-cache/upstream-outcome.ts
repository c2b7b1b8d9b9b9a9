/** Outcome of an upstream request for a page: a response, a failure, or none in time. */
import type { UpstreamResponse } from '../upstream/upstream-request.ts'
import type { CacheEntry } from './cache-entry.ts'

export const MIN_ERROR_STATUS = 500

export type PageResponse =
  /** Public response. */
  | { kind: 'cached'; entry: CacheEntry; isOutdated: boolean }
  /** Response for this request alone. */
  | { kind: 'passthrough'; response: UpstreamResponse }

export const cachedResponseOf = (entry: CacheEntry): PageResponse => ({
  kind: 'cached',
  entry,
  isOutdated: false,
})

export class UpstreamFailure {
  readonly respond: () => PageResponse
  constructor(respond: () => PageResponse) {
    this.respond = respond
  }
}

/** Outcome of an upstream request; a response of 500 or above counts as a failure. */
export const settleUpstream = async <T extends UpstreamResponse | null | symbol>(
  flight: Promise<T>,
) => {
  try {
    const outcome = await flight
    if (outcome === null || typeof outcome === 'symbol' || outcome.status < MIN_ERROR_STATUS)
      return outcome
    return new UpstreamFailure(() => ({ kind: 'passthrough', response: outcome }))
  } catch (error) {
    return new UpstreamFailure(() => {
      throw error
    })
  }
}

export const TIMED_OUT = Symbol('late')
