/**
 * Rate limit buckets. An operation has exactly one of its own; most also charge `global`. Settings,
 * counters and the OpenAPI document derive from this table.
 */

const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000

/** Key of a counter; a caller is the API key, else the user of the session, else the address. */
export type CountedBy = 'address' | 'caller' | 'subject'

interface RateBucket {
  /** Requests per window unless a setting overrides it. */
  capacity: number
  windowMs: number
  /** Requests of one address per window, as a multiple of the capacity. */
  addressFactor: number
  countedBy: readonly CountedBy[]
  /** Counts each operation separately, instead of one counter for all that share the bucket. */
  perOperation: boolean
  /** Requests of this bucket are not charged to the global or any other bucket. */
  excludesOtherBuckets: boolean
  /** Counted in memory and synchronized once a second, so that a public page costs no query. */
  synced: boolean
}

const minutely = (capacity: number, countedBy: readonly CountedBy[]): RateBucket => ({
  capacity,
  windowMs: MINUTE_MS,
  addressFactor: 1,
  countedBy,
  perOperation: false,
  excludesOtherBuckets: false,
  synced: false,
})

export const rateBuckets = {
  global: minutely(100, ['address', 'caller']),
  /** Replaces `global` and `endpoint` for requests with a session. */
  session: { ...minutely(600, ['address', 'caller']), addressFactor: 5 },
  endpoint: { ...minutely(20, ['caller']), perOperation: true },
  'incident create': minutely(10, ['caller']),
  import: minutely(5, ['caller']),
  check: { ...minutely(60, ['caller']), windowMs: HOUR_MS },
  bulk: { ...minutely(10, ['caller']), perOperation: true },
  auth: minutely(30, ['address']),
  public: minutely(60, ['address']),
  'public read': {
    ...minutely(1000, ['address']),
    perOperation: true,
    excludesOtherBuckets: true,
    synced: true,
  },
  /**
   * Files of the dashboard: an office behind one address can open it with 150 empty caches in a
   * minute.
   */
  'static file': {
    ...minutely(6000, ['address']),
    excludesOtherBuckets: true,
    synced: true,
  },
  feed: { ...minutely(100, ['address']), excludesOtherBuckets: true, synced: true },
  webhook: { ...minutely(200, ['address', 'subject']), excludesOtherBuckets: true },
  /** Pings of one token; those of all jobs behind an address have a multiple of it. */
  heartbeat: {
    ...minutely(60, ['address', 'subject']),
    addressFactor: 100,
    excludesOtherBuckets: true,
    synced: true,
  },
  /** Requests of one agent; those of all agents behind an address have a multiple of it. */
  agent: {
    ...minutely(120, ['address', 'subject']),
    addressFactor: 20,
    excludesOtherBuckets: true,
    synced: true,
  },
  /** Opening of an event stream, which clients repeat after every restart of the service. */
  'event stream': { ...minutely(200, ['address', 'caller']), excludesOtherBuckets: true },
  sign_up: { ...minutely(10, ['address']), windowMs: HOUR_MS },
} satisfies Record<string, RateBucket>

export type BucketName = keyof typeof rateBuckets
export const bucketNames = Object.keys(rateBuckets) as BucketName[]
