/** Quota of open streams: in total, per allocation and per address. */
import { KeyedCounts } from '@status-page/concurrency'
import { unavailable } from '@status-page/contracts'
import { addressAllocationOf } from '../limits/limiter.ts'

/** Maximum of streams, of the 10,000 connections that the process accepts. */
const MAX_STREAMS = 4_000
/** Maximum per /48 or /24: a twentieth, so that a few networks cannot take all streams. */
const MAX_STREAMS_PER_ALLOCATION = 200
/** Maximum per address, for an office behind one address with one open page per person. */
const MAX_STREAMS_PER_ADDRESS = 64
/** Delay before the next attempt; the page polls until then. */
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
  readonly #bounds: StreamBounds
  readonly #byAllocation = new KeyedCounts()
  readonly #byAddress = new KeyedCounts()
  #taken = 0

  constructor(bounds = defaultBounds) {
    this.#bounds = bounds
  }

  /**
   * Takes a stream from the quota; the returned function releases it, once. Throws 503 when the
   * quota is used up.
   */
  take(address: string): () => void {
    const allocation = addressAllocationOf(address)
    const { streams, streamsPerAllocation, streamsPerAddress } = this.#bounds
    const isFull =
      this.#taken >= streams ||
      this.#byAllocation.of(allocation) >= streamsPerAllocation ||
      this.#byAddress.of(address) >= streamsPerAddress
    if (isFull) throw tooManyStreams()
    const add = (change: 1 | -1) => {
      this.#taken += change
      this.#byAllocation.add(allocation, change)
      this.#byAddress.add(address, change)
    }
    add(1)
    let isTaken = true
    return () => {
      if (isTaken) add(-1)
      isTaken = false
    }
  }
}
