/** Quota of open event streams: in total, per organization and per caller. */
import { KeyedCounts } from '@status-page/concurrency'
import { AppError, unavailable } from '@status-page/contracts'

/** Maximum of streams, of the 10,000 connections that the process accepts. */
const MAX_STREAMS = 4_000
/** Maximum per organization, multiplied by RATE_LIMIT_MULTIPLIER. */
const MAX_STREAMS_PER_ORGANIZATION = 1_000
/** Maximum per API key or user, multiplied by RATE_LIMIT_MULTIPLIER. */
const MAX_STREAMS_PER_CALLER = 100
const RETRY_AFTER_SECONDS = 30

export interface EventStreamBounds {
  streams: number
  streamsPerOrganization: number
  streamsPerCaller: number
}

export const eventStreamBounds = (multiplier: number): EventStreamBounds => ({
  streams: MAX_STREAMS,
  streamsPerOrganization: Math.max(1, Math.round(MAX_STREAMS_PER_ORGANIZATION * multiplier)),
  streamsPerCaller: Math.max(1, Math.round(MAX_STREAMS_PER_CALLER * multiplier)),
})

export interface StreamHolder {
  organizationId: string
  /** Key of the caller's rate buckets. */
  rateKey: string
}

export class EventStreamQuota {
  readonly #bounds: EventStreamBounds
  readonly #byOrganization = new KeyedCounts()
  readonly #byCaller = new KeyedCounts()
  #taken = 0

  constructor(bounds: EventStreamBounds) {
    this.#bounds = bounds
  }

  get taken(): number {
    return this.#taken
  }

  /**
   * Takes a stream from the quota; the returned function gives it back, once. Throws 429 when the
   * caller or its organization has too many, 503 when the process has.
   */
  take({ organizationId, rateKey }: StreamHolder): () => void {
    const { streams, streamsPerOrganization, streamsPerCaller } = this.#bounds
    if (this.#byCaller.of(rateKey) >= streamsPerCaller) {
      throw tooManyEventStreams('of this API key or user', streamsPerCaller)
    }
    if (this.#byOrganization.of(organizationId) >= streamsPerOrganization) {
      throw tooManyEventStreams('of the organization', streamsPerOrganization)
    }
    if (this.#taken >= streams) {
      throw unavailable('Too many open event streams', RETRY_AFTER_SECONDS)
    }
    const add = (change: 1 | -1) => {
      this.#taken += change
      this.#byOrganization.add(organizationId, change)
      this.#byCaller.add(rateKey, change)
    }
    add(1)
    let isTaken = true
    return () => {
      if (isTaken) add(-1)
      isTaken = false
    }
  }
}

const tooManyEventStreams = (of: string, limit: number) =>
  new AppError(
    'RATE_LIMIT_EXCEEDED',
    `Too many open event streams ${of}: at most ${limit}`,
    { limit, retryAfter: RETRY_AFTER_SECONDS, bucket: 'event stream' },
    { 'retry-after': String(RETRY_AFTER_SECONDS) },
  )
