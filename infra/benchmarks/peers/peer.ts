/** Interface of the products that the benchmark compares: each checks the same targets. */
export interface PeerOptions {
  /** Addresses to check, one component or monitor each. */
  urls: readonly string[]
  intervalSeconds: number
}

export interface Peer {
  /** Public data of a status page with the first `PAGE_SIZE` targets. */
  readUrl: string
  /** Processor time in µs of the processes that check and store, since their start. */
  checkingMicros(): number
  /** Processor time in µs of the processes that serve the public data, since their start. */
  readingMicros(): number
  stop(): Promise<void>
}

export const PAGE_SIZE = 20
