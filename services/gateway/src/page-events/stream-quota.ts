/** Open streams, in all, by allocation and by address: beyond the bounds none is opened. */
import { unavailable } from '@status-page/contracts'
import { KeyedQuota } from '../limits/keyed-quota.ts'
import { allocationOf } from '../limits/limiter.ts'

/** Of the 10,000 connections that the process takes. */
const MAX_STREAMS = 4_000
/** A /48 or /24: a twentieth, so that a few networks cannot take all streams. */
const MAX_STREAMS_PER_ALLOCATION = 200
/** An office behind one address, where each has one page in sight. */
const MAX_STREAMS_PER_ADDRESS = 64
/** Until then the page is polled. */
const RETRY_AFTER_SECONDS = 60

export interface StreamBounds {
  streams: number
  streamsPerAllocation: number
  streamsPerAddress: number
}

const defaultBounds: StreamBounds = {
  streams: MAX_STREAMS,
  streamsPerAllocation: MAX_STREAMS_PER_ALLOCATION,
  streamsPerAddress: MAX_STREAMS_PER_ADDRESS,
}

export const tooManyStreams = () => unavailable('Too many open event streams', RETRY_AFTER_SECONDS)

export class StreamQuota {
  readonly #streams: number
  readonly #byAllocation: KeyedQuota
  readonly #byAddress: KeyedQuota
  #taken = 0

  constructor({ streams, streamsPerAllocation, streamsPerAddress } = defaultBounds) {
    this.#streams = streams
    this.#byAllocation = new KeyedQuota(streamsPerAllocation)
    this.#byAddress = new KeyedQuota(streamsPerAddress)
  }

  /** Returns the function that gives the place back, once; throws 503 where there is none. */
  take(address: string): () => void {
    const allocation = allocationOf(address)
    const isFull =
      this.#taken >= this.#streams ||
      this.#byAllocation.isFull(allocation) ||
      this.#byAddress.isFull(address)
    if (isFull) throw tooManyStreams()
    this.#taken++
    const leaveAllocation = this.#byAllocation.take(allocation)
    const leaveAddress = this.#byAddress.take(address)
    return () => {
      this.#taken--
      leaveAllocation()
      leaveAddress()
    }
  }
}
