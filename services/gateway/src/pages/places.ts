/** How many streams are open, in all and by address: beyond the bounds nobody gets one. */
import { unavailable } from '@status-page/contracts'

/** Of the 10,000 connections that the process takes. */
const MAX_STREAMS = 4_000
/** An office behind one address, where each has one page in sight. */
const MAX_STREAMS_PER_ADDRESS = 64
/** Meanwhile a page looks from time to time. */
const RETRY_AFTER_SECONDS = 60

export interface StreamBounds {
  streams: number
  streamsPerAddress: number
}

export const noStream = () => unavailable('No more streams are opened', RETRY_AFTER_SECONDS)

export class Places {
  readonly #bounds: StreamBounds
  readonly #byAddress = new Map<string, number>()
  #taken = 0

  constructor(bounds = { streams: MAX_STREAMS, streamsPerAddress: MAX_STREAMS_PER_ADDRESS }) {
    this.#bounds = bounds
  }

  /** What gives the place back, once; throws 503 where there is none. */
  take(address: string): () => void {
    const own = this.#byAddress.get(address) ?? 0
    const { streams, streamsPerAddress } = this.#bounds
    if (this.#taken >= streams || own >= streamsPerAddress) throw noStream()
    this.#taken++
    this.#byAddress.set(address, own + 1)
    return () => {
      this.#taken--
      const left = (this.#byAddress.get(address) ?? 0) - 1
      if (left > 0) this.#byAddress.set(address, left)
      else this.#byAddress.delete(address)
    }
  }
}
