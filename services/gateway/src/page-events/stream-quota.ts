/** Quota of open streams: in total, per allocation and per address. */
import { unavailable } from '@status-page/contracts'
import { KeyedQuota } from '../limits/keyed-quota.ts'
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
  readonly #streams: number
  readonly #byAllocation: KeyedQuota
  readonly #byAddress: KeyedQuota
  #taken = 0

  constructor({ streams, streamsPerAllocation, streamsPerAddress } = defaultBounds) {
    this.#streams = streams
    this.#byAllocation = new KeyedQuota(streamsPerAllocation)
    this.#byAddress = new KeyedQuota(streamsPerAddress)
  }

  /**
   * Takes a stream from the quota; the returned function gives it back, once. Throws 503 when the
   * quota is used up.
   */
  take(address: string): () => void {
    const allocation = addressAllocationOf(address)
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
